#include "base/reader.h"

#include "support/check.h"

#define BYTES(...) ((rift_bytes){(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})})

static rift_err err;

static rift_reader open_reader(rift_bytes in)
{
    err = check_err();
    return rift_rd_init(in, "part", &err);
}

static void reads_little_endian(void)
{
    rift_reader r = open_reader(BYTES(0x7f, 0x34, 0x12, 0x78, 0x56, 0x34, 0xf2, 8, 7, 6, 5, 4, 3, 2, 0x81,
                                      0xfe, 0xff, 0xfd, 0xff, 0xff, 0xff, 0x00, 0x00, 0xc0, 0x3f));
    CHECK_U64(rift_rd_u8(&r), 0x7f);
    CHECK_U64(rift_rd_u16(&r), 0x1234);
    CHECK_U64(rift_rd_u32(&r), 0xf2345678);
    CHECK_U64(rift_rd_u64(&r), 0x8102030405060708);
    CHECK_I64(rift_rd_i16(&r), -2);
    CHECK_I64(rift_rd_i32(&r), -3);
    CHECK(rift_rd_f32(&r) == 1.5f);
    CHECK_U64(rift_rd_left(&r), 0);
    CHECK(rift_rd_ok(&r));
}

static void stays_failed(void)
{
    rift_reader r = open_reader(BYTES(1, 2, 3, 4, 5));
    CHECK_U64(rift_rd_u16(&r), 0x0201);
    CHECK_U64(rift_rd_u32(&r), 0); /* 3 bytes left */
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    CHECK_U64(err.offset, 2);
    CHECK_U64(rift_rd_offset(&r), 2); /* it did not move */
    CHECK_U64(rift_rd_u8(&r), 0);     /* although a byte is there */
    CHECK_U64(rift_rd_bytes(&r, 1).size, 0);
    CHECK(!rift_rd_seek(&r, 0));
    CHECK_U64(rift_rd_count(&r, 1, 10, "count"), 0);
    CHECK_U64(rift_rd_offset(&r), 2);
    CHECK_U64(err.offset, 2); /* the first error stands */
    CHECK(!rift_rd_ok(&r));
}

static void reads_nothing_from_nothing(void)
{
    rift_reader r = open_reader((rift_bytes){NULL, 0});
    CHECK_U64(rift_rd_bytes(&r, 0).size, 0);
    CHECK(rift_rd_ok(&r));
    CHECK(rift_rd_seek(&r, 0));
    CHECK_U64(rift_rd_u8(&r), 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    r = open_reader((rift_bytes){NULL, 0});
    CHECK_U64(rift_rd_cstr(&r, 10, "name").size, 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
}

static void lengths_do_not_wrap(void)
{
    rift_reader r = open_reader(BYTES(1, 2, 3, 4));
    rift_rd_skip(&r, 3);
    CHECK_U64(rift_rd_bytes(&r, SIZE_MAX).size, 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    r = open_reader(BYTES(1, 2, 3, 4));
    rift_rd_skip(&r, SIZE_MAX - 1);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
}

static void seeks_but_never_clamps(void)
{
    rift_reader r = open_reader(BYTES(1, 2, 3, 4));
    CHECK(rift_rd_seek(&r, 3));
    CHECK_U64(rift_rd_u8(&r), 4);
    CHECK(rift_rd_seek(&r, 4)); /* the end is a place */
    CHECK_U64(rift_rd_left(&r), 0);
    CHECK(rift_rd_seek(&r, 1));
    CHECK_U64(rift_rd_u8(&r), 2);
    CHECK(!rift_rd_seek(&r, 5));
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    r = open_reader(BYTES(1));
    CHECK(!rift_rd_seek(&r, UINT64_MAX));
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
}

static void a_window_ends_where_it_ends(void)
{
    rift_reader r = open_reader(BYTES(0, 1, 2, 3, 4, 5, 6, 7));
    rift_rd_skip(&r, 2);
    rift_reader sub = rift_rd_sub(&r, 3, "inner");
    CHECK_U64(rift_rd_offset(&r), 5); /* behind the window */
    CHECK_U64(rift_rd_left(&sub), 3);
    CHECK_U64(rift_rd_offset(&sub), 2);
    CHECK_U64(rift_rd_u8(&sub), 2);
    CHECK(rift_rd_seek(&sub, 0)); /* from the window's own start */
    CHECK_U64(rift_rd_u8(&sub), 2);
    rift_reader deeper = rift_rd_sub(&sub, 2, "deepest");
    CHECK_U64(rift_rd_offset(&deeper), 3);
    CHECK_U64(rift_rd_u8(&r), 5);
    CHECK_U64(rift_rd_u16(&deeper), 0x0403);
    CHECK_U64(rift_rd_u8(&deeper), 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    CHECK_U64(err.offset, 5); /* from the start of the outermost bytes */
    CHECK(strcmp(err.where, "deepest") == 0);
    CHECK_U64(rift_rd_u8(&r), 0); /* one error for all of them */

    r = open_reader(BYTES(1, 2));
    sub = rift_rd_sub(&r, 3, "inner");
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    CHECK_U64(rift_rd_left(&sub), 0);
}

static void counts_are_checked(void)
{
    static const struct {
        const char *name;
        uint8_t count;
        size_t elem_size, max;
        rift_status want;
    } rows[] = {
        {"fits exactly", 3, 2, 10, RIFT_OK},
        {"one too many for the bytes", 4, 2, 10, RIFT_ERR_TRUNCATED},
        {"at the maximum", 3, 1, 3, RIFT_OK},
        {"over the maximum", 4, 1, 3, RIFT_ERR_LIMIT},
        {"over both: the limit is named", 200, 1, 3, RIFT_ERR_LIMIT},
        {"zero", 0, 100, 3, RIFT_OK},
        {"elements without a size", 100, 0, 100, RIFT_OK},
        {"an element larger than all", 1, SIZE_MAX, 3, RIFT_ERR_TRUNCATED},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        const uint8_t bytes[] = {0xEE, rows[i].count, 0, 0, 0, 1, 2, 3, 4, 5, 6};
        rift_reader r = open_reader((rift_bytes){bytes, sizeof bytes});
        rift_rd_skip(&r, 1);
        CHECK_U64(rift_rd_count(&r, rows[i].elem_size, rows[i].max, "vertex count"),
                  rows[i].want == RIFT_OK ? rows[i].count : 0);
        CHECK_CODE(&err, rows[i].want);
        if (rows[i].want != RIFT_OK)
            CHECK_U64(err.offset, 1); /* where the count stands */
        const uint8_t narrow[] = {0xEE, rows[i].count, 0, 1, 2, 3, 4, 5, 6};
        r = open_reader((rift_bytes){narrow, sizeof narrow});
        rift_rd_skip(&r, 1);
        CHECK_U64(rift_rd_count_u16(&r, rows[i].elem_size, rows[i].max, "vertex count"),
                  rows[i].want == RIFT_OK ? rows[i].count : 0);
        CHECK_CODE(&err, rows[i].want);
    }
    rift_reader r = open_reader(BYTES(0, 0, 0));
    CHECK_U64(rift_rd_count(&r, 1, 10, "count"), 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
}

static void names_the_numbers(void)
{
    rift_reader r = open_reader(BYTES(0x90, 0x5F, 0x01, 0));
    (void)rift_rd_count(&r, 1, 65536, "vertex count");
    CHECK(strcmp(err.text, "vertex count 90000 is over 65536") == 0);
    CHECK(strcmp(err.where, "part") == 0);
}

static void refuses_what_is_not_finite(void)
{
    rift_reader r = open_reader(BYTES(0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f));
    CHECK(rift_rd_f32_finite(&r, "x") == 1.0f);
    CHECK(rift_rd_f32_finite(&r, "y") == 0.0f);
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
    CHECK_U64(err.offset, 4);
    r = open_reader(BYTES(0, 0, 0x80, 0xff)); /* -infinity */
    CHECK(rift_rd_f32_finite(&r, "z") == 0.0f);
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
    r = open_reader(BYTES(0, 0, 0x80, 0x7f, 1, 0, 0x80, 0x7f));
    float any[2];
    rift_rd_f32s(&r, any, 2);
    CHECK(isinf(any[0]) && isnan(any[1]) && rift_rd_ok(&r));
}

static void reads_strings(void)
{
    rift_reader r =
        open_reader(BYTES(3, 0, 'a', 'b', 'c', 'h', 'i', 0, 'x', 'f', 'u', 'l', 'l', 'z', 0, '!'));
    CHECK_STR(rift_rd_str16(&r), RIFT_STR("abc"));
    CHECK_STR(rift_rd_fixed_str(&r, 4), RIFT_STR("hi")); /* up to the NUL, the field is skipped whole */
    CHECK_STR(rift_rd_fixed_str(&r, 4), RIFT_STR("full"));
    CHECK_STR(rift_rd_cstr(&r, 1, "name"), RIFT_STR("z"));
    CHECK_U64(rift_rd_u8(&r), '!');
    CHECK(rift_rd_ok(&r));

    r = open_reader(BYTES(4, 0, 'a', 'b', 'c'));
    CHECK_U64(rift_rd_str16(&r).size, 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    r = open_reader(BYTES('a', 'b', 'c')); /* no NUL before the end */
    CHECK_U64(rift_rd_cstr(&r, 10, "name").size, 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    r = open_reader(BYTES('a', 'b', 'c', 0)); /* longer than allowed */
    CHECK_U64(rift_rd_cstr(&r, 2, "name").size, 0);
    CHECK_CODE(&err, RIFT_ERR_TRUNCATED);
    r = open_reader(BYTES('a', 'b', 'c', 0)); /* exactly as long as allowed */
    CHECK_STR(rift_rd_cstr(&r, 3, "name"), RIFT_STR("abc"));
    r = open_reader(BYTES(0));
    CHECK_U64(rift_rd_cstr(&r, SIZE_MAX, "name").size, 0);
    CHECK(rift_rd_ok(&r));
}

static void views_point_into_the_input(void)
{
    const uint8_t bytes[] = {1, 2, 3, 4};
    rift_reader r = open_reader((rift_bytes){bytes, 4});
    rift_rd_skip(&r, 1);
    const rift_bytes view = rift_rd_bytes(&r, 2);
    CHECK(view.data == bytes + 1 && view.size == 2);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(reads_little_endian);
    RUN(stays_failed);
    RUN(reads_nothing_from_nothing);
    RUN(lengths_do_not_wrap);
    RUN(seeks_but_never_clamps);
    RUN(a_window_ends_where_it_ends);
    RUN(counts_are_checked);
    RUN(names_the_numbers);
    RUN(refuses_what_is_not_finite);
    RUN(reads_strings);
    RUN(views_point_into_the_input);
    return check_finish();
}
