/* store.h - jobs, artifacts, their bytes' names, and what they were made from: the interface behind which a database stands (sqlite.h).
 *
 * Shape   one rift_store is one connection: one writer per process (rift_store_begin … commit around its calls), readers beside it.
 *         Times are milliseconds since 1970, given by the caller, so that tests own the clock. It may be set back: a pause or a memory that would last longer
 *         than any does is over, and what is newer is told by the order of jobs. An implementation is a rift_store_ops, and a struct that begins
 *         with a rift_store; tests/unit/server/store_suite.c says what it must do.
 * Errors  IO, UNSUPPORTED (newer file), NOMEM. "Not there" is no error: the result says so.
 * Memory  strings and bytes of results lie in the arena given.
 * Thread  one at a time per store. */
#ifndef RIFT_STORE_STORE_H
#define RIFT_STORE_STORE_H

#include "base/arena.h"
#include "game/assets.h"
#include "hash/hash.h"

typedef struct rift_store_ops rift_store_ops;
typedef struct rift_store {
    const rift_store_ops *ops;
} rift_store;

typedef enum rift_job_state {
    RIFT_JOB_QUEUED,
    RIFT_JOB_RUNNING,
    RIFT_JOB_DONE,
    RIFT_JOB_FAILED,
    RIFT_JOB_DEAD, /* took the daemon down, or failed for the system's reasons, as often as is allowed */
    RIFT_JOB_CANCELLED
} rift_job_state;
const char *rift_job_state_word(rift_job_state state); /* "queued" … */

bool rift_job_state_parse(rift_str word, rift_job_state *out);

/* Starts before it counts as dead. */
#define RIFT_JOB_MAX_ATTEMPTS 3
/* The two classes: somebody waits for it, or it is one of many that nobody waits for. */
#define RIFT_JOB_PRIORITY_INTERACTIVE 10
#define RIFT_JOB_PRIORITY_SWEEP 0
/* How long a failure is remembered: the first time, doubled each time in a row, at most the second number. */
#define RIFT_FAILURE_MEMORY_MS INT64_C(600000)
#define RIFT_FAILURE_MEMORY_MAX_MS INT64_C(86400000)
/* Before the second start, doubled before the third. */
#define RIFT_RETRY_PAUSE_MS INT64_C(2000)
#define RIFT_RETRY_PAUSE_MAX_MS (RIFT_RETRY_PAUSE_MS << RIFT_JOB_MAX_ATTEMPTS)

/* What is asked for; the key is what makes two requests the same. */
typedef struct rift_job_spec {
    rift_sha256 key;
    uint32_t skin; /* 0: known by alias only */
    rift_str alias;
    uint32_t number;
    rift_str options; /* canonical text */
    int priority;
} rift_job_spec;

typedef struct rift_job_row {
    int64_t id;
    rift_job_spec spec;
    rift_job_state state;
    unsigned attempt; /* starts so far */
    int64_t epoch;    /* of the last start; a finish with another one is refused */
    int64_t created, not_before, started, finished; /* 0: not yet */
    int64_t lease_until;                            /* running: its owner's until then */
    int64_t remembered;    /* failed: asking again before this time gives the same answer */
    unsigned error_status; /* HTTP status of the failure */
    rift_str error_class;  /* "input", "limit", "system", "crash"; empty without a failure */
    rift_str error;        /* members of a problem document as a JSON object, or empty */
    bool has_result;
    rift_sha256 sha256;
} rift_job_row;

/* The same bytes, compressed for transfer. */
typedef enum rift_encoding { RIFT_ENCODING_ZSTD, RIFT_ENCODING_GZIP, RIFT_ENCODING_COUNT } rift_encoding;
const char *rift_encoding_word(rift_encoding encoding); /* "zstd", "gzip": as HTTP says it */

typedef struct rift_packed {
    bool stored; /* else not tried yet, or not worth keeping */
    rift_sha256 sha256;
    uint64_t size;
} rift_packed;

typedef struct rift_artifact_row {
    int64_t job;
    rift_job_spec spec;
    rift_sha256 sha256;
    uint64_t size;
    int64_t created, last_used;
    bool pinned;
    rift_packed variants[RIFT_ENCODING_COUNT];
    bool is_inline;         /* the bytes are in the database */
    rift_bytes inline_data; /* with is_inline, when asked for */
} rift_artifact_row;

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
/* The newest artifact of each options text that a skin has any of, in the order of the texts (the defaults first), whatever game
 * state they were made from; at most RIFT_STORE_MAX_OUTPUTS. */
#define RIFT_STORE_MAX_OUTPUTS 64
RIFT_NODISCARD bool rift_store_outputs(rift_store *store,
                                       rift_str alias,
                                       uint32_t number,
                                       rift_artifact_row **out,
                                       size_t *count,
                                       rift_arena *arena,
                                       rift_err *err);
/* The report of the last job that ended for a skin and options, under whatever key: patches and name tables change keys. An empty string when there is none. *job says which. */
RIFT_NODISCARD bool rift_store_report(rift_store *store,
                                      const rift_job_spec *spec,
                                      int64_t *job,
                                      rift_str *report,
                                      rift_arena *arena,
                                      rift_err *err);

/* ---- writer only, inside a transaction ---- */

/* A new queued job, unless something is known (then *out says what, as rift_store_find does). kind NOTHING: created, out->job is it. A queued job of a lower
 * priority is lifted to the one asked for. */
RIFT_NODISCARD bool rift_store_enqueue(rift_store *store,
                                       const rift_job_spec *spec,
                                       int64_t now,
                                       rift_found *out,
                                       rift_arena *arena,
                                       rift_err *err);

typedef struct rift_claim {
    rift_str owner; /* for people to read */
    int64_t now, lease_ms;
    int min_priority; /* leave what is below */
} rift_claim;

/* Starts the job that is next in line (priority, then age), if one is due. */
RIFT_NODISCARD bool rift_store_claim(rift_store *store,
                                     const rift_claim *claim,
                                     bool *found,
                                     rift_job_row *out,
                                     rift_arena *arena,
                                     rift_err *err);
/* Keeps a running job until `lease_until`. *taken is false when it is not this start's any more. */
RIFT_NODISCARD bool rift_store_beat(
    rift_store *store, int64_t id, int64_t epoch, int64_t lease_until, bool *taken, rift_err *err);

typedef struct rift_job_output {
    rift_sha256 sha256, fingerprint, source; /* source: digest of what the game looked like */
    uint64_t size;
    rift_bytes inline_data; /* empty: the bytes are a file */
    bool is_inline;
    rift_str report;
    const rift_asset_log *uses; /* may be NULL */
    uint64_t features;          /* game/features.h */
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
/* Gives a queued job a higher priority; any other job stays as it is. */
RIFT_NODISCARD bool rift_store_lift(rift_store *store, int64_t id, int priority, rift_err *err);
/* Ends a job that nobody wants: a queued one, or the running start `epoch`. *taken is false when it is neither. */
RIFT_NODISCARD bool
rift_store_cancel(rift_store *store, int64_t id, int64_t epoch, int64_t now, bool *taken, rift_err *err);
/* Puts a running job back as if it had not been started (drain). */
RIFT_NODISCARD bool
rift_store_requeue(rift_store *store, int64_t id, int64_t epoch, bool *taken, rift_err *err);
/* What runs past its lease is queued again after the pause of a retry, or dead after too many starts. `all`: at the start of the only daemon, what runs belongs to
 * nobody; it is queued without a pause. */
RIFT_NODISCARD bool
rift_store_reap(rift_store *store, int64_t now, bool all, int64_t *requeued, int64_t *dead, rift_err *err);
/* Removes up to `max` jobs that ended before `before`, made no artifact that is still there, and whose failure is not remembered any more. */
RIFT_NODISCARD bool
rift_store_prune(rift_store *store, int64_t before, int64_t now, size_t max, int64_t *removed, rift_err *err);

/* Gives a live job the key it has under the game of today. False in *taken when another live job has it. */
RIFT_NODISCARD bool
rift_store_rekey(rift_store *store, int64_t id, const rift_sha256 *key, bool *taken, rift_err *err);

/* ---- writer only: artifacts and their bytes ---- */

typedef struct rift_blob_row {
    rift_sha256 sha256;
    uint64_t size;
    bool is_inline;
} rift_blob_row;

/* Rows that were removed: the caller removes the files of those that are not inline, after the commit. */
typedef struct rift_blob_list {
    rift_blob_row *rows;
    size_t count, capacity;
} rift_blob_list;

/* Adds a row: for implementations. A failure shows in the arena. */
void rift_blob_list_add(rift_blob_list *list, const rift_blob_row *row, rift_arena *arena);

/* Drops every artifact with these bytes, and their variants: they are lost or damaged, so that they are made again. */
RIFT_NODISCARD bool rift_store_forget(
    rift_store *store, const rift_sha256 *sha256, rift_blob_list *gone, rift_arena *arena, rift_err *err);
/* Notes that these bytes were served. */
RIFT_NODISCARD bool
rift_store_touch(rift_store *store, const rift_sha256 *sha256, int64_t now, rift_err *err);
/* A pinned artifact is never evicted. Unknown keys are ignored. */
RIFT_NODISCARD bool rift_store_pin(rift_store *store, const rift_sha256 *key, bool pinned, rift_err *err);
typedef struct rift_eviction {
    uint64_t budget;     /* bytes that may stay */
    int64_t used_before; /* what was used then or later stays */
    rift_sha256 source;  /* the label of the game as it is */
    size_t max;          /* artifacts of one call */
} rift_eviction;
/* Drops the least recently used artifacts until all bytes together are within the budget: those made from a former state of the game first, those labelled with
 * this one only when no other is left, none that is pinned. */
RIFT_NODISCARD bool rift_store_evict(
    rift_store *store, const rift_eviction *what, rift_blob_list *gone, rift_arena *arena, rift_err *err);
/* `variant` NULL: tried, and not worth keeping. *taken is false when the artifact is gone. The variant's bytes are a file. */
RIFT_NODISCARD bool rift_store_add_variant(rift_store *store,
                                           const rift_sha256 *source,
                                           rift_encoding encoding,
                                           const rift_blob_row *variant,
                                           int64_t now,
                                           bool *taken,
                                           rift_err *err);

/* ---- reading: artifacts and their bytes ---- */

/* Some artifact's bytes for which an encoding was not tried yet. */
RIFT_NODISCARD bool rift_store_unpacked(
    rift_store *store, bool *found, rift_blob_row *out, rift_encoding *encoding, rift_err *err);
/* Up to `limit` rows whose names are above `after` (NULL: all), by name. */
RIFT_NODISCARD bool rift_store_blobs(rift_store *store,
                                     const rift_sha256 *after,
                                     size_t limit,
                                     rift_blob_list *out,
                                     rift_arena *arena,
                                     rift_err *err);
RIFT_NODISCARD bool
rift_store_has_blob(rift_store *store, const rift_sha256 *sha256, bool *found, rift_err *err);

typedef struct rift_store_usage {
    uint64_t blobs, bytes;
    uint64_t jobs[RIFT_JOB_CANCELLED + 1]; /* by state */
} rift_store_usage;
RIFT_NODISCARD bool rift_store_usage_of(rift_store *store, rift_store_usage *out, rift_err *err);

/* ---- dependency records: what each artifact was made from, and the label that says for which state of the game it holds ---- */

typedef struct rift_record {
    int64_t artifact;
    rift_job_spec spec; /* with the key it has */
    rift_sha256 sha256, fingerprint, source;
    int64_t last_used; /* since 1970 */
    bool pinned;
    uint64_t features; /* of its files, see game/features.h */
    rift_asset_use *uses;
    size_t use_count;
} rift_record;

/* Artifacts that are labelled with another source than this, newest first, ids below `before` (0: all), at most `max`. */
RIFT_NODISCARD bool rift_store_records(rift_store *store,
                                       const rift_sha256 *source,
                                       int64_t before,
                                       size_t max,
                                       rift_record **out,
                                       size_t *count,
                                       rift_arena *arena,
                                       rift_err *err);
/* What the conversion that made these bytes reported, as JSON; empty when it is not known any more. */
RIFT_NODISCARD bool rift_store_report_of(
    rift_store *store, const rift_sha256 *sha256, rift_str *report, rift_arena *arena, rift_err *err);
/* Writer only, inside a transaction: the artifact holds for this state, too, and gets its key. *taken is false when another one has that already. */
RIFT_NODISCARD bool rift_store_relabel(rift_store *store,
                                       int64_t artifact,
                                       const rift_sha256 *key,
                                       const rift_sha256 *source,
                                       bool *taken,
                                       rift_err *err);

/* ---- reading: jobs ---- */

typedef struct rift_job_query {
    unsigned states; /* bit 1 << state; 0: all */
    rift_str alias;  /* empty: every skin */
    uint32_t number; /* with alias */
    int64_t after;   /* ids above it */
    bool in_line;    /* in the order of claims instead of ids */
    size_t limit;
} rift_job_query;

RIFT_NODISCARD bool rift_store_list(rift_store *store,
                                    const rift_job_query *query,
                                    rift_job_row **out,
                                    size_t *count,
                                    rift_arena *arena,
                                    rift_err *err);

typedef enum rift_skin_state {
    RIFT_SKIN_NEVER,
    RIFT_SKIN_FRESH,
    RIFT_SKIN_STALE,
    RIFT_SKIN_FAILED,
    RIFT_SKIN_STATE_COUNT
} rift_skin_state;
const char *rift_skin_state_word(rift_skin_state state); /* "never" … */

/* State of a skin with these options; the key is the one that they have today. */
RIFT_NODISCARD bool rift_store_skin_state(
    rift_store *store, const rift_job_spec *spec, int64_t now, rift_skin_state *out, rift_err *err);

/* ---- what an implementation is ---- */

/* Each member does what the function rift_store_<member> says. */
struct rift_store_ops {
    void (*close)(rift_store *);
    bool (*begin)(rift_store *, rift_err *);
    bool (*commit)(rift_store *, rift_err *);
    void (*rollback)(rift_store *);
    void (*checkpoint)(rift_store *);
    bool (*savepoint)(rift_store *, rift_err *);
    bool (*release)(rift_store *, bool, rift_err *);
    bool (*start)(rift_store *, bool *, rift_err *);
    bool (*stop)(rift_store *, rift_err *);
    bool (*find)(rift_store *, const rift_sha256 *, int64_t, rift_found *, rift_arena *, rift_err *);
    bool (*job)(rift_store *, int64_t, bool *, rift_job_row *, rift_arena *, rift_err *);
    bool (*list)(rift_store *, const rift_job_query *, rift_job_row **, size_t *, rift_arena *, rift_err *);
    bool (*artifact)(
        rift_store *, const rift_sha256 *, bool, bool *, rift_artifact_row *, rift_arena *, rift_err *);
    bool (*newest)(
        rift_store *, rift_str, uint32_t, rift_str, bool *, rift_artifact_row *, rift_arena *, rift_err *);
    bool (*outputs)(
        rift_store *, rift_str, uint32_t, rift_artifact_row **, size_t *, rift_arena *, rift_err *);
    bool (*report)(rift_store *, const rift_job_spec *, int64_t *, rift_str *, rift_arena *, rift_err *);
    bool (*unpacked)(rift_store *, bool *, rift_blob_row *, rift_encoding *, rift_err *);
    bool (*blobs)(rift_store *, const rift_sha256 *, size_t, rift_blob_list *, rift_arena *, rift_err *);
    bool (*has_blob)(rift_store *, const rift_sha256 *, bool *, rift_err *);
    bool (*usage_of)(rift_store *, rift_store_usage *, rift_err *);
    bool (*enqueue)(rift_store *, const rift_job_spec *, int64_t, rift_found *, rift_arena *, rift_err *);
    bool (*claim)(rift_store *, const rift_claim *, bool *, rift_job_row *, rift_arena *, rift_err *);
    bool (*beat)(rift_store *, int64_t, int64_t, int64_t, bool *, rift_err *);
    bool (*finish)(rift_store *, int64_t, int64_t, const rift_job_output *, int64_t, bool *, rift_err *);
    bool (*fail)(rift_store *,
                 int64_t,
                 int64_t,
                 const rift_job_failure *,
                 int64_t,
                 bool *,
                 rift_job_row *,
                 rift_arena *,
                 rift_err *);
    bool (*lift)(rift_store *, int64_t, int, rift_err *);
    bool (*cancel)(rift_store *, int64_t, int64_t, int64_t, bool *, rift_err *);
    bool (*requeue)(rift_store *, int64_t, int64_t, bool *, rift_err *);
    bool (*rekey)(rift_store *, int64_t, const rift_sha256 *, bool *, rift_err *);
    bool (*reap)(rift_store *, int64_t, bool, int64_t *, int64_t *, rift_err *);
    bool (*prune)(rift_store *, int64_t, int64_t, size_t, int64_t *, rift_err *);
    bool (*forget)(rift_store *, const rift_sha256 *, rift_blob_list *, rift_arena *, rift_err *);
    bool (*touch)(rift_store *, const rift_sha256 *, int64_t, rift_err *);
    bool (*pin)(rift_store *, const rift_sha256 *, bool, rift_err *);
    bool (*evict)(rift_store *, const rift_eviction *, rift_blob_list *, rift_arena *, rift_err *);
    bool (*add_variant)(
        rift_store *, const rift_sha256 *, rift_encoding, const rift_blob_row *, int64_t, bool *, rift_err *);
    bool (*records)(rift_store *,
                    const rift_sha256 *,
                    int64_t,
                    size_t,
                    rift_record **,
                    size_t *,
                    rift_arena *,
                    rift_err *);
    bool (*report_of)(rift_store *, const rift_sha256 *, rift_str *, rift_arena *, rift_err *);
    bool (*relabel)(rift_store *, int64_t, const rift_sha256 *, const rift_sha256 *, bool *, rift_err *);
};

/* How long the n-th failure in a row is remembered, from 1 on. */
int64_t rift_failure_memory_ms(int64_t failures);

#endif
