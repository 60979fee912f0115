#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* A singly linked list of blocks, newest first. Small pushes share a block; a large one gets a block of its own, which
 * can then grow by realloc. Under AddressSanitizer every push is "large". */

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifndef ARENA_ASAN
#define ARENA_ASAN 0
#endif

enum { BLOCK_SIZE = 64 * 1024, LARGE_SIZE = ARENA_ASAN ? 0 : 16 * 1024 };

typedef struct rift_arena_block {
    struct rift_arena_block *prev;
    uint64_t serial; /* 1 for the oldest block */
    size_t size;     /* of data */
    size_t used;
    size_t last_start; /* where the newest push begins */
    _Alignas(16) uint8_t data[];
} block;

void rift_arena_init(rift_arena *a, size_t limit)
{
    *a = (rift_arena){.limit = limit};
}

static void free_after(rift_arena *a, uint64_t keep)
{
    while (a->last != NULL && a->last->serial > keep) {
        block *b = a->last;
        a->last = b->prev;
        free(b);
    }
}

void rift_arena_release(rift_arena *a)
{
    free_after(a, 0);
    const size_t limit = a->limit;
    *a = (rift_arena){.limit = limit};
}

static void *fail(rift_arena *a, rift_status why)
{
    if (a->failed == RIFT_OK)
        a->failed = why;
    return NULL;
}

/* Counts a push against fail_at and the limit. */
static bool admit(rift_arena *a, size_t bytes)
{
    if (a->failed != RIFT_OK)
        return false;
    a->push_count++;
    if (a->fail_at > 0 && --a->fail_at == 0) {
        a->failed = RIFT_ERR_NOMEM;
        return false;
    }
    if (bytes > a->limit || a->used > a->limit - bytes) {
        a->failed = RIFT_ERR_LIMIT;
        return false;
    }
    return true;
}

static void account(rift_arena *a, size_t bytes)
{
    a->used += bytes;
    if (a->used > a->peak)
        a->peak = a->used;
}

static block *add_block(rift_arena *a, size_t size)
{
    size_t total;
    if (!rift_add_size(&total, size, sizeof(block)))
        return NULL;
    block *b = malloc(total);
    if (b == NULL)
        return NULL;
    *b = (block){.prev = a->last, .serial = a->last ? a->last->serial + 1 : 1, .size = size};
    a->last = b;
    return b;
}

void *rift_arena_push(rift_arena *a, size_t count, size_t size, size_t align)
{
    size_t bytes;
    if (!rift_mul_size(&bytes, count, size))
        return fail(a, RIFT_ERR_LIMIT);
    if (!admit(a, bytes))
        return NULL;
    block *b = a->last;
    size_t start = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (b == NULL || bytes >= LARGE_SIZE || start > b->size || bytes > b->size - start) {
        b = add_block(a, bytes >= LARGE_SIZE ? bytes : BLOCK_SIZE);
        if (b == NULL)
            return fail(a, RIFT_ERR_NOMEM);
        start = 0;
    }
    b->used = start + bytes;
    b->last_start = start;
    account(a, bytes);
    if (bytes > 0)
        memset(b->data + start, 0, bytes);
    return b->data + start;
}

/* The newest push lies in the newest block and may be extended; a block of its own is resized. */
static void *grow_last(rift_arena *a, block *b, size_t old_size, size_t new_size)
{
    const size_t start = b->last_start;
    if (new_size > b->size - start) {
        if (start != 0)
            return NULL;
        block *bigger = realloc(b, sizeof(block) + new_size);
        if (bigger == NULL)
            return NULL;
        bigger->size = new_size;
        a->last = bigger;
        b = bigger;
    }
    memset(b->data + start + old_size, 0, new_size - old_size);
    b->used = start + new_size;
    account(a, new_size - old_size);
    return b->data + start;
}

void *rift_arena_grow(rift_arena *a, void *p, size_t old_size, size_t new_size)
{
    RIFT_ASSERT(new_size >= old_size);
    block *b = a->last;
    const bool newest =
        b != NULL && p == b->data + b->last_start && b->used == b->last_start + old_size && old_size > 0;
    /* In place when the block has room, or holds nothing else and can be resized. */
    if (newest && (b->last_start == 0 || new_size <= b->size - b->last_start)) {
        if (!admit(a, new_size - old_size))
            return NULL;
        void *grown = grow_last(a, b, old_size, new_size);
        return grown != NULL ? grown : fail(a, RIFT_ERR_NOMEM);
    }
    void *fresh = rift_arena_push(a, new_size, 1, 16);
    if (fresh != NULL && old_size > 0)
        memcpy(fresh, p, old_size);
    return fresh;
}

rift_bytes rift_arena_copy_bytes(rift_arena *a, rift_bytes b)
{
    uint8_t *copy = rift_arena_push(a, b.size, 1, 16);
    if (copy == NULL)
        return (rift_bytes){0};
    if (b.size > 0)
        memcpy(copy, b.data, b.size);
    return (rift_bytes){copy, b.size};
}

rift_str rift_arena_copy_str(rift_arena *a, rift_str s)
{
    char *copy = s.size < SIZE_MAX ? rift_arena_push(a, s.size + 1, 1, 1) : fail(a, RIFT_ERR_LIMIT);
    if (copy == NULL)
        return (rift_str){0};
    if (s.size > 0)
        memcpy(copy, s.data, s.size);
    return (rift_str){copy, s.size};
}

rift_str rift_arena_printf(rift_arena *a, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0)
        return (rift_str){0};
    if ((size_t)length < sizeof text)
        return rift_arena_copy_str(a, (rift_str){text, (size_t)length});
    char *big = rift_arena_push(a, (size_t)length + 1, 1, 1);
    if (big == NULL)
        return (rift_str){0};
    va_start(args, format);
    (void)vsnprintf(big, (size_t)length + 1, format, args);
    va_end(args);
    return (rift_str){big, (size_t)length};
}

rift_arena_mark rift_arena_get_mark(const rift_arena *a)
{
    const block *b = a->last;
    return (rift_arena_mark){b ? b->serial : 0, b ? b->used : 0, a->used};
}

void rift_arena_rewind(rift_arena *a, rift_arena_mark mark)
{
    free_after(a, mark.serial);
    if (a->last != NULL) {
        a->last->used = mark.block_used;
        a->last->last_start = mark.block_used; /* nothing before the mark may grow in place any more */
    }
    a->used = mark.used;
}

bool rift_arena_has_room(const rift_arena *a, uint64_t bytes)
{
    return a->used <= a->limit && bytes <= a->limit - a->used;
}

bool rift_arena_ok(const rift_arena *a, const char *where, rift_err *err)
{
    if (a->failed == RIFT_OK)
        return true;
    if (a->failed == RIFT_ERR_LIMIT) {
        return rift_fail(err, RIFT_ERR_LIMIT, where, RIFT_NO_OFFSET,
                         "needs more than the %zu bytes allowed (%zu in use)", a->limit, a->used);
    }
    return rift_fail(err, RIFT_ERR_NOMEM, where, RIFT_NO_OFFSET, "out of memory after %zu bytes", a->used);
}
