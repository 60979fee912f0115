#include "base/map.h"

#include "support/check.h"

static void keeps_the_first_value(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    rift_map m;
    rift_map_init(&m, &a, 0);
    CHECK_U64(rift_map_lookup(&m, 0), RIFT_MAP_NONE);
    CHECK_U64(rift_map_add(&m, 0, 7), 7); /* zero is a key like others, and a value */
    CHECK_U64(rift_map_add(&m, 1, 0), 0);
    CHECK_U64(rift_map_add(&m, UINT64_MAX, RIFT_MAP_NONE - 1), RIFT_MAP_NONE - 1);
    CHECK_U64(rift_map_add(&m, 0, 8), 7);
    CHECK_U64(rift_map_lookup(&m, 0), 7);
    CHECK_U64(rift_map_lookup(&m, 1), 0);
    CHECK_U64(rift_map_lookup(&m, UINT64_MAX), RIFT_MAP_NONE - 1);
    CHECK_U64(rift_map_lookup(&m, 2), RIFT_MAP_NONE);
    CHECK_U64(m.count, 3);
    rift_arena_release(&a);
}

/* Sequences, multiples of powers of two and spread keys, far over the first capacity. */
static void grows_with_any_keys(void)
{
    static const uint64_t factors[] = {1, 1u << 16, UINT64_C(1) << 44, 0x9E3779B97F4A7C15u};
    for (size_t f = 0; f < RIFT_COUNT(factors); f++) {
        rift_arena a;
        rift_arena_init(&a, 1 << 24);
        rift_map m;
        rift_map_init(&m, &a, 4);
        for (uint32_t i = 0; i < 20000; i++)
            CHECK_U64(rift_map_add(&m, i * factors[f], i), i);
        check_row("factor %llx", (unsigned long long)factors[f]);
        for (uint32_t i = 0; i < 20000; i++)
            CHECK_U64(rift_map_lookup(&m, i * factors[f]), i);
        CHECK_U64(rift_map_lookup(&m, 20001 * factors[f]), RIFT_MAP_NONE);
        CHECK_U64(m.count, 20000);
        CHECK(m.capacity >= 40000);
        rift_arena_release(&a);
    }
}

static void has_room_for_what_was_expected(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 24);
    rift_map m;
    rift_map_init(&m, &a, 1000);
    const uint64_t pushes = a.push_count;
    for (uint32_t i = 0; i < 1000; i++)
        (void)rift_map_add(&m, i, i);
    CHECK_U64(a.push_count, pushes);
    rift_arena_release(&a);
}

static void survives_a_failing_arena(void)
{
    rift_arena a;
    rift_arena_init(&a, 1 << 20);
    rift_map m;
    rift_map_init(&m, &a, 0);
    a.fail_at = 1; /* the first growth */
    for (uint32_t i = 0; i < 100; i++)
        (void)rift_map_add(&m, i, i);
    rift_err err = check_err();
    CHECK(!rift_arena_ok(&a, "map", &err));
    CHECK_CODE(&err, RIFT_ERR_NOMEM);
    CHECK_U64(rift_map_lookup(&m, 200), RIFT_MAP_NONE);
    rift_arena_release(&a);

    rift_arena_init(&a, 1 << 20);
    a.fail_at = 1; /* the table itself */
    rift_map_init(&m, &a, 0);
    CHECK_U64(rift_map_lookup(&m, 1), RIFT_MAP_NONE);
    CHECK_U64(rift_map_add(&m, 1, 5), 5);
    rift_arena_release(&a);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(keeps_the_first_value);
    RUN(grows_with_any_keys);
    RUN(has_room_for_what_was_expected);
    RUN(survives_a_failing_arena);
    return check_finish();
}
