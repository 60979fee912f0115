/* convert.h - one job's conversion, as it runs on a pool thread: from the job's row to bytes that are safely stored, or to a failure that
 * says enough for a problem document.
 *
 * Thread  the loop fills the inputs, the worker alone holds it while `rift_conversion_run` runs, the loop takes it back. Shared meanwhile: the atomics of `control`. */
#ifndef RIFT_JOBS_CONVERT_H
#define RIFT_JOBS_CONVERT_H

#include "bake/bake.h"
#include "blob/blob.h"
#include "jobs/name_uses.h"
#include "mount/mount.h"
#include "store/hashes.h"
#include "store/store.h"

typedef bool rift_bake_fn(rift_bake_result *result,
                          const rift_bake_request *request,
                          rift_arena *out,
                          rift_arena *tmp,
                          rift_err *err);
typedef bool rift_describe_fn(rift_bytes *json,
                              rift_bake_result *result,
                              const rift_bake_request *request,
                              rift_arena *out,
                              rift_arena *tmp,
                              rift_err *err);

/* What every conversion needs. The daemon has one, which changes with the game; a conversion takes a copy. */
typedef struct rift_convert_env {
    rift_mount *mount; /* what the next two belong to; may be NULL (tests) */
    const rift_game *game;
    const rift_assets *assets;
    rift_blobs *blobs;
    const char *hashes_path; /* of hashes.db, which need not exist; names that files spell are noted there */
    uint64_t
        job_bytes; /* memory of one conversion; this and the next are the loop's alone, which may change them */
    uint64_t inline_bytes;
    rift_bake_fn *bake; /* rift_bake; tests put others here */
    rift_describe_fn *describe;
} rift_convert_env;

typedef enum rift_cancel_cause {
    RIFT_CANCEL_NONE,
    RIFT_CANCEL_TIME,    /* over the job's wall-clock limit */
    RIFT_CANCEL_SILENCE, /* no progress for too long */
    RIFT_CANCEL_CLIENT,  /* nobody wants it any more */
    RIFT_CANCEL_LOST,    /* its lease is another's: the end is of no interest */
    RIFT_CANCEL_DRAIN,   /* the daemon stops: queued again */
    RIFT_CANCEL_TORN,    /* the game's files were written to meanwhile: queued again */
    RIFT_CANCEL_ROOM     /* the disk has no room for the result: queued again */
} rift_cancel_cause;

typedef struct rift_conversion {
    /* in */
    rift_convert_env env; /* with a reference to its mount */
    rift_job_row job;     /* strings in `out` */
    rift_sha256 source;
    rift_bake_control *control;
    rift_hashpack *names;    /* may be NULL; counted */
    uint64_t inline_bytes;   /* as env had it when the conversion began: the loop may change it there */
    rift_cancel_cause cause; /* set by the loop after the run, before rift_conversion_judge */
    /* out */
    rift_arena out, tmp;
    rift_bake_result result;
    rift_err err;
    bool ok;
    bool torn;    /* not ok, whatever came out */
    bool no_room; /* not ok: the disk is full */
    rift_name_log names_used;
    rift_asset_log uses;      /* of files and of names */
    rift_job_output output;   /* with ok */
    rift_job_failure failure; /* without */
    uint64_t learnt;          /* names that were not known */
    int64_t phase_us[RIFT_STAGE_COUNT];
    struct {
        rift_stage stage;
        int64_t since_us;
    } phase;
} rift_conversion;

/* Init and release on the loop. `names` may be NULL; a reference is taken. */
void rift_conversion_init(rift_conversion *c,
                          const rift_convert_env *env,
                          const rift_job_row *job,
                          rift_hashpack *names);
void rift_conversion_run(rift_conversion *c);
/* Fills `failure` from err, stage and cause. On the loop. */
void rift_conversion_judge(rift_conversion *c);
void rift_conversion_release(rift_conversion *c);

/* How an error is told, whoever met it. */
typedef struct rift_verdict {
    const char *error_class; /* "input", "limit", "request", "system", "internal" */
    unsigned status;
    bool retry;     /* the daemon tries again by itself */
    bool retryable; /* a client may */
} rift_verdict;
/* at_lookup: what is missing is the thing asked for, not a file that it names. */
rift_verdict rift_judge(rift_status code, bool at_lookup);

/* "157036", or "yasuo/36" for a character without an id. */
rift_str rift_spec_text(const rift_job_spec *spec, rift_arena *arena);

#endif
