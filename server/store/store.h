/* store.h - jobs, artifacts and what they were made from, in one SQLite file.
 *
 * Shape   one rift_store is one connection: one writer per process (rift_store_begin … commit around its calls), readers beside it.
 *         Times are milliseconds since 1970, given by the caller, so that tests own the clock.
 * Errors  IO, UNSUPPORTED (newer file), NOMEM. "Not there" is no error: the result says so.
 * Memory  strings and bytes of results lie in the arena given.
 * Thread  one at a time per store. */
#ifndef RIFT_STORE_STORE_H
#define RIFT_STORE_STORE_H

#include "base/arena.h"
#include "game/assets.h"
#include "hash/hash.h"

typedef struct rift_store rift_store;

typedef enum rift_job_state {
    RIFT_JOB_QUEUED,
    RIFT_JOB_RUNNING,
    RIFT_JOB_DONE,
    RIFT_JOB_FAILED,
    RIFT_JOB_DEAD, /* took the daemon down, or failed for the system's reasons, as often as is allowed */
    RIFT_JOB_CANCELLED
} rift_job_state;
const char *rift_job_state_word(rift_job_state state); /* "queued" … */

/* Starts before it counts as dead. */
#define RIFT_JOB_MAX_ATTEMPTS 3
#define RIFT_JOB_PRIORITY_INTERACTIVE 10

/* What is asked for; the key is what makes two requests the same. */
typedef struct rift_job_spec {
    rift_sha256 key;
    uint32_t skin; /* 0: known by alias only */
    rift_str alias;
    uint32_t number;
    rift_str options; /* canonical text */
} rift_job_spec;

typedef struct rift_job_row {
    int64_t id;
    rift_job_spec spec;
    rift_job_state state;
    unsigned attempt; /* starts so far */
    int64_t epoch;    /* of the last start; a finish with another one is refused */
    int64_t created, not_before, started, finished; /* 0: not yet */
    int64_t remembered;    /* failed: asking again before this time gives the same answer */
    unsigned error_status; /* HTTP status of the failure */
    rift_str error_class;  /* "input", "limit", "system", "crash"; empty without a failure */
    rift_str error;        /* members of a problem document as a JSON object, or empty */
    bool has_result;
    rift_sha256 sha256;
} rift_job_row;

typedef struct rift_artifact_row {
    int64_t job;
    rift_job_spec spec;
    rift_sha256 sha256;
    uint64_t size;
    int64_t created;
    bool is_inline;         /* the bytes are in the database */
    rift_bytes inline_data; /* with is_inline, when asked for */
} rift_artifact_row;

RIFT_NODISCARD bool rift_store_open_writer(rift_store **out, const char *path, rift_err *err); /* migrates */
RIFT_NODISCARD bool rift_store_open_reader(rift_store **out, const char *path, rift_err *err);
void rift_store_close(rift_store *store); /* may be NULL */

/* Around the writer's calls. A failed call leaves the transaction usable only for rollback. */
RIFT_NODISCARD bool rift_store_begin(rift_store *store, rift_err *err);
RIFT_NODISCARD bool rift_store_commit(rift_store *store, rift_err *err);
void rift_store_rollback(rift_store *store);
void rift_store_checkpoint(rift_store *store);
/* Brackets one of several operations in a transaction: a failed one is undone alone. */
RIFT_NODISCARD bool rift_store_savepoint(rift_store *store, rift_err *err);
RIFT_NODISCARD bool rift_store_release(rift_store *store, bool keep, rift_err *err);

/* True when the last stop was clean or there was none yet; marks the store as running. After an unclean stop the file is checked, and IO says what is broken. */
RIFT_NODISCARD bool rift_store_start(rift_store *store, bool *was_clean, rift_err *err);
RIFT_NODISCARD bool rift_store_stop(rift_store *store, rift_err *err);

/* What is known about a key. At most one of the three holds, artifact before live before failure. */
typedef enum rift_found_kind {
    RIFT_FOUND_NOTHING,
    RIFT_FOUND_ARTIFACT, /* artifact, and job: the one that made it */
    RIFT_FOUND_LIVE,     /* job: queued or running */
    RIFT_FOUND_FAILURE   /* job: failed, and remembered */
} rift_found_kind;

typedef struct rift_found {
    rift_found_kind kind;
    rift_job_row job;
    rift_artifact_row artifact;
} rift_found;

RIFT_NODISCARD bool rift_store_find(rift_store *store,
                                    const rift_sha256 *key,
                                    int64_t now,
                                    rift_found *out,
                                    rift_arena *arena,
                                    rift_err *err);
RIFT_NODISCARD bool rift_store_job(
    rift_store *store, int64_t id, bool *found, rift_job_row *out, rift_arena *arena, rift_err *err);
/* Any artifact with these bytes. */
RIFT_NODISCARD bool rift_store_artifact(rift_store *store,
                                        const rift_sha256 *sha256,
                                        bool with_data,
                                        bool *found,
                                        rift_artifact_row *out,
                                        rift_arena *arena,
                                        rift_err *err);
/* The newest artifact of a skin and options, whatever game state it was made from (A3: served while stale). */
RIFT_NODISCARD bool rift_store_newest(rift_store *store,
                                      rift_str alias,
                                      uint32_t number,
                                      rift_str options,
                                      bool *found,
                                      rift_artifact_row *out,
                                      rift_arena *arena,
                                      rift_err *err);
/* The report of the last job that ended for a key; an empty string when there is none. *job says which. */
RIFT_NODISCARD bool rift_store_report(rift_store *store,
                                      const rift_sha256 *key,
                                      int64_t *job,
                                      rift_str *report,
                                      rift_arena *arena,
                                      rift_err *err);

/* ---- writer only, inside a transaction ---- */

/* A new queued job, unless something is known (then *out says what, as rift_store_find does). kind NOTHING: created, out->job is it. */
RIFT_NODISCARD bool rift_store_enqueue(rift_store *store,
                                       const rift_job_spec *spec,
                                       int64_t now,
                                       rift_found *out,
                                       rift_arena *arena,
                                       rift_err *err);
/* Starts the job that is next in line (priority, then age), if one is due. */
RIFT_NODISCARD bool rift_store_claim(
    rift_store *store, int64_t now, bool *found, rift_job_row *out, rift_arena *arena, rift_err *err);

typedef struct rift_job_output {
    rift_sha256 sha256, fingerprint, source; /* source: digest of what the game looked like */
    uint64_t size;
    rift_bytes inline_data; /* empty: the bytes are a file */
    bool is_inline;
    rift_str report;
    const rift_asset_log *uses; /* may be NULL */
} rift_job_output;

/* *taken is false when the job was started again since (another epoch): nothing is written then. */
RIFT_NODISCARD bool rift_store_finish(rift_store *store,
                                      int64_t id,
                                      int64_t epoch,
                                      const rift_job_output *output,
                                      int64_t now,
                                      bool *taken,
                                      rift_err *err);

typedef struct rift_job_failure {
    rift_str error_class;
    unsigned status; /* HTTP status that tells it */
    rift_str error;  /* JSON object */
    rift_str report; /* may be empty */
    bool retry;      /* the system's fault: again after a pause, dead after RIFT_JOB_MAX_ATTEMPTS */
} rift_job_failure;

/* `after` is the state that came of it (queued, failed or dead) with not_before and remembered. How long a failure is remembered grows with their number in a row: 10 minutes, doubled each
 * time, at most a day. */
RIFT_NODISCARD bool rift_store_fail(rift_store *store,
                                    int64_t id,
                                    int64_t epoch,
                                    const rift_job_failure *failure,
                                    int64_t now,
                                    bool *taken,
                                    rift_job_row *after,
                                    rift_arena *arena,
                                    rift_err *err);
/* Drops the artifact of a key whose bytes turned out to be lost, so that it is made again. */
RIFT_NODISCARD bool rift_store_forget(rift_store *store, const rift_sha256 *key, rift_err *err);
/* Puts a running job back as if it had not been started (drain). */
RIFT_NODISCARD bool
rift_store_requeue(rift_store *store, int64_t id, int64_t epoch, bool *taken, rift_err *err);
/* After a stop: what was running is queued again, or dead after too many starts. *lost and *dead count them. */
RIFT_NODISCARD bool
rift_store_recover(rift_store *store, int64_t now, int64_t *requeued, int64_t *dead, rift_err *err);

/* All queued jobs in line order, at most `max`. */
RIFT_NODISCARD bool rift_store_queued(
    rift_store *store, size_t max, rift_job_row **out, size_t *count, rift_arena *arena, rift_err *err);
/* Gives a live job the key it has under the game of today. False in *taken when another live job has it. */
RIFT_NODISCARD bool
rift_store_rekey(rift_store *store, int64_t id, const rift_sha256 *key, bool *taken, rift_err *err);

typedef enum rift_skin_state {
    RIFT_SKIN_NEVER,
    RIFT_SKIN_FRESH,
    RIFT_SKIN_STALE,
    RIFT_SKIN_FAILED
} rift_skin_state;
const char *rift_skin_state_word(rift_skin_state state); /* "never" … */

/* State of a skin with the default options; `key` is the one it has today. */
RIFT_NODISCARD bool rift_store_skin_state(rift_store *store,
                                          const rift_sha256 *key,
                                          rift_str alias,
                                          uint32_t number,
                                          int64_t now,
                                          rift_skin_state *out,
                                          rift_err *err);

#endif
