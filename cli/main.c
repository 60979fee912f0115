#include <stdio.h>
#include <string.h>

#include "cli.h"

static const cli_command *find(const char *name)
{
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        if (strcmp(cli_command_at(i)->name, name) == 0)
            return cli_command_at(i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        cli_usage(NULL);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        printf("riftbake %s\n", RIFT_VERSION);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        cli_usage(argc > 2 ? find(argv[2]) : NULL);
        return CLI_OK;
    }
    const cli_command *command = find(argv[1]);
    if (command == NULL) {
        (void)fprintf(stderr, "riftbake: no command \"%s\"\n", argv[1]);
        cli_usage(NULL);
        return CLI_USAGE;
    }
    static cli_args args; /* too large for the stack */
    rift_arena_init(&args.arena, CLI_ARENA_LIMIT);
    int code = CLI_USAGE;
    if (cli_parse(&args, command, argc - 1, argv + 1)) {
        if (cli_has(&args, "help")) {
            cli_usage(command);
            code = CLI_OK;
        } else {
            code = command->run(&args);
        }
    }
    rift_arena_release(&args.arena);
    return code;
}
