#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const cli_command *find(const char *name)
{
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        if (strcmp(cli_command_at(i)->name, name) == 0)
            return cli_command_at(i);
    }
    return NULL;
}

/* A closed descriptor 0-2 would be given to the next file opened, and results or messages would land in it. It is
 * taken here in the wrong direction instead, so that using it fails. */
static void guard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

static int run(const cli_command *command, int argc, char **argv)
{
    static cli_args args; /* too large for the stack */
    int code = CLI_USAGE;
    rift_arena_init(&args.arena, CLI_ARENA_LIMIT);
    if (cli_parse(&args, command, argc, argv)) {
        if (cli_has(&args, "help")) {
            cli_usage(stdout, command);
            code = CLI_OK;
        } else {
            code = command->run(&args);
        }
    }
    rift_arena_release(&args.arena);
    return code;
}

static int help(int argc, char **argv)
{
    const cli_command *command = argc > 2 ? find(argv[2]) : NULL;
    if (argc > 2 && command == NULL) {
        cli_say("riftbake: no command \"%s\"", argv[2]);
        return CLI_USAGE;
    }
    cli_usage(stdout, command);
    return CLI_OK;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cli_usage(stderr, NULL);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        printf("riftbake %s\n", RIFT_VERSION);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(argc, argv);
    const cli_command *command = find(argv[1]);
    if (command != NULL)
        return run(command, argc - 1, argv + 1);
    cli_say("riftbake: no command \"%s\"", argv[1]);
    cli_usage(stderr, NULL);
    return CLI_USAGE;
}

int main(int argc, char **argv)
{
    guard_descriptors();
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that left is a write error, told and counted as such */
    const int code = dispatch(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != CLI_OK)
        return code;
    perror("riftbake: stdout: write");
    return CLI_FAILED;
}
