#include <string.h>

#include "patches/index.h"
#include "patches/index_internal.h"

enum { WHOLE_BYTES = 1024 * 1024 * 1024 };

static const char part[] = "index";

static bool has_checksum(const rift_wad *wad, const rift_wad_entry *e)
{
    return e->checksum != 0 && wad->checksum_kind != RIFT_WAD_SUM_NONE && e->stored_size <= WHOLE_BYTES / 2;
}

static bool sum_stored(uint64_t *sum, const rift_wad *wad, const rift_wad_entry *e, rift_err *why)
{
    rift_arena arena;
    rift_bytes stored;
    rift_arena_init(&arena, WHOLE_BYTES);
    const bool ok = rift_wad_read_stored(wad, e, &arena, &stored, why);
    if (ok)
        *sum = rift_wad_checksum_of(wad->checksum_kind, stored);
    rift_arena_release(&arena);
    return ok;
}

/* False: why it is not whole. A checksum that is not that of the bytes is replaced in `head`. */
static bool check_entry(uint8_t *head, const rift_wad *wad, const rift_wad_entry *e, rift_err *why)
{
    uint64_t sum = 0;
    if (rift_wad_lookup(wad, e->path_hash) != e)
        return true; /* hidden by one of the same name */
    if (e->outside) {
        return rift_fail(why, RIFT_ERR_TRUNCATED, "entry", e->record,
                         "%u bytes at %u are not in the file yet", e->stored_size, e->offset);
    }
    if (!has_checksum(wad, e))
        return true;
    if (!sum_stored(&sum, wad, e, why))
        return false;
    if (sum == e->checksum)
        return true;
    uint8_t *field = head + (size_t)e->record + RIFT_WAD_CHECKSUM_AT;
    for (size_t i = 0; i < sizeof sum; i++)
        field[i] = (uint8_t)(sum >> (8 * i));
    return rift_fail(why, RIFT_ERR_FORMAT, "entry", e->offset, "%016llx has not the bytes of its checksum",
                     (unsigned long long)e->path_hash);
}

/* All entries; false: why the first that is not whole is not. */
static bool check_entries(uint8_t *head, const rift_wad *wad, const atomic_bool *cancel, rift_err *why)
{
    bool whole = true;
    for (size_t i = 0; i < wad->entry_count; i++) {
        rift_err later = *why;
        if (atomic_load_explicit(cancel, memory_order_relaxed))
            return rift_fail(why, RIFT_ERR_CANCELLED, part, RIFT_NO_OFFSET, "cancelled");
        whole &= check_entry(head, wad, &wad->entries[i], whole ? why : &later);
    }
    return whole;
}

static bool
check_archive(rift_survey *look, size_t i, const atomic_bool *cancel, rift_arena *arena, rift_err *why)
{
    rift_seen *seen = &look->seen[i];
    const rift_game_file *file = &look->files->files[i];
    rift_wad wad;
    rift_arena tmp;
    if (seen->head.size == 0) {
        *why = seen->err;
        return seen->was_bad;
    }
    uint8_t *head = rift_arena_push(arena, seen->head.size, 1, 16);
    if (head == NULL)
        return rift_arena_ok(arena, part, why);
    memcpy(head, seen->head.data, seen->head.size);
    rift_arena_init(&tmp, SIZE_MAX / 2);
    rift_err_in(why, file->path);
    const bool whole = rift_wad_open(&wad, file->source, file->path, &tmp, NULL, why) &&
                       check_entries(head, &wad, cancel, why);
    rift_arena_release(&tmp);
    look->changed -= !seen->same;
    seen->head.data = head;
    seen->digest = rift_sha256_of(seen->head);
    seen->same = rift_seen_is_same(look, i);
    look->changed += !seen->same;
    return whole;
}

bool rift_index_check(rift_survey *look,
                      size_t *sound,
                      bool accept,
                      const atomic_bool *cancel,
                      rift_arena *arena,
                      rift_err *why)
{
    for (size_t i = *sound; i < look->files->count; i++) {
        rift_err found;
        rift_err_in(&found, (rift_str){0});
        if (!look->seen[i].touched || check_archive(look, i, cancel, arena, &found)) {
            *sound += i == *sound;
        } else if ((!accept && !look->seen[i].same) || !rift_arena_ok(arena, part, &found) ||
                   atomic_load_explicit(cancel, memory_order_relaxed)) {
            *why = found;
            return false;
        }
    }
    return true;
}
