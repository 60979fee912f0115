/* cli.h - the command line: one table of commands and flags, from which parsing, usage, man page and completion come.
 *
 * Results go to stdout or -o, messages to stderr. Exit codes: 0 ok, 1 conversion failed, 2 usage. */
#ifndef RIFT_CLI_CLI_H
#define RIFT_CLI_CLI_H

#include <stdio.h>

#include "bake/bake.h"
#include "base/source.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };
enum { CLI_MAX_NAME = 32, CLI_MAX_FLAGS = 4096, CLI_MAX_FILE = 1024 * 1024 * 1024 };

/* How much one conversion may take (GUIDE section 5). */
#define CLI_ARENA_LIMIT ((size_t)2 * 1024 * 1024 * 1024)

typedef struct cli_flag {
    const char *name;
    char letter;       /* or 0 */
    const char *value; /* what it takes, for usage; NULL for a switch */
    const char *help;
} cli_flag;

struct cli_args;

typedef struct cli_command {
    const char *name;
    const char *operands; /* usage of what stands behind the flags, or "" */
    const char *help;
    const char *flags;  /* names of its flags, separated by blanks */
    bool takes_options; /* conversion options too (bake/options.h) */
    int (*run)(struct cli_args *args);
} cli_command;

/* A flag as it was given. */
typedef struct cli_given {
    const char *name;
    const char *value; /* "" for a switch */
} cli_given;

typedef struct cli_args {
    const cli_command *command;
    cli_given given[CLI_MAX_FLAGS];
    size_t given_count;
    char **operands;
    size_t operand_count;
    rift_options options;
    rift_arena arena; /* lives as long as the command */
} cli_args;

const cli_command *cli_command_at(size_t index); /* NULL behind the last */
const cli_flag *cli_flag_at(size_t index);

/* Fills args from argv behind the command's name; prints what is wrong and returns false. */
RIFT_NODISCARD bool cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);
/* cmd_layers.c: the value of --layers, a file or what stands for itself. */
RIFT_NODISCARD bool cli_take_layers(cli_args *args, const char *value, rift_err *err);
/* Value of a flag, or NULL when it was not given; the last one counts. */
const char *cli_value(const cli_args *args, const char *name);
bool cli_has(const cli_args *args, const char *name);
/* The next value of a repeated flag: start with *at = 0. */
const char *cli_next(const cli_args *args, const char *name, size_t *at);
bool cli_takes(const cli_command *command, const char *flag);
/* "max_texture" -> "max-texture". */
void cli_dashed(char out[CLI_MAX_NAME], const char *name);
/* "usage: …" for one command, or for all (NULL). */
void cli_usage(FILE *to, const cli_command *command);
/* "riftbake: missing --game": prints, returns CLI_USAGE. */
int cli_misuse(const cli_args *args, const char *format, ...) RIFT_PRINTF(2, 3);
/* Prints the error, also with --quiet, and returns CLI_USAGE for ARGUMENT, else CLI_FAILED. */
int cli_error(const cli_args *args, const rift_err *err);
/* A line on stderr; control characters are shown as their numbers. */
void cli_say(const char *format, ...) RIFT_PRINTF(1, 2);
/* The same, unless --quiet. */
void cli_note(const cli_args *args, const char *format, ...) RIFT_PRINTF(2, 3);

/* run.c: what several commands share. */
typedef struct cli_game {
    struct rift_gamedir *dir;
    rift_assets assets;
    rift_names names; /* lookup is NULL without --hashes */
    const rift_names *names_or_null;
} cli_game;
RIFT_NODISCARD bool cli_open_game(cli_game *out, cli_args *args, rift_err *err);
void cli_close_game(cli_game *game);
RIFT_NODISCARD bool
cli_open_names(rift_names *out, cli_args *args, rift_err *err); /* --hashes; lookup NULL without it */
/* --champion, by alias or name; everything without it. */
bool cli_wants(const cli_args *args, const rift_champion *champion);
RIFT_NODISCARD bool cli_check_champion(const cli_args *args, const rift_game *game, rift_err *err);
/* --skin is there, and is an id or alias/number: before the game is opened. Prints what is wrong. */
RIFT_NODISCARD bool cli_check_skin(const cli_args *args);
/* A regular file as a source, read on demand; the caller closes *fd. */
RIFT_NODISCARD bool cli_open_file(const char *path, rift_source *out, int *fd, rift_err *err);
/* Writes bytes to a file, or to stdout for "-" and NULL. */
RIFT_NODISCARD bool cli_write(const char *path, rift_bytes bytes, rift_err *err);
/* Writes dir/name, with the folders that it needs. */
RIFT_NODISCARD bool
cli_write_below(const char *dir, rift_str name, rift_bytes bytes, rift_arena *arena, rift_err *err);
/* JSON text as it is with --json, else as an outline for people. */
RIFT_NODISCARD bool cli_print(const cli_args *args, rift_bytes json, rift_err *err);
/* {"skin":…,"ok":…,"error":{…},…,"report":[…]} of a conversion. */
RIFT_NODISCARD bool cli_report_json(
    rift_buf *out, const rift_bake_result *result, rift_str skin, const rift_err *failure, rift_err *err);
/* A line for each kind of thing that was guessed, replaced or dropped. */
void cli_note_warnings(const cli_args *args, const rift_report *report);
/* Prints what is wrong when -o, --report and --json want stdout together, or a terminal would get the GLB. */
RIFT_NODISCARD bool cli_check_output(const cli_args *args);

/* One conversion with its bar, its report and its GLB to -o; returns the exit code. */
typedef struct cli_conversion {
    bool (*run)(
        rift_bake_result *result, const void *request, rift_arena *out, rift_arena *tmp, rift_err *err);
    const void *request;
} cli_conversion;
int cli_convert(cli_args *args, rift_str label, const cli_conversion *conversion, rift_bake_control *control);

/* progress.c: a bar on a terminal, nothing elsewhere. */
typedef struct cli_progress cli_progress;
cli_progress *cli_progress_start(const cli_args *args, rift_str label, rift_bake_control *control);
void cli_progress_stop(cli_progress *progress);
/* One line for many things: "[####    ] 12/40 yasuo/3". */
void cli_progress_step(const cli_args *args, size_t done, size_t total, rift_str what);
void cli_progress_show(const cli_args *args, rift_str label, int percent, rift_str what);
void cli_progress_clear(const cli_args *args);

/* http.c: a request to the daemon that --server, RIFT_SERVER or the default names, with the token of --token-file or
 * RIFT_TOKEN_FILE. */
typedef struct cli_call {
    rift_str path;
    rift_bytes json;    /* empty: GET, else POST */
    const char *prefer; /* "Prefer: …", or NULL */
    rift_str label;     /* shows a bar while the reply comes; empty: none */
    long timeout_s;
} cli_call;
typedef struct cli_reply {
    long status;
    rift_bytes body; /* in the command's arena */
    unsigned retry_after_s;
} cli_reply;
/* False when there is no answer; any status is one. */
RIFT_NODISCARD bool cli_request(cli_args *args, const cli_call *call, cli_reply *out, rift_err *err);

/* outline.c: JSON text to indented lines "key: value". */
void cli_outline(rift_buf *out, rift_bytes json);
/* Text from files for a terminal: a control character is shown as its number, "\x1b". */
void cli_put_text(rift_buf *out, rift_str text);

int cmd_bake(cli_args *args);
int cmd_batch(cli_args *args);
int cmd_convert(cli_args *args);
int cmd_demo_game(cli_args *args);
int cmd_describe(cli_args *args);
int cmd_get(cli_args *args);
int cmd_hashes(cli_args *args);
int cmd_health(cli_args *args);
int cmd_inspect(cli_args *args);
int cmd_layers(cli_args *args);
int cmd_manual(cli_args *args);
int cmd_render(cli_args *args);
int cmd_patches(cli_args *args);
int cmd_skins(cli_args *args);
int cmd_status(cli_args *args);
int cmd_submit(cli_args *args);
int cmd_wad(cli_args *args);

/* inspect: a file, and how to show it. */
typedef struct cli_inspected {
    rift_str name;      /* base name */
    rift_bytes bytes;   /* empty for an archive on disk */
    rift_source source; /* the same bytes, or the archive */
    rift_arena *arena;
    const rift_names *names; /* or NULL */
    bool full;
} cli_inspected;
/* Writes its content as members; the object is open. */
typedef bool cli_inspect_fn(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err);
cli_inspect_fn inspect_bin;
cli_inspect_fn inspect_glb;

/* "raw", "zstd" …; "unknown" for other numbers. */
const char *cli_storage_word(uint8_t storage);
/* An entry's path, or its hash as 16 digits. */
rift_str cli_entry_name(const rift_names *names, uint64_t hash, rift_arena *arena);
/* wad_pack.c, wad_diff.c */
int cli_wad_pack(cli_args *args);
int cli_wad_diff(cli_args *args, const rift_names *names);

#endif
