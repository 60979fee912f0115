/* cli.h - the command line: one table of commands and flags, from which parsing, usage, man page and completion come.
 *
 * Results go to stdout or -o, messages to stderr. Exit codes: 0 ok, 1 conversion failed, 2 usage. */
#ifndef RIFT_CLI_CLI_H
#define RIFT_CLI_CLI_H

#include "bake/bake.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };
enum { CLI_MAX_FLAGS = 4096, CLI_MAX_FILE = 1024 * 1024 * 1024 };

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
bool cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);
/* Value of a flag, or NULL when it was not given; the last one counts. */
const char *cli_value(const cli_args *args, const char *name);
bool cli_has(const cli_args *args, const char *name);
/* The next value of a repeated flag: start with *at = 0. */
const char *cli_next(const cli_args *args, const char *name, size_t *at);
/* "usage: …" for one command, or for all (NULL). */
void cli_usage(const cli_command *command);
/* "riftbake: missing --game": prints, returns CLI_USAGE. */
int cli_misuse(const cli_args *args, const char *format, ...) RIFT_PRINTF(2, 3);
/* Prints the error and returns CLI_USAGE for ARGUMENT, else CLI_FAILED. */
int cli_error(const cli_args *args, const rift_err *err);
/* A message on stderr, unless --quiet. */
void cli_note(const cli_args *args, const char *format, ...) RIFT_PRINTF(2, 3);

/* run.c: what several commands share. */
typedef struct cli_game {
    struct rift_gamedir *dir;
    rift_assets assets;
    rift_names names; /* lookup is NULL without --hashes */
    const rift_names *names_or_null;
} cli_game;
bool cli_open_game(cli_game *out, cli_args *args, rift_err *err);
void cli_close_game(cli_game *game);
bool cli_open_names(rift_names *out, cli_args *args, rift_err *err); /* --hashes; lookup NULL without it */
/* Writes bytes to -o or stdout ("-"). */
bool cli_write(const char *path, rift_bytes bytes, rift_err *err);
/* JSON text as it is with --json, else as an outline for people. */
bool cli_print(const cli_args *args, rift_bytes json, rift_err *err);
/* {"ok":…,"stage":…,"error":…,"report":[…]} of a conversion. */
bool cli_report_json(
    rift_buf *out, const rift_bake_result *result, rift_str skin, const rift_err *failure, rift_err *err);
/* After a conversion: --report, a line per warning on stderr, the GLB to -o; returns the exit code. */
int cli_finish(cli_args *args, const rift_bake_result *result, rift_str skin, bool ok, rift_err *failure);

/* progress.c: a bar on a terminal, nothing elsewhere. */
typedef struct cli_progress cli_progress;
cli_progress *cli_progress_start(const cli_args *args, const char *label, rift_bake_control *control);
void cli_progress_stop(cli_progress *progress);
/* One line for many things: "[####    ] 12/40 yasuo/3". */
void cli_progress_step(const cli_args *args, size_t done, size_t total, rift_str what);
void cli_progress_clear(const cli_args *args);

/* outline.c: JSON text to indented lines "key: value". */
void cli_outline(rift_buf *out, rift_bytes json);

int cmd_bake(cli_args *args);
int cmd_batch(cli_args *args);
int cmd_convert(cli_args *args);
int cmd_demo_game(cli_args *args);
int cmd_describe(cli_args *args);
int cmd_hashes(cli_args *args);
int cmd_health(cli_args *args);
int cmd_inspect(cli_args *args);
int cmd_manual(cli_args *args);
int cmd_skins(cli_args *args);
int cmd_wad(cli_args *args);

/* One file's content as JSON members; the object is open. */
typedef bool
cli_inspect_fn(rift_json *j, rift_bytes bytes, cli_args *args, rift_report *report, rift_err *err);
cli_inspect_fn inspect_bin;
cli_inspect_fn inspect_glb;

#endif
