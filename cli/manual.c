/* The man page and the completion, printed from the tables of args.c. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

#include "base/str.h"

static bool takes(const cli_command *command, const char *flag)
{
    rift_str rest = rift_str_c(command->flags);
    rift_str name;
    while (rift_str_next(&rest, " ", &name)) {
        if (rift_str_eq(name, rift_str_c(flag)))
            return true;
    }
    return false;
}

static void man_page(void)
{
    printf(".TH RIFTBAKE 1 \"\" \"riftbake %s\"\n", RIFT_VERSION);
    printf(".SH NAME\nriftbake \\- League of Legends skins to GLB files\n");
    printf(".SH SYNOPSIS\n.B riftbake\n.I COMMAND\n[flags]\n");
    printf(".SH DESCRIPTION\nResults go to standard output or \\-o, messages to standard error. \"\\-\" is "
           "standard "
           "input or output.\n.SH COMMANDS\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        const cli_command *c = cli_command_at(i);
        printf(".SS riftbake %s %s\n%s.\n", c->name, c->operands, c->help);
        for (size_t k = 0; cli_flag_at(k) != NULL; k++) {
            const cli_flag *f = cli_flag_at(k);
            if (takes(c, f->name))
                printf(".TP\n.B \\-\\-%s %s\n%s\n", f->name, f->value ? f->value : "", f->help);
        }
    }
    printf(".SH CONVERSION OPTIONS\nTaken by bake, convert and batch.\n");
    for (size_t i = 0; rift_option_info_at(i) != NULL; i++) {
        const rift_option_info *o = rift_option_info_at(i);
        printf(".TP\n.B \\-\\-%s %s\n%s\n", o->name, o->values, o->help);
    }
    printf(".SH EXIT STATUS\n0 success, 1 a conversion failed, 2 wrong usage.\n");
    printf(".SH ENVIRONMENT\n.TP\n.B RIFT_GAME\nthe game folder, where \\-\\-game is not given\n");
    printf(".TP\n.B RIFT_SERVER\nthe daemon's URL, where \\-\\-server is not given\n.SH SEE "
           "ALSO\nriftbaked(8)\n");
}

static void completion(void)
{
    printf("_riftbake() {\n  local words\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words=\"");
    for (size_t i = 0; cli_command_at(i) != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", cli_command_at(i)->name);
    printf("\"\n  else\n    case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        const cli_command *c = cli_command_at(i);
        printf("      %s) words=\"--help", c->name);
        for (size_t k = 0; cli_flag_at(k) != NULL; k++) {
            if (takes(c, cli_flag_at(k)->name))
                printf(" --%s", cli_flag_at(k)->name);
        }
        for (size_t k = 0; c->takes_options && rift_option_info_at(k) != NULL; k++)
            printf(" --%s", rift_option_info_at(k)->name);
        printf("\" ;;\n");
    }
    printf("    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n");
    printf("complete -o default -F _riftbake riftbake\n");
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
