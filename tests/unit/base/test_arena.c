#include "base/arena.h"

#include "support/check.h"

static bool all_zero(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (p[i] != 0)
            return false;
    }
    return true;
}

static void pushes_zeroed_aligned_memory(void)
{
    static const size_t aligns[] = {1, 2, 4, 8, 16};
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    for (size_t round = 0; round < 50; round++) {
        for (size_t i = 0; i < RIFT_COUNT(aligns); i++) {
            uint8_t *p = rift_arena_push(&a, round + 1, 3, aligns[i]);
            CHECK_FATAL(p != NULL);
            CHECK_U64((uintptr_t)p % aligns[i], 0);
            CHECK(all_zero(p, (round + 1) * 3));
            memset(p, 0xAA, (round + 1) * 3);
        }
    }
    /* 5 pushes of 3, 6, … 150 bytes: 15 * (1 + 2 + … + 50) */
    CHECK_U64(a.used, 15 * 1275);
    CHECK_U64(a.peak, a.used);
    CHECK_U64(a.push_count, 250);
    rift_arena_release(&a);
}

static void separate_pushes_do_not_overlap(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 24);
    enum { COUNT = 300 };
    uint32_t *p[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        p[i] = RIFT_NEW(&a, uint32_t, 1 + i * 37); /* small ones and ones with a block of their own */
        CHECK_FATAL(p[i] != NULL);
        for (uint32_t k = 0; k < 1 + i * 37; k++)
            p[i][k] = i;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t k = 0; k < 1 + i * 37; k++)
            CHECK_U64(p[i][k], i);
    }
    rift_arena_release(&a);
}

static void gives_a_pointer_for_nothing(void)
{
    rift_arena a;
    rift_arena_init(&a, 0);
    CHECK(RIFT_NEW(&a, uint64_t, 0) != NULL);
    CHECK(rift_arena_push(&a, 0, SIZE_MAX, 1) != NULL);
    CHECK_U64(a.used, 0);
    rift_arena_release(&a);
}

static void counts_overflow_as_limit(void)
{
    rift_arena a;
    rift_arena_init(&a, SIZE_MAX);
    CHECK(rift_arena_push(&a, SIZE_MAX / 2, 3, 1) == NULL);
    rift_err err = check_err();
    CHECK(!rift_arena_ok(&a, "part", &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK(RIFT_NEW(&a, char, 1) == NULL); /* a failed arena stays failed */
    rift_arena_release(&a);
}

static void keeps_its_limit(void)
{
    rift_arena a;
    rift_arena_init(&a, 100);
    CHECK(rift_arena_push(&a, 60, 1, 1) != NULL);
    CHECK(rift_arena_push(&a, 40, 1, 1) != NULL);
    rift_err err = check_err();
    CHECK_OK(rift_arena_ok(&a, "part", &err), &err);
    CHECK(rift_arena_push(&a, 1, 1, 1) == NULL);
    CHECK(!rift_arena_ok(&a, "part", &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK_U64(a.used, 100);

    rift_arena_release(&a);
    CHECK_U64(a.limit, 100);
    CHECK(rift_arena_push(&a, 100, 1, 1) != NULL); /* usable again */
    rift_arena_release(&a);
}

static void fails_the_push_it_was_told_to(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    a.fail_at = 3;
    CHECK(RIFT_NEW(&a, int, 1) != NULL);
    int *p = RIFT_NEW(&a, int, 1);
    CHECK(p != NULL);
    CHECK(rift_arena_grow(&a, p, sizeof(int), 2 * sizeof(int)) == NULL); /* growing counts */
    rift_err err = check_err();
    CHECK(!rift_arena_ok(&a, "part", &err));
    CHECK_CODE(&err, RIFT_ERR_NOMEM);
    CHECK(RIFT_NEW(&a, int, 1) == NULL);
    *p = 7; /* still there */
    CHECK_I64(*p, 7);
    rift_arena_release(&a);
}

static void fill(uint8_t *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        p[i] = (uint8_t)(i * 7 + 1);
}

static void check_filled(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        CHECK_U64(p[i], (uint8_t)(i * 7 + 1));
}

static void grows_and_keeps_the_contents(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 24);
    uint8_t *p = rift_arena_grow(&a, NULL, 0, 10);
    CHECK_FATAL(p != NULL);
    CHECK(all_zero(p, 10));
    fill(p, 0, 10);
    static const size_t sizes[] = {10, 11, 100, 5000, 20000, 200000, 1000000};
    for (size_t i = 1; i < RIFT_COUNT(sizes); i++) {
        p = rift_arena_grow(&a, p, sizes[i - 1], sizes[i]);
        CHECK_FATAL(p != NULL);
        check_filled(p, sizes[i - 1]);
        CHECK(all_zero(p + sizes[i - 1], sizes[i] - sizes[i - 1]));
        fill(p, sizes[i - 1], sizes[i]);
    }
    rift_arena_release(&a);
}

static void grows_what_is_not_the_newest(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    uint8_t *p = rift_arena_push(&a, 10, 1, 1);
    uint8_t *q = rift_arena_push(&a, 10, 1, 1);
    CHECK_FATAL(p != NULL && q != NULL);
    fill(p, 0, 10);
    memset(q, 0x55, 10);
    uint8_t *grown = rift_arena_grow(&a, p, 10, 30);
    CHECK_FATAL(grown != NULL);
    check_filled(grown, 10);
    CHECK(all_zero(grown + 10, 20));
    for (size_t i = 0; i < 10; i++)
        CHECK_U64(q[i], 0x55);
    rift_arena_release(&a);
}

static void a_failed_grow_leaves_the_old(void)
{
    rift_arena a;
    rift_arena_init(&a, 50);
    uint8_t *p = rift_arena_push(&a, 20, 1, 1);
    CHECK_FATAL(p != NULL);
    fill(p, 0, 20);
    CHECK(rift_arena_grow(&a, p, 20, 60) == NULL);
    check_filled(p, 20);
    CHECK_U64(a.failed, RIFT_ERR_LIMIT);
    rift_arena_release(&a);
}

static void rewinds_to_a_mark(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 24);
    uint8_t *kept = rift_arena_push(&a, 8, 1, 1);
    CHECK_FATAL(kept != NULL);
    fill(kept, 0, 8);
    const rift_arena_mark mark = rift_arena_get_mark(&a);
    for (int round = 0; round < 3; round++) {
        uint8_t *small = rift_arena_push(&a, 100, 1, 1);
        uint8_t *large = rift_arena_push(&a, 300000, 1, 1);
        CHECK_FATAL(small != NULL && large != NULL);
        CHECK(all_zero(small, 100)); /* zeroed again, whatever lay there before */
        memset(small, 0xFF, 100);
        memset(large, 0xFF, 300000);
        CHECK_U64(a.used, 300108);
        rift_arena_rewind(&a, mark);
        CHECK_U64(a.used, 8);
    }
    CHECK_U64(a.peak, 300108);
    check_filled(kept, 8);
    rift_arena_release(&a);
}

static void rewinds_an_empty_arena(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    const rift_arena_mark mark = rift_arena_get_mark(&a);
    CHECK(rift_arena_push(&a, 1000, 1, 1) != NULL);
    rift_arena_rewind(&a, mark);
    CHECK_U64(a.used, 0);
    CHECK(a.last == NULL);
    rift_arena_release(&a);
}

static void rewinding_does_not_undo_a_failure(void)
{
    rift_arena a;
    rift_arena_init(&a, 10);
    const rift_arena_mark mark = rift_arena_get_mark(&a);
    CHECK(rift_arena_push(&a, 11, 1, 1) == NULL);
    rift_arena_rewind(&a, mark);
    CHECK(rift_arena_push(&a, 1, 1, 1) == NULL);
    rift_arena_release(&a);
}

static void copies_end_with_nul(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    const char source[] = {'H', 'e', 'a', 'd', 'X'};
    const rift_str copy = rift_arena_copy_str(&a, (rift_str){source, 4});
    CHECK_STR(copy, RIFT_STR("Head"));
    CHECK(copy.data != source);
    CHECK_I64(copy.data[4], 0);
    const rift_str empty = rift_arena_copy_str(&a, (rift_str){NULL, 0});
    CHECK(empty.data != NULL && empty.size == 0 && empty.data[0] == 0);
    const rift_bytes bytes = rift_arena_copy_bytes(&a, (rift_bytes){(const uint8_t *)source, 5});
    CHECK_BYTES(bytes, ((rift_bytes){(const uint8_t *)"HeadX", 5}));
    rift_arena_release(&a);
}

static void prints_short_and_long(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    CHECK_STR(rift_arena_printf(&a, "%s__%d", "Head", 7), RIFT_STR("Head__7"));
    static const int widths[] = {511, 512, 513, 2000};
    for (size_t i = 0; i < RIFT_COUNT(widths); i++) {
        const rift_str s = rift_arena_printf(&a, "%*d", widths[i], 5);
        CHECK_U64(s.size, widths[i]);
        CHECK(s.size > 0 && s.data[s.size - 1] == '5' && s.data[0] == ' ');
    }
    a.limit = a.used;
    CHECK_U64(rift_arena_printf(&a, "x").size, 0);
    rift_arena_release(&a);
}

static void releases_a_zeroed_arena(void)
{
    rift_arena a = {0};
    rift_arena_release(&a);
    CHECK(a.last == NULL);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(pushes_zeroed_aligned_memory);
    RUN(separate_pushes_do_not_overlap);
    RUN(gives_a_pointer_for_nothing);
    RUN(counts_overflow_as_limit);
    RUN(keeps_its_limit);
    RUN(fails_the_push_it_was_told_to);
    RUN(grows_and_keeps_the_contents);
    RUN(grows_what_is_not_the_newest);
    RUN(a_failed_grow_leaves_the_old);
    RUN(rewinds_to_a_mark);
    RUN(rewinds_an_empty_arena);
    RUN(rewinding_does_not_undo_a_failure);
    RUN(copies_end_with_nul);
    RUN(prints_short_and_long);
    RUN(releases_a_zeroed_arena);
    return check_finish();
}
