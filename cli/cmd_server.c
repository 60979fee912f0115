/* submit, status and get: a daemon from the command line. */
#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <string.h>
#include <time.h>

#include "cli.h"

#include "base/str.h"

enum { ASK_TIMEOUT_S = 90, DOWNLOAD_TIMEOUT_S = 3600, LEAST_PAUSE_S = 1 };

/* ---- replies ---- */

typedef struct job {
    rift_str id;     /* digits */
    rift_str state;  /* "queued" … */
    rift_str phase;  /* may be empty */
    rift_str result; /* path of the GLB, or empty */
    rift_str detail; /* of a failure */
    int progress;
} job;

static rift_str text_of(const cJSON *object, const char *key, rift_arena *arena)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? rift_arena_copy_str(arena, rift_str_c(item->valuestring)) : (rift_str){0};
}

static bool read_job(cli_args *args, const cli_reply *reply, job *out, rift_err *err)
{
    cJSON *root = cJSON_ParseWithLength((const char *)reply->body.data, reply->body.size);
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(root, "id");
    const cJSON *progress = cJSON_GetObjectItemCaseSensitive(root, "progress");
    const bool ok = cJSON_IsNumber(id);
    if (ok) {
        *out =
            (job){.id = rift_arena_printf(&args->arena, "%.0f", id->valuedouble),
                  .state = text_of(root, "state", &args->arena),
                  .phase = text_of(root, "phase", &args->arena),
                  .result = text_of(cJSON_GetObjectItemCaseSensitive(root, "result"), "url", &args->arena),
                  .detail = text_of(cJSON_GetObjectItemCaseSensitive(root, "error"), "detail", &args->arena),
                  .progress = cJSON_IsNumber(progress) ? progress->valueint : 0};
    }
    cJSON_Delete(root);
    return (ok || rift_fail(err, RIFT_ERR_FORMAT, "reply", RIFT_NO_OFFSET, "is no job")) &&
           rift_arena_ok(&args->arena, "reply", err);
}

/* What the daemon says is wrong. */
static int complain(cli_args *args, const cli_reply *reply)
{
    cJSON *root = cJSON_ParseWithLength((const char *)reply->body.data, reply->body.size);
    const rift_str detail = text_of(root, "detail", &args->arena);
    cJSON_Delete(root);
    cli_say("riftbake %s: %ld: %.*s", args->command->name, reply->status,
            detail.size > 0 ? (int)detail.size : 9, detail.size > 0 ? detail.data : "no detail");
    return reply->status == 400 ? CLI_USAGE : CLI_FAILED;
}

static bool is_over(const job *j)
{
    return !rift_str_eq(j->state, RIFT_STR("queued")) && !rift_str_eq(j->state, RIFT_STR("running"));
}

/* ---- waiting ---- */

static void pause_for(unsigned seconds)
{
    const struct timespec pause = {.tv_sec = seconds > 0 ? seconds : LEAST_PAUSE_S};
    (void)nanosleep(&pause, NULL);
}

/* Asks until the job is over; the daemon holds each answer back for a second, or until then. A daemon that is not there for a moment, or busy, is asked again. */
static int wait_for(cli_args *args, job *j, cli_reply *reply, rift_str label, rift_err *err)
{
    enum { PATIENCE = 30 };
    const cli_call call = {.path = rift_arena_printf(&args->arena, "/v1/jobs/%.*s", RIFT_STR_ARG(j->id)),
                           .prefer = "Prefer: wait=1",
                           .timeout_s = ASK_TIMEOUT_S};
    for (unsigned missed = 0; !is_over(j);) {
        cli_progress_show(args, label, j->progress, j->phase.size > 0 ? j->phase : j->state);
        const bool ok = cli_request(args, &call, reply, err);
        if ((!ok || reply->status == 429 || reply->status == 503) && missed++ < PATIENCE) {
            pause_for(ok ? reply->retry_after_s : LEAST_PAUSE_S);
            continue;
        }
        cli_progress_clear(args);
        if (!ok)
            return cli_error(args, err);
        if (reply->status != 200)
            return complain(args, reply);
        if (!read_job(args, reply, j, err))
            return cli_error(args, err);
        missed = 0;
    }
    cli_progress_clear(args);
    return CLI_OK;
}

static int download(cli_args *args, rift_str path, rift_str label, rift_err *err)
{
    cli_reply reply;
    const cli_call call = {.path = path, .label = label, .timeout_s = DOWNLOAD_TIMEOUT_S};
    if (!cli_request(args, &call, &reply, err))
        return cli_error(args, err);
    if (reply.status != 200)
        return complain(args, &reply);
    if (!cli_write(cli_value(args, "output"), reply.body, err))
        return cli_error(args, err);
    cli_note(args, "%.*s: %zu bytes", RIFT_STR_ARG(label), reply.body.size);
    return CLI_OK;
}

/* ---- options ---- */

/* {"skin":"157036","options":{…}}; values as texts, as they were asked for: the server may have other defaults. */
static bool job_body(cli_args *args, const char *skin, rift_bytes *out, rift_err *err)
{
    rift_buf b;
    rift_json j;
    rift_str rest = rift_options_asked(&args->options, &args->arena);
    rift_str pair;
    rift_buf_init(&b, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &b);
    rift_json_object(&j);
    rift_json_put_cstr(&j, "skin", skin);
    rift_json_key(&j, "options");
    rift_json_object(&j);
    while (rift_str_next(&rest, "&", &pair)) {
        const char *equals = memchr(pair.data, '=', pair.size);
        const size_t at = equals != NULL ? (size_t)(equals - pair.data) : pair.size;
        const rift_str value = {pair.data + at + (equals != NULL), pair.size - at - (equals != NULL)};
        rift_json_key_str(&j, (rift_str){pair.data, at});
        if (value.size > 0 && value.data[0] == '{') {
            rift_json_raw(&j, value); /* a timeline */
        } else {
            rift_json_str(&j, value);
        }
    }
    rift_json_object_end(&j);
    rift_json_object_end(&j);
    *out = rift_buf_bytes(&b);
    return rift_buf_ok(&b, "request", err);
}

/* "?content=rig&…", or nothing. */
static rift_str query_of(cli_args *args)
{
    rift_buf b;
    rift_str rest = rift_options_asked(&args->options, &args->arena);
    rift_str pair;
    rift_buf_init(&b, &args->arena, CLI_MAX_FILE);
    while (rift_str_next(&rest, "&", &pair)) {
        const char *equals = memchr(pair.data, '=', pair.size);
        const size_t at = equals != NULL ? (size_t)(equals - pair.data) : pair.size - 1;
        char *value = curl_easy_escape(NULL, pair.data + at + 1, (int)(pair.size - at - 1));
        rift_buf_printf(&b, "%c%.*s=%s", b.size > 0 ? '&' : '?', (int)at, pair.data,
                        value != NULL ? value : "");
        curl_free(value);
    }
    return (rift_str){(const char *)b.data, b.size};
}

/* ---- commands ---- */

static bool print_reply(const cli_args *args, const cli_reply *reply, rift_err *err)
{
    return cli_print(args, reply->body, err);
}

/* What became of a job that is over. */
static int tell_end(cli_args *args, const job *j, const cli_reply *reply, rift_err *err)
{
    const bool done = rift_str_eq(j->state, RIFT_STR("done"));
    if (!done) {
        cli_say("riftbake %s: job %.*s: %.*s: %.*s", args->command->name, RIFT_STR_ARG(j->id),
                RIFT_STR_ARG(j->state), RIFT_STR_ARG(j->detail));
    }
    if ((cli_has(args, "json") || (done && cli_value(args, "output") == NULL)) &&
        !print_reply(args, reply, err))
        return cli_error(args, err);
    return done ? CLI_OK : CLI_FAILED;
}

int cmd_submit(cli_args *args)
{
    rift_err err;
    rift_bytes body;
    cli_reply reply;
    job j;
    const char *skin = cli_value(args, "skin");
    if (skin == NULL)
        return cli_misuse(args, "missing --skin");
    if (cli_has(args, "no-wait") && cli_has(args, "output"))
        return cli_misuse(args, "--no-wait ends before there is a GLB for -o: choose one");
    rift_err_in(&err, (rift_str){0});
    if (!job_body(args, skin, &body, &err) ||
        !cli_request(args,
                     &(cli_call){.path = RIFT_STR("/v1/jobs"), .json = body, .timeout_s = ASK_TIMEOUT_S},
                     &reply, &err))
        return cli_error(args, &err);
    if (reply.status != 200 && reply.status != 202)
        return complain(args, &reply);
    if (!read_job(args, &reply, &j, &err))
        return cli_error(args, &err);
    if (cli_has(args, "no-wait"))
        return print_reply(args, &reply, &err) ? CLI_OK : cli_error(args, &err);
    int code = wait_for(args, &j, &reply, rift_str_c(skin), &err);
    if (code == CLI_OK)
        code = tell_end(args, &j, &reply, &err);
    if (code == CLI_OK && cli_value(args, "output") != NULL)
        code = download(args, j.result, rift_str_c(skin), &err);
    return code;
}

int cmd_status(cli_args *args)
{
    rift_err err;
    cli_reply reply;
    uint64_t id = 0;
    if (args->operand_count > 1 ||
        (args->operand_count == 1 && !rift_str_u64(rift_str_c(args->operands[0]), INT64_MAX, &id)))
        return cli_misuse(args, "takes the number of one job, or none");
    const rift_str path = args->operand_count == 0
                              ? RIFT_STR("/v1/status")
                              : rift_arena_printf(&args->arena, "/v1/jobs/%llu", (unsigned long long)id);
    if (!cli_request(args, &(cli_call){.path = path, .timeout_s = ASK_TIMEOUT_S}, &reply, &err))
        return cli_error(args, &err);
    if (reply.status != 200)
        return complain(args, &reply);
    return print_reply(args, &reply, &err) ? CLI_OK : cli_error(args, &err);
}

/* patches [N [skins]] | scan | cancel N | resume N */
int cmd_patches(cli_args *args)
{
    rift_err err;
    cli_reply reply;
    uint64_t id = 0;
    const size_t n = args->operand_count;
    const rift_str first = n > 0 ? rift_str_c(args->operands[0]) : (rift_str){0};
    const rift_str second = n > 1 ? rift_str_c(args->operands[1]) : (rift_str){0};
    const bool scan = rift_str_eq(first, RIFT_STR("scan"));
    const bool changes = rift_str_eq(first, RIFT_STR("cancel")) || rift_str_eq(first, RIFT_STR("resume"));
    const bool is_sound =
        n == 0 || (n == 1 && scan) || (n == 2 && changes && rift_str_u64(second, INT64_MAX / 2, &id)) ||
        (n == 1 && rift_str_u64(first, INT64_MAX / 2, &id)) ||
        (n == 2 && rift_str_eq(second, RIFT_STR("skins")) && rift_str_u64(first, INT64_MAX / 2, &id));
    if (!is_sound) {
        return cli_misuse(args, "takes nothing, a patch, a patch and \"skins\", \"scan\", or \"cancel\" or "
                                "\"resume\" and a patch");
    }
    cli_call call = {.path = RIFT_STR("/v1/patches"), .timeout_s = ASK_TIMEOUT_S};
    if (scan) {
        call.path = RIFT_STR("/v1/patches:scan");
    } else if (n > 0) {
        const rift_str verb = changes ? first : second;
        call.path = rift_arena_printf(&args->arena, "/v1/patches/%llu%s%.*s", (unsigned long long)id,
                                      verb.size > 0 ? "/" : "", RIFT_STR_ARG(verb));
    }
    if (scan || changes)
        call.json = (rift_bytes){(const uint8_t *)"{}", 2};
    if (!cli_request(args, &call, &reply, &err))
        return cli_error(args, &err);
    if (reply.status != 200 && reply.status != 202)
        return complain(args, &reply);
    return print_reply(args, &reply, &err) ? CLI_OK : cli_error(args, &err);
}

int cmd_get(cli_args *args)
{
    rift_err err;
    cli_reply reply;
    job j;
    const char *skin = cli_value(args, "skin");
    if (skin == NULL)
        return cli_misuse(args, "missing --skin");
    if (!cli_check_output(args))
        return CLI_USAGE;
    const rift_str label = rift_str_c(skin);
    const rift_str query = query_of(args);
    const cli_call call = {
        .path = rift_arena_printf(&args->arena, "/v1/skins/%s.glb%.*s", skin, RIFT_STR_ARG(query)),
        .prefer = "Prefer: respond-async",
        .label = label,
        .timeout_s = DOWNLOAD_TIMEOUT_S};
    if (!cli_request(args, &call, &reply, &err))
        return cli_error(args, &err);
    if (reply.status == 202) {
        if (!read_job(args, &reply, &j, &err))
            return cli_error(args, &err);
        const int code = wait_for(args, &j, &reply, label, &err);
        if (code != CLI_OK)
            return code;
        return rift_str_eq(j.state, RIFT_STR("done")) ? download(args, j.result, label, &err)
                                                      : tell_end(args, &j, &reply, &err);
    }
    if (reply.status != 200)
        return complain(args, &reply);
    if (!cli_write(cli_value(args, "output"), reply.body, &err))
        return cli_error(args, &err);
    cli_note(args, "%s: %zu bytes", skin, reply.body.size);
    return CLI_OK;
}

int cmd_health(cli_args *args)
{
    enum { TIMEOUT_S = 5 };
    rift_err err;
    cli_reply reply;
    const cli_call call = {.path = RIFT_STR("/livez"), .timeout_s = TIMEOUT_S};
    if (!cli_request(args, &call, &reply, &err)) {
        cli_note(args, "%s/livez: %s", err.file, err.text);
        return CLI_FAILED;
    }
    rift_err_in(&err, (rift_str){0});
    cli_note(args, "/livez: %ld", reply.status);
    return reply.status == 200 ? CLI_OK : CLI_FAILED;
}
