#include "jobs/convert.h"

#include <string.h>
#include <time.h>

#include "base/str.h"
#include "body/body.h"
#include "game/discover.h"
#include "game/features.h"
#include "log/log.h"

enum { JSON_MAX = 16 * 1024 * 1024, LEARN_BYTES = 256 * 1024 * 1024 };

rift_str rift_spec_text(const rift_job_spec *spec, rift_arena *arena)
{
    if (spec->skin != 0)
        return rift_arena_printf(arena, "%u", spec->skin);
    return rift_arena_printf(arena, "%.*s/%u", RIFT_STR_ARG(spec->alias), spec->number);
}

void rift_conversion_init(rift_conversion *c,
                          const rift_convert_env *env,
                          const rift_job_row *job,
                          rift_hashpack *names)
{
    *c = (rift_conversion){
        .env = *env, .job = *job, .names = rift_hashpack_ref(names), .inline_bytes = env->inline_bytes};
    (void)rift_mount_ref(env->mount);
    rift_err_in(&c->err, (rift_str){0});
    /* The result is small beside what is unpacked and decoded on the way. */
    rift_arena_init(&c->out, (size_t)(env->job_bytes / 2));
    rift_arena_init(&c->tmp, (size_t)(env->job_bytes - env->job_bytes / 2));
    c->job.spec.alias = rift_arena_copy_str(&c->out, job->spec.alias);
    c->job.spec.options = rift_arena_copy_str(&c->out, job->spec.options);
}

void rift_conversion_release(rift_conversion *c)
{
    rift_arena_release(&c->out);
    rift_arena_release(&c->tmp);
    rift_mount_unref(c->env.mount);
    c->env.mount = NULL;
    rift_hashpack_unref(c->names);
    c->names = NULL;
}

/* ---- learning: each file that is read may spell names ---- */

typedef struct learner {
    const rift_convert_env *env;
    const rift_names *names; /* may be NULL */
    rift_arena arena;
    rift_discovered found;
    rift_features features;
} learner;

/* What the tables know already is dropped at once, which leaves little. */
static void discover(learner *l, rift_bytes file)
{
    rift_arena tmp;
    rift_str known;
    const size_t before = l->found.count;
    size_t kept = before;
    rift_arena_init(&tmp, LEARN_BYTES);
    rift_discover(&l->found, file, l->env->game, &l->arena, &tmp);
    for (size_t i = before; i < l->found.count; i++) {
        const rift_named_hash *n = &l->found.names[i];
        const bool is_new =
            l->names == NULL || !l->names->lookup(l->names->user, n->table, n->hash, &tmp, &known);
        if (is_new)
            l->found.names[kept++] = *n;
    }
    l->found.count = kept;
    rift_arena_release(&tmp);
}

static bool read_and_learn(void *user,
                           const rift_asset_path *path,
                           rift_arena *arena,
                           rift_bytes *out,
                           rift_asset_use *use,
                           rift_err *err)
{
    learner *l = user;
    if (!l->env->assets->read(l->env->assets->user, path, arena, out, use, err))
        return false;
    l->features |= rift_features_of(*out);
    discover(l, *out);
    return true;
}

/* A convenience: that it failed is told, and changes nothing. */
static void keep_names(rift_conversion *c, const learner *l)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (l->found.count > 0 &&
        !rift_hashdb_learn(c->env.hashes_path, l->found.names, l->found.count, &c->learnt, &err))
        rift_log_failure("names were not noted", &err);
}

/* ---- on the pool ---- */

static bool bake(rift_conversion *c, const rift_assets *assets, const rift_names *names)
{
    rift_skin_ref skin;
    rift_bake_request request = {.skin = &skin, .assets = assets, .names = names, .control = c->control};
    c->result.stage = RIFT_STAGE_LOOKUP;
    const rift_str name = rift_spec_text(&c->job.spec, &c->out);
    /* A name or options that found no memory are empty, not wrong. */
    return rift_arena_ok(&c->out, "job", &c->err) &&
           rift_game_find_skin(c->env.game, name, &c->out, &skin, &c->err) &&
           rift_options_parse(&request.options, c->job.spec.options, &c->out, &c->err) &&
           c->env.bake(&c->result, &request, &c->out, &c->tmp, &c->err);
}

static rift_str report_text(rift_conversion *c)
{
    rift_buf b;
    rift_json j;
    rift_buf_init(&b, &c->out, JSON_MAX);
    rift_json_init(&j, &b);
    rift_json_object(&j);
    rift_bake_result_json(&j, &c->result);
    rift_json_object_end(&j);
    const rift_bytes text = rift_buf_bytes(&b);
    return b.failed ? (rift_str){0} : (rift_str){(const char *)text.data, text.size};
}

static bool fingerprint(rift_conversion *c)
{
    rift_options options;
    const rift_str skin =
        rift_arena_printf(&c->out, "%.*s/%u", RIFT_STR_ARG(c->job.spec.alias), c->job.spec.number);
    return rift_options_parse(&options, c->job.spec.options, &c->out, &c->err) &&
           rift_fingerprint(&c->output.fingerprint, skin, &options, &c->uses, &c->out, &c->err);
}

/* Bytes of two states of the game may have come together, whether that was noticed or not. */
static bool is_whole(rift_conversion *c)
{
    c->torn = c->env.mount != NULL && !rift_mount_is_intact(c->env.mount);
    if (!c->torn)
        return c->ok;
    rift_err_in(&c->err, (rift_str){0});
    return rift_fail(&c->err, RIFT_ERR_CANCELLED, "game folder", RIFT_NO_OFFSET,
                     "an archive was written to during the conversion");
}

static bool add_uses(rift_conversion *c, const rift_asset_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        rift_asset_log_add(&c->uses, &log->uses[i]);
    return rift_arena_ok(&c->out, "uses", &c->err);
}

/* Of a disk that is full the conversion is told as of a reason to stop: nothing is wrong with it. */
static bool put_blob(rift_conversion *c)
{
    if (rift_blob_put(c->env.blobs, &c->output.sha256, c->result.glb, &c->err))
        return true;
    c->no_room = c->err.code == RIFT_ERR_LIMIT;
    if (!c->no_room)
        return false;
    rift_err_in(&c->err, (rift_str){0});
    return rift_fail(&c->err, RIFT_ERR_CANCELLED, "disk", RIFT_NO_OFFSET, "there is no room for %zu bytes",
                     c->result.glb.size);
}

/* The bytes are on disk, under their own name, before any row speaks of them. */
static bool keep(rift_conversion *c)
{
    c->output.source = c->source;
    c->output.size = c->result.glb.size;
    c->output.sha256 = rift_sha256_of(c->result.glb);
    c->output.uses = &c->uses;
    c->output.is_inline = c->result.glb.size <= c->inline_bytes;
    if (c->output.is_inline)
        c->output.inline_data = c->result.glb;
    rift_asset_log_init(&c->uses, &c->out);
    return add_uses(c, &c->result.uses) && add_uses(c, &c->names_used.uses) && fingerprint(c) &&
           (c->output.is_inline || put_blob(c));
}

static int64_t clock_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void on_stage(void *user, rift_stage stage)
{
    rift_conversion *c = user;
    const int64_t now = clock_us();
    c->phase_us[c->phase.stage] += now - c->phase.since_us;
    c->phase.stage = stage;
    c->phase.since_us = now;
}

void rift_conversion_run(rift_conversion *c)
{
    c->phase.since_us = clock_us();
    if (c->control != NULL) {
        c->control->entered = on_stage;
        c->control->user = c;
    }
    rift_names names = {0};
    if (c->names != NULL)
        names = rift_hashpack_names(c->names);
    learner l = {.env = &c->env, .names = c->names != NULL ? &names : NULL};
    const rift_assets assets = {.user = &l, .read = read_and_learn};
    rift_arena_init(&l.arena, LEARN_BYTES);
    c->names_used.tables = l.names;
    rift_asset_log_init(&c->names_used.uses, &c->out);
    const rift_names noted = rift_name_log_names(&c->names_used);
    c->ok = bake(c, &assets, &noted);
    c->output.features = l.features;
    /* Scratch may be large, and other conversions want the memory. */
    rift_arena_release(&c->tmp);
    c->ok = is_whole(c) && keep(c);
    on_stage(c, c->phase.stage);
    c->output.report = report_text(c);
    if (c->ok)
        keep_names(c, &l);
    rift_arena_release(&l.arena);
}

/* ---- failures ---- */

rift_verdict rift_judge(rift_status code, bool at_lookup)
{
    switch (code) {
    case RIFT_ERR_NOT_FOUND:
        /* The skin itself, or a file that it names. */
        return (rift_verdict){"input", at_lookup ? 404 : 422, false, false};
    case RIFT_ERR_TRUNCATED:
    case RIFT_ERR_FORMAT:
    case RIFT_ERR_UNSUPPORTED:
        return (rift_verdict){"input", 422, false, false};
    case RIFT_ERR_LIMIT:
        return (rift_verdict){"limit", 422, false, false};
    case RIFT_ERR_ARGUMENT:
        return (rift_verdict){"request", 400, false, false};
    case RIFT_ERR_CANCELLED:
        return (rift_verdict){"limit", 503, false, true};
    case RIFT_ERR_NOMEM:
        return (rift_verdict){"system", 503, true, true};
    case RIFT_ERR_IO:
        return (rift_verdict){"system", 500, true, true};
    case RIFT_ERR_INTERNAL:
    case RIFT_OK:
        break;
    }
    return (rift_verdict){"internal", 500, false, false};
}

static const char *code_word(const rift_conversion *c, char *buf, size_t size)
{
    if (c->err.code == RIFT_ERR_CANCELLED && c->cause == RIFT_CANCEL_TIME)
        return "job_time";
    if (c->err.code == RIFT_ERR_CANCELLED && c->cause == RIFT_CANCEL_SILENCE)
        return "job_silent";
    const rift_str name = rift_str_c(rift_status_name(c->err.code));
    size_t n = 0;
    for (; n < name.size && n + 1 < size; n++)
        buf[n] = rift_lower(name.data[n]);
    buf[n] = '\0';
    return buf;
}

void rift_conversion_judge(rift_conversion *c)
{
    const rift_verdict v = rift_judge(c->err.code, c->result.stage == RIFT_STAGE_LOOKUP);
    char word[32];
    rift_buf b;
    rift_json j;
    rift_buf_init(&b, &c->out, JSON_MAX);
    rift_json_init(&j, &b);
    rift_json_object(&j);
    rift_json_put_cstr(&j, "detail", c->err.text);
    rift_json_put_cstr(&j, "code", code_word(c, word, sizeof word));
    rift_json_put_cstr(&j, "stage", rift_stage_word(c->result.stage));
    if (c->err.file[0] != '\0')
        rift_json_put_cstr(&j, "file", c->err.file);
    if (c->err.where[0] != '\0')
        rift_json_put_cstr(&j, "where", c->err.where);
    if (c->err.offset != RIFT_NO_OFFSET)
        rift_json_put_uint(&j, "offset", c->err.offset);
    rift_json_put_bool(&j, "retryable", v.retryable);
    rift_json_object_end(&j);
    const rift_bytes text = rift_buf_bytes(&b);
    c->failure = (rift_job_failure){.error_class = rift_str_c(v.error_class),
                                    .status = v.status,
                                    .report = c->output.report,
                                    .retry = v.retry};
    /* When memory is out, the class alone must do. */
    c->failure.error = b.failed
                           ? RIFT_STR("{\"code\":\"nomem\",\"detail\":\"out of memory\",\"retryable\":true}")
                           : (rift_str){(const char *)text.data, text.size};
}
