/* The man page and the completion, printed from the tables of args.c. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

#include "base/str.h"

/* Text as roff wants it: a dash is a minus, a backslash is a character, and nothing at a line's beginning is a request. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '-') {
            printf("\\-");
        } else if (*p == '\\') {
            printf("\\e");
        } else if (strncmp(p, "…", 3) == 0) {
            printf("...");
            p += 2;
        } else {
            (void)putchar(*p);
        }
    }
}

static void roff_flag(const char *name, char letter, const char *value, const char *help)
{
    char dashed[CLI_MAX_NAME];
    cli_dashed(dashed, name);
    printf(".TP\n\\fB");
    if (letter != 0)
        printf("\\-%c\\fR, \\fB", letter);
    printf("\\-\\-");
    roff(dashed);
    printf("\\fR");
    if (value != NULL) {
        printf(" \\fI");
        roff(value);
        printf("\\fR");
    }
    printf("\n");
    roff(help);
    printf("\n");
}

static void roff_command(const cli_command *c)
{
    printf(".SS riftbake ");
    roff(c->name);
    printf("%s", c->operands[0] != '\0' ? " " : "");
    roff(c->operands);
    printf("\n");
    roff(c->help);
    printf(".\n");
    for (size_t k = 0; cli_flag_at(k) != NULL; k++) {
        const cli_flag *f = cli_flag_at(k);
        if (cli_takes(c, f->name))
            roff_flag(f->name, f->letter, f->value, f->help);
    }
}

static void man_page(void)
{
    printf(".TH RIFTBAKE 1 \"\" \"riftbake %s\"\n", RIFT_VERSION);
    printf(".SH NAME\nriftbake \\- League of Legends skins to GLB files\n");
    printf(".SH SYNOPSIS\n.B riftbake\n.I COMMAND\n[flags]\n");
    printf(
        ".SH DESCRIPTION\nResults go to standard output or to the file of \\-o, messages to standard error.\n"
        "The file name \\(dq\\-\\(dq is standard output, and standard input except for archives.\n.SH "
        "COMMANDS\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        roff_command(cli_command_at(i));
    printf(".SH CONVERSION OPTIONS\nTaken by");
    for (size_t i = 0, n = 0; cli_command_at(i) != NULL; i++) {
        if (cli_command_at(i)->takes_options)
            printf("%s %s", n++ > 0 ? "," : "", cli_command_at(i)->name);
    }
    printf(". Of several words the first is the default.\n");
    for (size_t i = 0; rift_option_info_at(i) != NULL; i++) {
        const rift_option_info *o = rift_option_info_at(i);
        roff_flag(o->name, 0, o->values, o->help);
    }
    printf(".SH EXIT STATUS\n0 success, 1 a conversion failed, 2 wrong usage.\n");
    printf(".SH ENVIRONMENT\n");
    printf(".TP\n.B RIFT_GAME\nthe game folder, where \\-\\-game is not given\n");
    printf(".TP\n.B RIFT_DATA\nthe data folder of the daemon, where \\-\\-data is not given\n");
    printf(".TP\n.B RIFT_SERVER\nthe daemon's URL, where \\-\\-server is not given\n");
    printf(".SH SEE ALSO\nThe daemon has no page of its own: \\fBriftbaked \\-\\-help\\fR lists its "
           "settings.\n");
}

/* "ls FILE | get FILE…" -> "ls get": words in small letters are verbs to be typed as they stand. */
static void complete_verbs(const char *operands)
{
    rift_str rest = rift_str_c(operands);
    rift_str word;
    while (rift_str_next(&rest, " ", &word)) {
        bool verb = true;
        for (size_t i = 0; i < word.size; i++)
            verb = verb && word.data[i] >= 'a' && word.data[i] <= 'z';
        if (verb)
            printf(" %.*s", RIFT_STR_ARG(word));
    }
}

/* After "--texture": its words. What takes other things than words is left to the shell, which knows files and folders. */
static void complete_values(void)
{
    printf("    case \"${COMP_WORDS[COMP_CWORD-1]}\" in\n");
    for (size_t i = 0; cli_flag_at(i) != NULL; i++) {
        const cli_flag *f = cli_flag_at(i);
        if (f->value == NULL)
            continue;
        printf("      --%s", f->name);
        if (f->letter != 0)
            printf("|-%c", f->letter);
        printf(") COMPREPLY=(); return 0 ;;\n");
    }
    for (size_t i = 0; rift_option_info_at(i) != NULL; i++) {
        const rift_option_info *o = rift_option_info_at(i);
        char dashed[CLI_MAX_NAME];
        cli_dashed(dashed, o->name);
        if (strchr(o->values, '|') == NULL || strchr(o->values, '*') != NULL)
            continue;
        rift_str rest = rift_str_c(o->values);
        rift_str word;
        printf("      --%s) words=\"", dashed);
        for (bool first = true; rift_str_next(&rest, "|", &word); first = false)
            printf("%s%.*s", first ? "" : " ", RIFT_STR_ARG(word));
        printf("\" ;;\n");
    }
    printf("    esac\n");
}

static void complete_command(const cli_command *c)
{
    printf("      %s) words=\"--help", c->name);
    complete_verbs(c->operands);
    for (size_t k = 0; cli_flag_at(k) != NULL; k++) {
        if (cli_takes(c, cli_flag_at(k)->name) && strcmp(cli_flag_at(k)->name, "help") != 0)
            printf(" --%s", cli_flag_at(k)->name);
    }
    for (size_t k = 0; c->takes_options && rift_option_info_at(k) != NULL; k++) {
        char dashed[CLI_MAX_NAME];
        cli_dashed(dashed, rift_option_info_at(k)->name);
        printf(" --%s", dashed);
    }
    printf("\" ;;\n");
}

static void completion(void)
{
    printf("_riftbake() {\n  local words=\"\"\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words=\"");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", cli_command_at(i)->name);
    printf("\"\n  else\n");
    complete_values();
    printf("    [ -n \"$words\" ] || case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        complete_command(cli_command_at(i));
    printf("    esac\n  fi\n"
           "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
           "complete -o default -F _riftbake riftbake\n");
}

int cmd_manual(cli_args *args)
{
    if (args->operand_count == 1 && strcmp(args->operands[0], "man") == 0) {
        man_page();
    } else if (args->operand_count == 1 && strcmp(args->operands[0], "bash") == 0) {
        completion();
    } else {
        return cli_misuse(args, "man or bash?");
    }
    return CLI_OK;
}
