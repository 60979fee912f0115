#include "patches/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "body/counts.h"
#include "log/log.h"

enum {
    WAIT_MS = 600 * 1000, /* for one answer; it is asked again after that */
    RETRY_MS = 1000,
    ARENA_BYTES = 64 * 1024 * 1024,
};

typedef enum phase { PHASE_IDLE, PHASE_READING, PHASE_ASKING, PHASE_SAVING } phase;

struct rift_sweep {
    rift_sweep_config config;
    phase phase;
    int64_t patch;      /* that is swept, or will be */
    int64_t skin_patch; /* of `skin` */
    bool stopped, halted;
    unsigned notes; /* under way */
    uv_timer_t timer;
    rift_lane_op op;
    rift_arena arena; /* of one skin */
    bool found, patch_is_halted, patch_is_cancelled;
    bool listed; /* skin is a row of the list; else one that was never made */
    rift_patch_skin skin;
    rift_job_spec spec;
    int64_t began_ms;
    char why[160];           /* the halt */
    size_t champion, number; /* where `all` stands */
};

static void pump(rift_sweep *s);

static void on_timer(uv_timer_t *timer)
{
    pump(timer->data);
}

static void go_on_later(rift_sweep *s, int64_t ms)
{
    s->phase = PHASE_IDLE;
    rift_arena_release(&s->arena);
    if (!s->stopped)
        (void)uv_timer_start(&s->timer, on_timer, (uint64_t)ms, 0);
}

/* ---- the end of one ---- */

/* A failure that is no news says nothing of this patch. */
static bool halts(const rift_patch_skin *skin)
{
    return skin->canary &&
           ((skin->state == RIFT_SWEEP_FAILED && !skin->failed_before) || skin->warnings.size > 0);
}

/* Fills in what the store knows of the end, and notes it. */
static bool note_end(rift_index *index,
                     rift_store *store,
                     int64_t patch,
                     rift_patch_skin *skin,
                     rift_arena *arena,
                     rift_err *err)
{
    rift_str now = {0}, before = {0};
    rift_artifact_row made;
    bool found = false;
    if (skin->has_after && (!rift_store_report_of(store, &skin->after, &now, arena, err) ||
                            !rift_store_report_of(store, &skin->before, &before, arena, err) ||
                            !rift_store_artifact(store, &skin->after, false, &found, &made, arena, err)))
        return false;
    skin->bytes = found ? made.size : 0;
    if (!rift_report_count_in(now, "unsupported", &skin->unsupported))
        skin->unsupported = 0;
    skin->variants =
        skin->has_after ? rift_report_unsupported_in(now, arena) : rift_error_unsupported(skin->error, arena);
    skin->warnings = rift_report_gained(now, before, arena);
    return rift_arena_ok(arena, "sweep", err) && rift_index_end_skin(index, patch, skin, err) &&
           (!halts(skin) ||
            rift_index_halt(index, patch,
                            rift_arena_printf(arena, "canary %.*s/%u: %.*s%.*s",
                                              RIFT_STR_ARG(skin->spec.alias), skin->spec.number,
                                              RIFT_STR_ARG(skin->error), RIFT_STR_ARG(skin->warnings)),
                            err));
}

static void halt(rift_sweep *s, const rift_patch_skin *skin)
{
    s->halted = true;
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_ERROR, "the sweep is halted by a canary");
    rift_log_str(&log, "alias", skin->spec.alias);
    rift_log_int(&log, "number", skin->spec.number);
    rift_log_str(&log, "error", skin->error);
    rift_log_str(&log, "warnings", skin->warnings);
    rift_log_end(&log);
}

static bool work_save(rift_lane_op *op, rift_store *store, rift_err *err)
{
    rift_sweep *s = RIFT_OP_OWNER(op, rift_sweep, op);
    if (s->listed)
        return note_end(s->config.index, store, s->skin_patch, &s->skin, &s->arena, err);
    s->skin.variants = rift_error_unsupported(s->skin.error, &s->arena);
    return rift_arena_ok(&s->arena, "sweep", err) &&
           rift_index_add_failed(s->config.index, s->skin_patch, &s->skin, err);
}

static void done_save(rift_lane_op *op)
{
    rift_sweep *s = RIFT_OP_OWNER(op, rift_sweep, op);
    if (!op->ok) {
        rift_log_failure("the end of a stale skin was not noted", &op->err);
        go_on_later(s, RETRY_MS); /* asked again, and answered at once */
        return;
    }
    if (halts(&s->skin))
        halt(s, &s->skin);
    go_on_later(s, s->config.pause_ms);
}

static void save(rift_sweep *s)
{
    if (!s->listed && s->skin.state != RIFT_SWEEP_FAILED) {
        go_on_later(s, s->config.pause_ms);
        return;
    }
    s->phase = PHASE_SAVING;
    s->op.work = work_save;
    s->op.done = done_save;
    rift_lane_submit(s->config.writer, &s->op);
}

/* ---- ends of jobs that the sweep did not ask for ---- */

typedef struct note {
    rift_sweep *sweep;
    rift_lane_op op;
    rift_arena arena;
    int64_t patch;
    rift_job_row row; /* texts in arena */
} note;

/* A canary that waits is the sweep's own, which asks for it and judges it, unless there is none. */
static bool is_left_to_others(const rift_sweep *s, const rift_patch_skin *skin)
{
    return skin->state == RIFT_SWEEP_FAILED || skin->state == RIFT_SWEEP_GIVEN_UP ||
           (skin->state == RIFT_SWEEP_WAITING && (s->config.mode == RIFT_SWEEP_OFF || !skin->canary));
}

static bool work_note(rift_lane_op *op, rift_store *store, rift_err *err)
{
    note *n = RIFT_OP_OWNER(op, note, op);
    const rift_job_row *row = &n->row;
    rift_index *index = n->sweep->config.index;
    rift_patch_skin skin;
    bool found;
    if (!rift_index_find_skin(index, n->patch, &row->spec, &found, &skin, &n->arena, err))
        return false;
    if (!found || !is_left_to_others(n->sweep, &skin))
        return true;
    skin.state = row->state == RIFT_JOB_DONE ? RIFT_SWEEP_MADE : RIFT_SWEEP_FAILED;
    skin.job = row->id;
    skin.has_after = row->state == RIFT_JOB_DONE;
    skin.after = row->sha256;
    skin.error = row->error;
    skin.ended_ms = row->finished;
    skin.took_ms = row->finished - row->started;
    skin.canary = false; /* halts no sweep: none is to judge it */
    return note_end(index, store, n->patch, &skin, &n->arena, err);
}

static void done_note(rift_lane_op *op)
{
    note *n = RIFT_OP_OWNER(op, note, op);
    if (!op->ok)
        rift_log_failure("the end of a stale skin was not noted", &op->err);
    n->sweep->notes--;
    rift_arena_release(&n->arena);
    free(n);
}

static bool is_asked(const rift_sweep *s, const rift_job_spec *spec)
{
    return s->phase == PHASE_ASKING && rift_str_eq(s->skin.spec.alias, spec->alias) &&
           s->skin.spec.number == spec->number && rift_str_eq(s->skin.spec.options, spec->options);
}

/* Made from the game and the names of now. */
static bool is_of_now(const rift_sweep *s, const rift_job_spec *spec, rift_arena *arena)
{
    const rift_skin_ref ref = {.id = spec->skin, .alias = spec->alias, .number = spec->number};
    const rift_job_spec now = rift_jobs_spec(s->config.jobs, &ref, spec->options, arena);
    return memcmp(now.key.bytes, spec->key.bytes, sizeof now.key.bytes) == 0;
}

static void on_step(void *user, const rift_job_view *view)
{
    rift_sweep *s = user;
    const rift_job_row *row = view->row;
    const bool ended =
        row->state == RIFT_JOB_DONE || row->state == RIFT_JOB_FAILED || row->state == RIFT_JOB_DEAD;
    note *n = ended && s->patch != 0 && !is_asked(s, &row->spec) ? calloc(1, sizeof *n) : NULL;
    if (n == NULL)
        return; /* without memory the report tells less */
    rift_arena_init(&n->arena, ARENA_BYTES);
    n->sweep = s;
    n->patch = s->patch;
    n->row = *row;
    n->row.spec.alias = rift_arena_copy_str(&n->arena, row->spec.alias);
    n->row.spec.options = rift_arena_copy_str(&n->arena, row->spec.options);
    n->row.error = rift_arena_copy_str(&n->arena, row->error);
    if (!is_of_now(s, &row->spec, &n->arena) || n->arena.failed != RIFT_OK) {
        rift_arena_release(&n->arena);
        free(n);
        return;
    }
    s->notes++;
    n->op.work = work_note;
    n->op.done = done_note;
    rift_lane_submit(s->config.writer, &n->op);
}

/* ---- asking ---- */

static void on_answer(void *user, const rift_answer *answer)
{
    rift_sweep *s = user;
    const rift_job_row *row = answer->job.row;
    s->skin.ended_ms = rift_now_ms();
    s->skin.took_ms = s->skin.ended_ms - s->began_ms;
    switch (answer->kind) {
    case RIFT_ANSWER_DONE:
        s->skin.state = RIFT_SWEEP_MADE;
        s->skin.job = row->id;
        s->skin.has_after = true;
        s->skin.after = row->sha256;
        save(s);
        break;
    case RIFT_ANSWER_FAILED:
        s->skin.state = RIFT_SWEEP_FAILED;
        s->skin.job = row->id;
        s->skin.error = rift_arena_copy_str(&s->arena, row->error);
        save(s);
        break;
    case RIFT_ANSWER_CANCELLED:
        s->skin.state = RIFT_SWEEP_GIVEN_UP;
        save(s);
        break;
    case RIFT_ANSWER_ACCEPTED:
    case RIFT_ANSWER_BUSY:
    case RIFT_ANSWER_FULL:
    case RIFT_ANSWER_DRAINING:
    case RIFT_ANSWER_ERROR:
        go_on_later(s, RETRY_MS);
        break;
    }
}

static void ask(rift_sweep *s)
{
    s->phase = PHASE_ASKING;
    s->began_ms = rift_now_ms();
    const rift_skin_ref ref = {
        .id = s->skin.spec.skin, .alias = s->skin.spec.alias, .number = s->skin.spec.number};
    s->spec = rift_jobs_spec(s->config.jobs, &ref, s->skin.spec.options, &s->arena);
    s->spec.priority = RIFT_JOB_PRIORITY_SWEEP;
    if (s->arena.failed != RIFT_OK) {
        go_on_later(s, RETRY_MS);
        return;
    }
    rift_jobs_ask(s->config.jobs, &s->spec, WAIT_MS, on_answer, s);
}

/* Skins that were never made, from where it stands on; found ones that exist are answered at once. */
static bool next_of_all(rift_sweep *s)
{
    const rift_game *game = s->config.env->game;
    while (s->config.mode == RIFT_SWEEP_ALL && s->champion < game->champion_count) {
        const rift_champion *c = &game->champions[s->champion];
        if (s->number < c->skin_count) {
            const uint32_t number = c->skins[s->number++];
            s->skin = (rift_patch_skin){.reason = RIFT_STALE_NEVER};
            s->skin.spec = (rift_job_spec){.skin = c->id * 1000 + number,
                                           .alias = rift_arena_copy_str(&s->arena, c->alias),
                                           .number = number,
                                           .options = rift_arena_copy_str(&s->arena, s->config.defaults)};
            return true;
        }
        s->champion++;
        s->number = 0;
    }
    return false;
}

static bool work_next(rift_lane_op *op, rift_store *store, rift_err *err)
{
    (void)store;
    rift_sweep *s = RIFT_OP_OWNER(op, rift_sweep, op);
    rift_patch *patches;
    size_t count = 0;
    if (!rift_index_patches(s->config.index, s->skin_patch + 1, 1, &patches, &count, &s->arena, err))
        return false;
    s->patch_is_halted = count > 0 && patches[0].halted.size > 0;
    s->patch_is_cancelled = count > 0 && patches[0].cancelled;
    return rift_index_next_skin(s->config.index, s->skin_patch, &s->found, &s->skin, &s->arena, err);
}

static void done_next(rift_lane_op *op)
{
    rift_sweep *s = RIFT_OP_OWNER(op, rift_sweep, op);
    if (!op->ok) {
        rift_log_failure("the list of stale skins cannot be read", &op->err);
        go_on_later(s, RETRY_MS);
        return;
    }
    s->halted = s->patch_is_halted;
    if (s->stopped || s->halted || s->skin_patch != s->patch) {
        const bool other = s->skin_patch != s->patch;
        go_on_later(s, 0);
        if (!other)
            (void)uv_timer_stop(&s->timer);
        return;
    }
    s->listed = s->found;
    if (s->found || (!s->patch_is_cancelled && next_of_all(s))) {
        ask(s);
        return;
    }
    s->phase = PHASE_IDLE;
    rift_arena_release(&s->arena);
}

static void pump(rift_sweep *s)
{
    if (s->phase != PHASE_IDLE || s->stopped || s->patch == 0 || s->config.mode == RIFT_SWEEP_OFF)
        return;
    s->phase = PHASE_READING;
    s->skin_patch = s->patch;
    rift_arena_init(&s->arena, ARENA_BYTES);
    s->op.work = work_next;
    s->op.done = done_next;
    rift_lane_submit(s->config.writer, &s->op);
}

/* ---- life ---- */

bool rift_sweep_open(rift_sweep **out, const rift_sweep_config *config, rift_err *err)
{
    rift_sweep *s = calloc(1, sizeof *s);
    if (s == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "sweep", RIFT_NO_OFFSET, "out of memory");
    s->config = *config;
    const int code = uv_timer_init(config->loop, &s->timer);
    RIFT_ASSERT(code == 0);
    s->timer.data = s;
    rift_jobs_listen(config->jobs, on_step, s);
    *out = s;
    return true;
}

void rift_sweep_begin(rift_sweep *sweep, int64_t patch)
{
    if (patch != sweep->patch)
        sweep->champion = sweep->number = 0;
    sweep->patch = patch;
    pump(sweep);
}

void rift_sweep_resume(rift_sweep *sweep)
{
    pump(sweep);
}

void rift_sweep_set_defaults(rift_sweep *sweep, rift_str defaults)
{
    sweep->config.defaults = defaults;
    sweep->champion = sweep->number = 0;
    pump(sweep);
}

bool rift_sweep_is_halted(const rift_sweep *sweep)
{
    return sweep->halted;
}

void rift_sweep_stop(rift_sweep *sweep)
{
    sweep->stopped = true;
    (void)uv_timer_stop(&sweep->timer);
}

bool rift_sweep_is_idle(const rift_sweep *sweep)
{
    return sweep->notes == 0 && (sweep->phase == PHASE_IDLE || sweep->phase == PHASE_ASKING);
}

static void on_closed(uv_handle_t *handle)
{
    rift_sweep *s = handle->data;
    rift_arena_release(&s->arena);
    free(s);
}

void rift_sweep_close(rift_sweep *sweep)
{
    if (sweep != NULL)
        uv_close((uv_handle_t *)&sweep->timer, on_closed);
}
