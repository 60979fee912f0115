#include "base/buf.h"

#include "support/check.h"

static rift_arena arena;
static rift_buf b;

static void start(size_t max)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 1 << 24);
    rift_buf_init(&b, &arena, max);
}

static void writes_little_endian(void)
{
    start(1000);
    rift_buf_u8(&b, 0xAB);
    rift_buf_u16(&b, 0x1234);
    rift_buf_u32(&b, 0xF2345678);
    rift_buf_u64(&b, 0x8102030405060708);
    rift_buf_f32(&b, -1.5f);
    rift_buf_str(&b, RIFT_STR("hi"));
    rift_buf_put(&b, NULL, 0);
    static const uint8_t want[] = {0xAB, 0x34, 0x12, 0x78, 0x56, 0x34, 0xF2, 8,    7,   6,  5,
                                   4,    3,    2,    0x81, 0,    0,    0xC0, 0xBF, 'h', 'i'};
    CHECK_BYTES(rift_buf_bytes(&b), ((rift_bytes){want, sizeof want}));
}

static void grows_over_other_pushes(void)
{
    start(1 << 20);
    for (uint32_t i = 0; i < 50000; i++) {
        rift_buf_u32(&b, i);
        if (i % 1000 == 0)
            CHECK(RIFT_NEW(&arena, char, 3) != NULL);
    }
    CHECK_U64(b.size, 200000);
    for (uint32_t i = 0; i < 50000; i++) {
        uint32_t v;
        memcpy(&v, b.data + 4 * (size_t)i, sizeof v);
        CHECK_U64(v, i);
    }
}

static void extends_with_zeros(void)
{
    start(1 << 20);
    rift_buf_u8(&b, 0xFF);
    uint8_t *p = rift_buf_extend(&b, 1000);
    CHECK_FATAL(p != NULL);
    for (size_t i = 0; i < 1000; i++)
        CHECK_U64(p[i], 0);
    CHECK_U64(b.size, 1001);
}

static void stops_at_its_maximum(void)
{
    start(10);
    rift_buf_put(&b, "0123456789", 10);
    rift_err err = check_err();
    CHECK_OK(rift_buf_ok(&b, "part", &err), &err);
    rift_buf_u8(&b, 'x');
    CHECK(!rift_buf_ok(&b, "part", &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK_U64(b.size, 10);
    start(10);
    CHECK(rift_buf_extend(&b, SIZE_MAX) == NULL);
    rift_buf_put(&b, "a", 1); /* stays failed, though it would fit */
    CHECK_U64(b.size, 0);
}

static void tells_memory_from_limits(void)
{
    start(1000);
    arena.fail_at = 1;
    rift_buf_u8(&b, 1);
    rift_err err = check_err();
    CHECK(!rift_buf_ok(&b, "part", &err));
    CHECK_CODE(&err, RIFT_ERR_NOMEM);
}

static void patches_and_aligns(void)
{
    start(100);
    rift_buf_u32(&b, 0);
    rift_buf_str(&b, RIFT_STR("abc"));
    rift_buf_align(&b, 4, ' ');
    rift_buf_align(&b, 4, '!'); /* aligned already */
    rift_buf_patch_u32(&b, 0, 0x01020304);
    CHECK_BYTES(rift_buf_bytes(&b), ((rift_bytes){(const uint8_t *)"\4\3\2\1abc ", 8}));
    rift_buf_patch_u32(&b, 4, 0x7A7A7A7A); /* the last place there is */
    CHECK_BYTES(rift_buf_bytes(&b), ((rift_bytes){(const uint8_t *)"\4\3\2\1zzzz", 8}));
}

static void prints(void)
{
    start(10000);
    rift_buf_printf(&b, "%d-%s", 42, "x");
    CHECK_BYTES(rift_buf_bytes(&b), ((rift_bytes){(const uint8_t *)"42-x", 4}));
    static const int widths[] = {511, 512, 513, 3000};
    for (size_t i = 0; i < RIFT_COUNT(widths); i++) {
        start(10000);
        rift_buf_printf(&b, "%*d", widths[i], 7);
        CHECK_U64(b.size, widths[i]);
        rift_buf_u8(&b, '!');
        CHECK(b.data[b.size - 2] == '7' && b.data[b.size - 1] == '!');
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(writes_little_endian);
    RUN(grows_over_other_pushes);
    RUN(extends_with_zeros);
    RUN(stops_at_its_maximum);
    RUN(tells_memory_from_limits);
    RUN(patches_and_aligns);
    RUN(prints);
    rift_arena_release(&arena);
    return check_finish();
}
