/* layers: vector files of the layer engine, and the timeline of --layers. */
#include <string.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "timeline/timeline.h"
#include "timeline/vectors.h"

enum { LINES_MAX = 64 * 1024 * 1024 };

static bool check(cli_args *args, const char *path, rift_vectors_result *out, rift_err *err)
{
    rift_bytes json;
    rift_buf lines;
    rift_arena text;
    rift_err_in(err, rift_str_base(rift_str_c(path)));
    rift_arena_init(&text, LINES_MAX);
    rift_buf_init(&lines, &text, LINES_MAX);
    const bool ok = rift_file_read(path, RIFT_VECTORS_MAX_BYTES, &args->arena, &json, err) &&
                    rift_vectors_run(out, &lines, json, &args->arena, err) &&
                    cli_write("-", rift_buf_bytes(&lines), err);
    rift_arena_release(&text);
    return ok;
}

int cmd_layers(cli_args *args)
{
    rift_err err;
    rift_vectors_result result;
    if (args->operand_count > 0 && strcmp(args->operands[0], "check") != 0)
        return cli_misuse(args, "no verb \"%s\", only check", args->operands[0]);
    if (args->operand_count != 2)
        return cli_misuse(args, "check takes one vector file: riftbake layers check FILE");
    rift_err_in(&err, (rift_str){0});
    if (!check(args, args->operands[1], &result, &err)) {
        (void)cli_error(args, &err);
        return CLI_FAILED; /* also where the file is no vector file */
    }
    cli_note(args, "%zu of %zu ok", result.case_count - result.failed_count, result.case_count);
    return result.failed_count > 0 ? CLI_FAILED : CLI_OK;
}

/* "none", "auto…" and JSON stand for themselves, everything else is a file. */
bool cli_take_layers(cli_args *args, const char *value, rift_err *err)
{
    const rift_str text = rift_str_c(value);
    if (rift_str_eq(text, RIFT_STR("none")) || rift_str_eq(text, RIFT_STR("auto")) ||
        rift_str_starts_nocase(text, RIFT_STR("auto:")) || value[0] == '{')
        return rift_timeline_option(&args->options, text, &args->arena, err);
    rift_bytes json;
    rift_err_in(err, rift_str_base(text));
    if (!rift_file_read(value, RIFT_TIMELINE_MAX_BYTES, &args->arena, &json, err)) {
        if (err->code != RIFT_ERR_NOT_FOUND)
            return false;
        rift_err_in(err, (rift_str){0});
        return rift_fail(err, RIFT_ERR_ARGUMENT, "", RIFT_NO_OFFSET,
                         "\"%.80s\" is neither none, auto, auto:CLIP,…, a timeline's JSON, nor a file",
                         value);
    }
    return rift_timeline_option(&args->options, (rift_str){(const char *)json.data, json.size}, &args->arena,
                                err);
}
