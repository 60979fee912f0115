#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

#include "base/str.h"

static const cli_flag flags[] = {
    {"game", 0, "DIR", "the game folder (…/Game), or any folder with its archives"},
    {"skin", 0, "ID", "157036, or alias/number: yasuo/36"},
    {"champion", 0, "NAME", "only this champion"},
    {"skn", 0, "FILE", "mesh"},
    {"skl", 0, "FILE", "skeleton; without it the mesh is static"},
    {"anm", 0, "FILE|DIR", "animation, or a folder of them; may be repeated"},
    {"texture-file", 0, "[PART=]FILE", "texture of one part, or of all; may be repeated"},
    {"bin", 0, "FILE", "skin bin with its graph: clip names, events, textures by base name"},
    {"hashes", 0, "DIR", "folder of name lists hashes.<table>.txt[.N]"},
    {"output", 'o', "PATH",
     "where the result goes; of batch, and of wad get with several entries, a folder; - is stdout"},
    {"report", 0, "FILE", "write what was guessed, replaced or dropped, as JSON"},
    {"naive", 0, NULL, "the plain float exporter's file: every key, every track, nothing shared"},
    {"skeleton", 0, NULL, "the joints: names, parents, hashes, rest transforms"},
    {"json", 0, NULL, "machine-readable output"},
    {"quiet", 'q', NULL, "errors only: no notes, no progress bar"},
    {"pose", 0, "CLIP@S", "the clip and its second; by default the idle clip at 0"},
    {"clips", 0, "LIST", "of a sheet: names, globs or kinds of clips, separated by commas"},
    {"size", 0, "N", "pixels a side, 16 to 1024; 256 by default, of a sheet's cells 128"},
    {"turn", 0, "DEGREES", "turn the skin: 0 shows the front, 90 its right side, 180 the back"},
    {"background", 0, "RRGGBB", "colour behind the skin; transparent by default"},
    {"sheet", 0, NULL, "a picture of every clip in the middle of its length, side by side"},
    {"full", 0, NULL, "everything, not just a summary"},
    {"all", 0, NULL, "every entry"},
    {"seed", 0, "N", "seed of the synthetic game; 1 by default"},
    {"data", 0, "DIR", "data folder of the daemon"},
    {"server", 0, "URL", "the daemon; http://127.0.0.1:8780 by default"},
    {"token-file", 0, "FILE", "file with the token that the daemon wants"},
    {"no-wait", 0, NULL, "do not wait for the job"},
    {"wad-version", 0, "M.N", "version to write; 3.4 by default"},
    {"help", 'h', NULL, "this text"},
};

static const cli_command commands[] = {
    {"bake", "", "one skin from a game folder", "game skin hashes output report naive json quiet", true,
     cmd_bake},
    {"convert", "", "loose files without a game folder",
     "skn skl anm texture-file bin hashes output report naive json quiet", true, cmd_convert},
    {"batch", "", "every skin of a game folder, or of one champion, into a folder",
     "game champion hashes output report json quiet", true, cmd_batch},
    {"skins", "", "catalogue of a game folder", "game champion hashes json quiet", false, cmd_skins},
    {"describe", "", "metadata of a skin", "game skin hashes skeleton output json quiet", false,
     cmd_describe},
    {"render", "",
     "a picture of a skin, or a contact sheet of its clips: PNG, or WebP where -o ends in .webp",
     "game skin hashes pose clips size turn background sheet output quiet", false, cmd_render},
    {"inspect", "FILE…", "what is in a wad, bin, skn, skl, anm, tex, dds, scb or glb",
     "hashes full json quiet", false, cmd_inspect},
    {"wad", "ls FILE | get FILE PATH…|--all | pack DIR | diff OLD NEW",
     "archives: list, unpack, pack; diff compares the tables of two, or of two folders of them",
     "hashes output all json quiet wad-version", false, cmd_wad},
    {"hashes", "import TABLE FILE… | lookup TABLE HASH… | stats", "the daemon's name tables",
     "data json quiet", false, cmd_hashes},
    {"layers", "check FILE", "run a vector file of the layer engine", "quiet", false, cmd_layers},
    {"demo-game", "DIR", "write a synthetic game folder with every format and feature", "seed quiet", false,
     cmd_demo_game},
    {"submit", "", "ask a daemon for a skin, and wait for it",
     "server token-file skin output no-wait json quiet", true, cmd_submit},
    {"status", "[JOB]", "what a daemon counts, or where one of its jobs stands",
     "server token-file json quiet", false, cmd_status},
    {"patches", "[N [skins] | scan | cancel N | resume N]",
     "a daemon's patches: what changed, and what became of the skins", "server token-file json quiet", false,
     cmd_patches},
    {"get", "", "a skin from a daemon, made when it is missing", "server token-file skin output quiet", true,
     cmd_get},
    {"health", "", "ask a daemon whether it lives; the exit code is the answer", "server quiet", false,
     cmd_health},
    {"manual", "man | bash", "print the man page or the shell completion", "", false, cmd_manual},
};

const cli_command *cli_command_at(size_t index)
{
    return index < RIFT_COUNT(commands) ? &commands[index] : NULL;
}

const cli_flag *cli_flag_at(size_t index)
{
    return index < RIFT_COUNT(flags) ? &flags[index] : NULL;
}

bool cli_takes(const cli_command *command, const char *flag)
{
    rift_str rest = rift_str_c(command->flags);
    rift_str name;
    while (rift_str_next(&rest, " ", &name)) {
        if (rift_str_eq(name, rift_str_c(flag)))
            return true;
    }
    return strcmp(flag, "help") == 0;
}

/* Option names have underscores in JSON and in URLs, dashes here. */
void cli_dashed(char out[CLI_MAX_NAME], const char *name)
{
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < CLI_MAX_NAME; n++)
        out[n] = (char)(name[n] == '_' ? '-' : name[n]);
    out[n] = '\0';
}

static void print_flag(FILE *to, const char *name, char letter, const char *value, const char *help)
{
    char left[80];
    char dashed[CLI_MAX_NAME];
    cli_dashed(dashed, name);
    (void)snprintf(left, sizeof left, "%c%c%s--%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                   letter ? ", " : "  ", dashed, value ? " " : "", value ? value : "");
    (void)fprintf(to, "  %-30s %s\n", left, help);
}

static void print_options(FILE *to)
{
    (void)fprintf(to, "conversion options; of several words the first is the default:\n");
    for (size_t i = 0; rift_option_info_at(i) != NULL; i++) {
        const rift_option_info *info = rift_option_info_at(i);
        char help[256];
        (void)snprintf(help, sizeof help, "%s: %s", info->values, info->help);
        print_flag(to, info->name, 0, NULL, help);
    }
}

void cli_usage(FILE *to, const cli_command *command)
{
    if (command == NULL) {
        (void)fprintf(to, "usage: riftbake COMMAND [flags]\n\n");
        for (size_t i = 0; i < RIFT_COUNT(commands); i++)
            (void)fprintf(to, "  %-12s %s\n", commands[i].name, commands[i].help);
        (void)fprintf(to, "\nriftbake COMMAND --help says more; riftbake --version names the version.\n");
        return;
    }
    (void)fprintf(to, "usage: riftbake %s [flags]%s%s\n%s\n\nflags:\n", command->name,
                  command->operands[0] ? " " : "", command->operands, command->help);
    for (size_t i = 0; i < RIFT_COUNT(flags); i++) {
        if (cli_takes(command, flags[i].name))
            print_flag(to, flags[i].name, flags[i].letter, flags[i].value, flags[i].help);
    }
    if (command->takes_options)
        print_options(to);
}

/* Messages quote names from files, so they are shown as outlines show them. */
RIFT_PRINTF(1, 0)
static void say(const char *format, va_list list)
{
    char text[1024];
    rift_arena arena;
    rift_buf shown;
    (void)vsnprintf(text, sizeof text, format, list);
    rift_arena_init(&arena, SIZE_MAX);
    rift_buf_init(&shown, &arena, 8 * sizeof text);
    cli_put_text(&shown, rift_str_c(text));
    rift_buf_u8(&shown, '\n');
    (void)fwrite(shown.data != NULL ? shown.data : (const uint8_t *)"", 1, shown.size, stderr);
    rift_arena_release(&arena);
}

void cli_say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

void cli_note(const cli_args *args, const char *format, ...)
{
    if (cli_has(args, "quiet"))
        return;
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

int cli_misuse(const cli_args *args, const char *format, ...)
{
    char text[768];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cli_say("riftbake %s: %s (riftbake %s --help)", args->command->name, text, args->command->name);
    return CLI_USAGE;
}

/* getopt's table: flags of the command first, then the conversion options. Long names have codes past every letter. */
enum { MAX_LONG = 64, MAX_LETTERS = 2 * MAX_LONG, FLAG_BASE = 1000, OPTION_BASE = 2000 };

static void long_options(const cli_command *command, struct option out[MAX_LONG], char letters[MAX_LETTERS])
{
    size_t n = 0;
    size_t l = 0;
    letters[l++] = ':'; /* a missing value is told apart from an unknown flag */
    for (size_t i = 0; i < RIFT_COUNT(flags); i++) {
        const cli_flag *f = &flags[i];
        if (!cli_takes(command, f->name))
            continue;
        out[n++] =
            (struct option){f->name, f->value ? required_argument : no_argument, NULL, FLAG_BASE + (int)i};
        if (f->letter)
            letters[l++] = f->letter;
        if (f->letter && f->value)
            letters[l++] = ':';
    }
    for (size_t i = 0; command->takes_options && rift_option_info_at(i) != NULL; i++) {
        RIFT_ASSERT(n + 1 < MAX_LONG);
        out[n++] =
            (struct option){rift_option_info_at(i)->name, required_argument, NULL, OPTION_BASE + (int)i};
    }
    letters[l] = '\0';
    out[n] = (struct option){0};
}

static int code_of_letter(int letter)
{
    for (size_t i = 0; i < RIFT_COUNT(flags); i++) {
        if (flags[i].letter != 0 && flags[i].letter == letter)
            return FLAG_BASE + (int)i;
    }
    return letter;
}

static bool take(cli_args *args, int code, const char *value)
{
    if (code >= OPTION_BASE) {
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        const rift_str name = rift_str_c(rift_option_info_at((size_t)(code - OPTION_BASE))->name);
        const bool is_layers = rift_str_eq(name, RIFT_STR("layers"));
        if (is_layers ? cli_take_layers(args, value, &err)
                      : rift_options_set(&args->options, name, rift_str_c(value), &args->arena, &err))
            return true;
        char dashed[CLI_MAX_NAME];
        char text[512];
        cli_dashed(dashed, name.data);
        const bool is_file = rift_str_eq(name, RIFT_STR("texture")) &&
                             cli_takes(args->command, "texture-file") && strpbrk(value, "./") != NULL;
        (void)cli_misuse(args, "--%s: %s%s", dashed,
                         is_layers ? rift_err_print(&err, text, sizeof text) : err.text,
                         is_file ? "; a file is for --texture-file" : "");
        return false;
    }
    const cli_flag *flag = &flags[code - FLAG_BASE];
    if (args->given_count == CLI_MAX_FLAGS) {
        (void)cli_misuse(args, "more than %d flags", CLI_MAX_FLAGS);
        return false;
    }
    args->given[args->given_count++] = (cli_given){flag->name, value ? value : ""};
    return true;
}

/* "--max-texture" is "--max_texture": the options' public names have underscores. */
static void unify_dashes(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return;
        for (size_t k = 0; strncmp(argv[i], "--", 2) == 0 && rift_option_info_at(k) != NULL; k++) {
            const char *name = rift_option_info_at(k)->name;
            size_t n = 0;
            while (name[n] != '\0' &&
                   (argv[i][2 + n] == name[n] || (name[n] == '_' && argv[i][2 + n] == '-')))
                n++;
            if (name[n] == '\0' && (argv[i][2 + n] == '\0' || argv[i][2 + n] == '='))
                memcpy(argv[i] + 2, name, n);
        }
    }
}

/* What getopt refused. optopt is the letter, the code of a known long flag, or 0. */
static bool complain(const cli_args *args, int code, char **argv)
{
    const int known = code_of_letter(optopt);
    if (known >= FLAG_BASE) {
        char dashed[CLI_MAX_NAME];
        cli_dashed(dashed, known < OPTION_BASE ? flags[known - FLAG_BASE].name
                                               : rift_option_info_at((size_t)(known - OPTION_BASE))->name);
        (void)cli_misuse(args, "--%s takes %s value", dashed, code == ':' ? "a" : "no");
    } else if (optopt != 0) {
        (void)cli_misuse(args, "unknown flag -%c", optopt);
    } else {
        (void)cli_misuse(args, "unknown flag %s", argv[optind - 1]);
    }
    return false;
}

bool cli_parse(cli_args *args, const cli_command *command, int argc, char **argv)
{
    struct option table[MAX_LONG];
    char letters[MAX_LETTERS];
    args->command = command;
    args->options = rift_options_default();
    long_options(command, table, letters);
    unify_dashes(argc, argv);
    opterr = 0;
    for (;;) {
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread */
        const int code = getopt_long(argc, argv, letters, table, NULL);
        if (code == -1)
            break;
        if (code == '?' || code == ':')
            return complain(args, code, argv);
        if (!take(args, code_of_letter(code), optarg))
            return false;
    }
    args->options.naive = cli_has(args, "naive");
    args->operands = argv + optind;
    args->operand_count = (size_t)(argc - optind);
    if (args->operand_count > 0 && command->operands[0] == '\0' && !cli_has(args, "help")) {
        (void)cli_misuse(args, "unexpected \"%s\"", args->operands[0]);
        return false;
    }
    return true;
}

const char *cli_next(const cli_args *args, const char *name, size_t *at)
{
    while (*at < args->given_count) {
        const cli_given *given = &args->given[(*at)++];
        if (strcmp(given->name, name) == 0)
            return given->value;
    }
    return NULL;
}

const char *cli_value(const cli_args *args, const char *name)
{
    const char *last = NULL;
    size_t at = 0;
    for (const char *value = cli_next(args, name, &at); value != NULL; value = cli_next(args, name, &at))
        last = value;
    return last;
}

bool cli_has(const cli_args *args, const char *name)
{
    return cli_value(args, name) != NULL;
}

int cli_error(const cli_args *args, const rift_err *err)
{
    char text[sizeof(rift_err)];
    const bool usage = err->code == RIFT_ERR_ARGUMENT;
    cli_say("riftbake %s: %s%s%s", args->command->name, usage ? "" : rift_status_name(err->code),
            usage ? "" : ": ", rift_err_print(err, text, sizeof text));
    return usage ? CLI_USAGE : CLI_FAILED;
}
