/* arena.h - memory of one job: pushed, never freed singly, released as a whole.
 *
 * Shape   blocks from malloc; every push is zeroed and aligned. Under AddressSanitizer each push is a malloc of its
 *         own, so that overruns are seen.
 * Limits  `limit` caps the bytes that pushes may hold at one time; past it a push fails with LIMIT, and with NOMEM when
 *         the system refuses. A failed arena stays failed: check once, at the end of a record.
 * Tests   `fail_at` = n makes the n-th push from now fail with NOMEM; 0 never.
 * Thread  one user at a time. */
#ifndef RIFT_BASE_ARENA_H
#define RIFT_BASE_ARENA_H

#include "base/bytes.h"
#include "base/err.h"

struct rift_arena_block;

typedef struct rift_arena {
    struct rift_arena_block *last;
    size_t limit;        /* bytes */
    size_t used;         /* bytes pushed and not rewound */
    size_t peak;         /* largest `used` so far */
    uint64_t push_count; /* pushes so far */
    uint64_t fail_at;    /* see above */
    rift_status failed;  /* RIFT_OK, RIFT_ERR_LIMIT or RIFT_ERR_NOMEM */
} rift_arena;

typedef struct rift_arena_mark {
    uint64_t serial; /* of the newest block then; 0 without any */
    size_t block_used;
    size_t used;
} rift_arena_mark;

void rift_arena_init(rift_arena *a, size_t limit);
/* Frees everything; the arena may be used again. Accepts a zeroed struct. */
void rift_arena_release(rift_arena *a);

/* count * size zeroed bytes. Zero elements give a valid pointer. NULL on failure (overflow counts as LIMIT). */
void *rift_arena_push(rift_arena *a, size_t count, size_t size, size_t align);
#define RIFT_NEW(a, T, n) ((T *)rift_arena_push((a), (n), sizeof(T), _Alignof(T)))

/* Makes the allocation at p (old_size bytes, from this arena) new_size bytes large, in place when it is the newest;
 * the added bytes are zero. p may be NULL when old_size is 0. NULL on failure, p stays valid. */
void *rift_arena_grow(rift_arena *a, void *p, size_t old_size, size_t new_size);

/* Copies; the copy of a string is NUL-terminated (not counted in size). Empty view on failure. */
rift_str rift_arena_copy_str(rift_arena *a, rift_str s);
rift_bytes rift_arena_copy_bytes(rift_arena *a, rift_bytes b);
rift_str rift_arena_printf(rift_arena *a, const char *format, ...) RIFT_PRINTF(2, 3);

/* Brackets scratch: everything pushed or grown after the mark is gone after the rewind, so nothing older may be grown
 * in between (two arenas, then). Does not undo a failure. */
rift_arena_mark rift_arena_get_mark(const rift_arena *a);
void rift_arena_rewind(rift_arena *a, rift_arena_mark mark);

/* True when `bytes` more stay within the limit. Asked before a push that may be too large and can be done without: an
 * arena that refused once refuses for ever. */
bool rift_arena_has_room(const rift_arena *a, uint64_t bytes);

/* Turns the arena's failure into an error, if it failed. Returns true while the arena is sound. */
RIFT_NODISCARD bool rift_arena_ok(const rift_arena *a, const char *where, rift_err *err);

#endif
