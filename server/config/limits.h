/* limits.h - every limit of the daemon and its default (A10); config/config.c lets the operator change those that have a flag. */
#ifndef RIFT_CONFIG_LIMITS_H
#define RIFT_CONFIG_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define RIFT_LIMIT_HEADER_BYTES (16 * 1024)       /* memory per connection: request line and headers */
#define RIFT_LIMIT_TARGET_BYTES ((size_t)8 << 10) /* path and query */
#define RIFT_LIMIT_PATH_BYTES 512                 /* decoded path */
#define RIFT_LIMIT_BODY_BYTES ((size_t)64 << 10)  /* JSON body */
#define RIFT_LIMIT_JSON_DEPTH 16                  /* nesting of a JSON body */
#define RIFT_LIMIT_JSON_MEMBERS 64                /* of one object of a JSON body */
#define RIFT_LIMIT_OPTION_BYTES 1024              /* one option's value */
#define RIFT_LIMIT_CONNECTIONS 512
#define RIFT_LIMIT_CONNECTIONS_PER_ADDRESS 64
#define RIFT_LIMIT_HEADER_DEADLINE_S 10
#define RIFT_LIMIT_BODY_DEADLINE_S 60
#define RIFT_LIMIT_IDLE_S 75
#define RIFT_LIMIT_WAITERS 256
#define RIFT_LIMIT_WAIT_S 60       /* Prefer: wait=N */
#define RIFT_LIMIT_SERVE_WAIT_S 30 /* GET of a skin that is not made yet */
#define RIFT_LIMIT_DRAIN_S 30
#define RIFT_LIMIT_QUEUE 20000
#define RIFT_LIMIT_QUEUE_WAIT_S 60 /* estimated; past it nobody joins the queue */
#define RIFT_LIMIT_JOB_S 120
#define RIFT_LIMIT_JOB_SILENT_S 60 /* without any progress */
#define RIFT_LIMIT_LEASE_MS 30000  /* a running job without a sign of life is started again */
#define RIFT_LIMIT_JOB_BYTES (UINT64_C(1024) * 1024 * 1024)
#define RIFT_LIMIT_PATCH_SETTLE_S 5     /* the game folder must lie still this long before it is taken over */
#define RIFT_LIMIT_PATCH_PATIENCE_S 600 /* after which a folder that is not whole is taken as it is */
#define RIFT_LIMIT_RESCAN_JITTER_S 30
#define RIFT_LIMIT_CANARIES 20
#define RIFT_LIMIT_NAMES_JITTER_S 600
#define RIFT_LIMIT_NAMES_BYTES ((uint64_t)256 << 20) /* one list of a source of names */
#define RIFT_LIMIT_SWEEP_PAUSE_MS 50
#define RIFT_LIMIT_INLINE_BYTES ((size_t)64 << 10) /* blobs up to this size live in the database */
#define RIFT_LIMIT_CACHE_BYTES (UINT64_C(64) << 30)
#define RIFT_LIMIT_DISK_RESERVE (UINT64_C(2) << 30)  /* or */
#define RIFT_LIMIT_DISK_PERCENT 5                    /* of the file system, what is less */
#define RIFT_LIMIT_KEEP_JOBS_S (UINT64_C(7) * 86400) /* jobs that are over */
#define RIFT_LIMIT_SCRUB_S 86400                     /* from the start of one pass to that of the next */
#define RIFT_LIMIT_SCRUB_RATE ((uint64_t)8 << 20)    /* bytes a second */
#define RIFT_LIMIT_RATE 50                           /* requests a second of one client */
#define RIFT_LIMIT_BURST 500
#define RIFT_LIMIT_CLIENTS 4096 /* whose rates are remembered */
#define RIFT_LIMIT_UPLOAD_BYTES ((size_t)64 << 20)
#define RIFT_LIMIT_UPLOAD_PARTS 256
#define RIFT_LIMIT_UPLOADS 4     /* bodies of files that are received or worked on at one time */
#define RIFT_LIMIT_CONVERSIONS 2 /* of files that were sent, at one time */
#define RIFT_LIMIT_REQUEST_ARENA ((size_t)64 << 20)
#define RIFT_LIMIT_DESCRIBES 32   /* metadata and pictures computed or waiting at one time */
#define RIFT_LIMIT_BATCH 20000    /* skins of one batch */
#define RIFT_LIMIT_LISTENERS 256  /* event streams at one time */
#define RIFT_LIMIT_HEARTBEAT_S 15 /* of an event stream */
#define RIFT_LIMIT_PAGE 1000      /* rows of a list */
#define RIFT_LIMIT_PAGE_DEFAULT 100

#endif
