#include "formats/wad_diff.h"

#include <stdio.h>

#include "base/str.h"
#include "formats/wad_write.h"
#include "support/check.h"

enum { MAX_FILES = 64, ARENA_LIMIT = 64 * 1024 * 1024 };

typedef struct bench {
    rift_arena arena;
    rift_err err;
    rift_bytes files[MAX_FILES];
    size_t file_count;
    rift_wad_diff diff;
} bench;

static void begin(bench *b)
{
    *b = (bench){.err = check_err()};
    rift_arena_init(&b->arena, ARENA_LIMIT);
}

static void end(bench *b)
{
    rift_arena_release(&b->arena);
}

/* One letter an entry: the path's hash is its place in `names`, the content the letter in `contents`. */
static rift_wad_table
table(bench *b, const char *path, const char *version, const char *names, const char *contents)
{
    const size_t count = strlen(names);
    rift_wad_item items[32];
    for (size_t i = 0; i < count; i++) {
        items[i] =
            (rift_wad_item){.path_hash = (uint64_t)names[i], .data = {(const uint8_t *)&contents[i], 1}};
    }
    const rift_wad_write_opts opts = {.major = (uint8_t)(version[0] - '0'),
                                      .minor = (uint8_t)(version[2] - '0')};
    rift_wad *wad = RIFT_NEW(&b->arena, rift_wad, 1);
    rift_bytes *file = &b->files[b->file_count++];
    CHECK_OK(rift_wad_write(file, items, count, &opts, &b->arena, &b->err) &&
                 rift_wad_open(wad, rift_source_from_bytes(file), rift_str_c(path), &b->arena, NULL, &b->err),
             &b->err);
    return (rift_wad_table){.path = rift_str_c(path), .wad = wad};
}

/* "+a" added, "-a" removed, "!a" changed, "?a" unsure, "ab" renamed; archives by their first letter, one of "+-!>". */
static const char *told(const bench *b)
{
    static char text[256];
    size_t n = 0;
    for (size_t i = 0; i < b->diff.archive_count; i++) {
        const rift_archive_change *a = &b->diff.archives[i];
        size_t total = 0;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%c%s:", i > 0 ? "; " : "", "+-!>?"[a->what],
                              (a->after != NULL ? a->after : a->before) -> path.data);
        for (size_t k = 0; k < a->entry_count; k++) {
            const rift_entry_change *e = &a->entries[k];
            const char before = e->before != NULL ? (char)e->before->path_hash : '_';
            const char after = e->after != NULL ? (char)e->after->path_hash : '_';
            if (e->what == RIFT_CHANGE_RENAMED) {
                n += (size_t)snprintf(text + n, sizeof text - n, " %c>%c", before, after);
            } else {
                n += (size_t)snprintf(text + n, sizeof text - n, " %c%c", "+-!>?"[e->what],
                                      e -> what == RIFT_CHANGE_REMOVED ? before : after);
            }
        }
        for (size_t k = 0; k < RIFT_CHANGE_COUNT; k++)
            total += a->counts[k];
        CHECK_U64(total, a->entry_count);
    }
    return text;
}

typedef struct row {
    const char *old_version, *old_names, *old_contents;
    const char *new_version, *new_names, *new_contents;
    const char *want;
} row;

static void compares_entries(void)
{
    static const row rows[] = {
        {"3.4", "abc", "xyz", "3.4", "abc", "xyz", ""},
        {"3.4", "", "", "3.4", "", "", ""},
        {"3.4", "", "", "3.4", "a", "x", "!A: +a"},
        {"3.4", "a", "x", "3.4", "", "", "!A: -a"},
        {"3.4", "abc", "xyz", "3.4", "abc", "xYz", "!A: !b"},
        {"3.4", "abc", "xyz", "3.4", "abd", "xy!", "!A: -c +d"},
        /* Renamed, in table order where contents repeat; what is left over came or went. */
        {"3.4", "abc", "xyz", "3.4", "abd", "xyz", "!A: c>d"},
        {"3.4", "abc", "xxx", "3.4", "def", "xxx", "!A: a>d b>e c>f"},
        {"3.4", "abc", "xxx", "3.4", "de", "xx", "!A: a>d b>e -c"},
        {"3.4", "ab", "xx", "3.4", "def", "xxx", "!A: a>d b>e +f"},
        {"3.4", "a", "x", "3.4", "ab", "xx", "!A: +b"}, /* a copy: nothing is gone */
        {"3.4", "abcd", "pqrs", "3.4", "abef", "pQsr", "!A: c>f d>e !b"},
        /* Checksums of one kind, whatever the minor version. */
        {"3.1", "ab", "xy", "3.4", "ab", "xY", "!A: !b"},
        {"2.0", "ab", "xy", "3.0", "ab", "xY", "!A: !b"},
        {"2.0", "abc", "xyz", "3.0", "abd", "xyz", "!A: c>d"},
        /* Of two kinds, or none at all. */
        {"3.0", "ab", "xy", "3.1", "ab", "xy", "!A: ?a ?b"},
        {"3.0", "ab", "xy", "3.1", "ac", "xy", "!A: -b ?a +c"},
        {"1.0", "ab", "xy", "1.0", "ab", "xy", "!A: ?a ?b"},
        {"1.0", "ab", "xy", "1.0", "ac", "xy", "!A: -b ?a +c"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        const row *r = &rows[i];
        bench b;
        check_row("%zu: %s %s", i, r->old_names, r->new_names);
        begin(&b);
        const rift_wad_table before = table(&b, "A", r->old_version, r->old_names, r->old_contents);
        const rift_wad_table after = table(&b, "a", r->new_version, r->new_names, r->new_contents);
        CHECK_OK(rift_wad_compare(&b.diff, &before, 1, &after, 1, &b.arena, &b.err), &b.err);
        const char want_a = r->want[0] != '\0' ? 'a' : '\0'; /* the new set's spelling */
        char want[64];
        (void)snprintf(want, sizeof want, "%s", r->want);
        if (want_a != '\0')
            want[1] = want_a;
        CHECK_STR(rift_str_c(told(&b)), rift_str_c(want));
        end(&b);
    }
}

static void another_size_is_a_change_of_any_kind(void)
{
    bench b;
    begin(&b);
    rift_wad_entry old[] = {{.path_hash = 1, .size = 5, .checksum = 9}};
    rift_wad_entry new[] = {{.path_hash = 1, .size = 6, .checksum = 9}};
    CHECK_I64(rift_entry_same(old, RIFT_WAD_SUM_NONE, new, RIFT_WAD_SUM_XXH3), RIFT_SAME_NO);
    CHECK_I64(rift_entry_same(old, RIFT_WAD_SUM_XXH3, new, RIFT_WAD_SUM_XXH3), RIFT_SAME_NO);
    new[0].size = 5;
    CHECK_I64(rift_entry_same(old, RIFT_WAD_SUM_XXH3, new, RIFT_WAD_SUM_XXH3), RIFT_SAME_YES);
    CHECK_I64(rift_entry_same(old, RIFT_WAD_SUM_SHA256, new, RIFT_WAD_SUM_XXH3), RIFT_SAME_UNSURE);
    new[0].checksum = 8;
    CHECK_I64(rift_entry_same(old, RIFT_WAD_SUM_XXH3, new, RIFT_WAD_SUM_XXH3), RIFT_SAME_NO);
    old[0].checksum = new[0].checksum = 0; /* as mods have it */
    CHECK_I64(rift_entry_same(old, RIFT_WAD_SUM_XXH3, new, RIFT_WAD_SUM_XXH3), RIFT_SAME_UNSURE);
    end(&b);
}

static void pairs_archives(void)
{
    bench b;
    begin(&b);
    const rift_wad_table before[] = {
        table(&b, "Same", "3.4", "ab", "xy"),       table(&b, "Gone", "3.4", "c", "z"),
        table(&b, "Old/Name", "3.4", "def", "123"), table(&b, "NoSums", "1.0", "g", "4"),
        table(&b, "Empty", "3.4", "", ""),
    };
    const rift_wad_table after[] = {
        table(&b, "New", "3.4", "cz", "z!"),         table(&b, "same", "3.4", "ab", "xY"),
        table(&b, "new\\name", "3.4", "def", "123"), table(&b, "NoSums2", "1.0", "g", "4"),
        table(&b, "Empty2", "3.4", "", ""),          table(&b, "SAME", "3.4", "ab", "xy"),
    };
    CHECK_OK(
        rift_wad_compare(&b.diff, before, RIFT_COUNT(before), after, RIFT_COUNT(after), &b.arena, &b.err),
        &b.err);
    /* An archive that changed and moved is another one; the second of two that differ in case has no partner. */
    CHECK_STR(rift_str_c(told(&b)),
              RIFT_STR("+New: +c +z; !same: !b; >new\\name:; +NoSums2: +g; +Empty2:; +SAME: +a +b; -Gone: -c;"
                       " -NoSums: -g; -Empty:"));
    end(&b);
}

static void the_first_of_equal_hashes_counts(void)
{
    bench b;
    begin(&b);
    rift_wad_entry twice[] = {{.path_hash = 1, .size = 5, .checksum = 9},
                              {.path_hash = 1, .size = 6, .checksum = 8}};
    rift_wad_entry once[] = {{.path_hash = 1, .size = 5, .checksum = 9}};
    rift_wad two = {.entries = twice, .entry_count = 2, .checksum_kind = RIFT_WAD_SUM_XXH3};
    rift_wad one = {.entries = once, .entry_count = 1, .checksum_kind = RIFT_WAD_SUM_XXH3};
    rift_map_init(&two.by_hash, &b.arena, 2);
    rift_map_init(&one.by_hash, &b.arena, 2);
    (void)rift_map_add(&two.by_hash, 1, 0);
    (void)rift_map_add(&one.by_hash, 1, 0);
    const rift_wad_table x = {RIFT_STR("x"), &two}, y = {RIFT_STR("x"), &one};
    CHECK_OK(rift_wad_compare(&b.diff, &x, 1, &y, 1, &b.arena, &b.err), &b.err);
    CHECK_U64(b.diff.archive_count, 0);
    CHECK_OK(rift_wad_compare(&b.diff, &y, 1, &x, 1, &b.arena, &b.err), &b.err);
    CHECK_U64(b.diff.archive_count, 0);
    CHECK_OK(rift_wad_compare(&b.diff, NULL, 0, &x, 1, &b.arena, &b.err), &b.err);
    CHECK_STR(rift_str_c(told(&b)), RIFT_STR("+x: +\x01"));
    end(&b);
}

static void survives_failing_memory(void)
{
    bench b;
    begin(&b);
    const rift_wad_table before = table(&b, "a", "3.4", "abc", "xyz");
    const rift_wad_table after = table(&b, "a", "3.4", "abd", "xYz");
    uint64_t fail_at = 0;
    bool ok = false;
    while (!ok) {
        rift_arena arena;
        rift_err err = check_err();
        rift_wad_diff diff;
        rift_arena_init(&arena, ARENA_LIMIT);
        arena.fail_at = ++fail_at;
        ok = rift_wad_compare(&diff, &before, 1, &after, 1, &arena, &err);
        CHECK_CODE(&err, ok ? RIFT_OK : RIFT_ERR_NOMEM);
        rift_arena_release(&arena);
    }
    CHECK(fail_at > 5);
    end(&b);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(compares_entries);
    RUN(another_size_is_a_change_of_any_kind);
    RUN(pairs_archives);
    RUN(the_first_of_equal_hashes_counts);
    RUN(survives_failing_memory);
    return check_finish();
}
