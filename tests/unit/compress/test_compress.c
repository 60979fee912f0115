#include "compress/compress.h"

#include "support/check.h"

/* "hello hello hello hello\n" as packed by gzip 1.12 -n -9 and zstd 1.5 -3 --no-check (frame with its content size). */
static const uint8_t GZIPPED[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                  0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0xb9,
                                  0x00, 0x00, 0x88, 0x59, 0x0b, 0x18, 0x00, 0x00, 0x00};
static const uint8_t ZSTDED[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x18, 0x6d, 0x00, 0x00, 0x38, 0x68,
                                 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x0a, 0x01, 0x00, 0x99, 0x4b, 0x11};
static const char TEXT[] = "hello hello hello hello\n";
enum { TEXT_SIZE = sizeof TEXT - 1 };

typedef bool unpack_fn(uint8_t *dst, size_t dst_size, rift_bytes src, const char *where, rift_err *err);

static const struct codec {
    const char *name;
    unpack_fn *unpack;
    rift_bytes packed;
} CODECS[] = {
    {"gzip", rift_gunzip, {GZIPPED, sizeof GZIPPED}},
    {"zstd", rift_unzstd, {ZSTDED, sizeof ZSTDED}},
};

static void unpacks_foreign_bytes(void)
{
    for (size_t i = 0; i < RIFT_COUNT(CODECS); i++) {
        uint8_t out[TEXT_SIZE];
        rift_err err = check_err();
        check_row("%s", CODECS[i].name);
        CHECK_OK(CODECS[i].unpack(out, sizeof out, CODECS[i].packed, "x", &err), &err);
        CHECK_STR(((rift_str){(const char *)out, sizeof out}), RIFT_STR("hello hello hello hello\n"));
    }
}

static void refuses_other_sizes(void)
{
    static const size_t sizes[] = {0, 1, TEXT_SIZE - 1, TEXT_SIZE + 1, 1000};
    for (size_t i = 0; i < RIFT_COUNT(CODECS); i++) {
        for (size_t k = 0; k < RIFT_COUNT(sizes); k++) {
            uint8_t out[1000];
            rift_err err = check_err();
            check_row("%s into %zu bytes", CODECS[i].name, sizes[k]);
            CHECK(!CODECS[i].unpack(out, sizes[k], CODECS[i].packed, "x", &err));
            CHECK_CODE(&err, RIFT_ERR_FORMAT);
        }
    }
}

static bool gunzip_text(rift_bytes in, rift_arena *arena, rift_err *err)
{
    uint8_t *dst = rift_arena_push(arena, TEXT_SIZE, 1, 1);
    return rift_gunzip(dst, TEXT_SIZE, in, "x", err);
}

static bool unzstd_text(rift_bytes in, rift_arena *arena, rift_err *err)
{
    uint8_t *dst = rift_arena_push(arena, TEXT_SIZE, 1, 1);
    return rift_unzstd(dst, TEXT_SIZE, in, "x", err);
}

static void refuses_prefixes(void)
{
    check_prefixes(gunzip_text, CODECS[0].packed, 0, RIFT_ERR_TRUNCATED);
    check_prefixes(unzstd_text, CODECS[1].packed, 0, RIFT_ERR_TRUNCATED);
}

static void survives_changed_bytes(void)
{
    check_every_byte(gunzip_text, CODECS[0].packed);
    check_every_byte(unzstd_text, CODECS[1].packed);
}

static void round_trips(void)
{
    rift_arena arena;
    rift_arena_init(&arena, 64 * 1024 * 1024);
    static const size_t sizes[] = {0, 1, 100, 200000};
    uint8_t *data = rift_arena_push(&arena, 200000, 1, 1);
    uint32_t noise = 1;
    for (size_t i = 0; i < 200000; i++) {
        noise = noise * 1664525 + 1013904223;
        data[i] = i % 3 == 0 ? (uint8_t)(noise >> 24) : 7;
    }
    for (size_t i = 0; i < RIFT_COUNT(sizes); i++) {
        rift_err err = check_err();
        const rift_bytes plain = {data, sizes[i]};
        uint8_t *out = rift_arena_push(&arena, sizes[i], 1, 1);
        rift_bytes packed;
        check_row("%zu bytes", sizes[i]);
        CHECK_OK(rift_gzip(&packed, plain, &arena, &err), &err);
        CHECK_OK(rift_gunzip(out, sizes[i], packed, "x", &err), &err);
        CHECK_BYTES(((rift_bytes){out, sizes[i]}), plain);
        CHECK_OK(rift_zstd(&packed, plain, 3, &arena, &err), &err);
        CHECK(rift_is_zstd(packed));
        memset(out, 0, sizes[i]);
        CHECK_OK(rift_unzstd(out, sizes[i], packed, "x", &err), &err);
        CHECK_BYTES(((rift_bytes){out, sizes[i]}), plain);
    }
    rift_arena_release(&arena);
}

static void unpacks_frame_by_frame(void)
{
    uint8_t two[2 * sizeof ZSTDED];
    uint8_t out[2 * TEXT_SIZE];
    memcpy(two, ZSTDED, sizeof ZSTDED);
    memcpy(two + sizeof ZSTDED, ZSTDED, sizeof ZSTDED);
    const rift_bytes both = {two, sizeof two};
    rift_err err = check_err();
    size_t consumed = 0;
    size_t produced = 0;
    CHECK_OK(rift_unzstd_frame(out, sizeof out, both, &consumed, &produced, "x", &err), &err);
    CHECK_U64(consumed, sizeof ZSTDED);
    CHECK_U64(produced, TEXT_SIZE);
    CHECK_OK(rift_unzstd(out, sizeof out, both, "x", &err), &err);
    CHECK(!rift_unzstd_frame(out, TEXT_SIZE - 1, both, &consumed, &produced, "x", &err));
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
}

static void refuses_bytes_behind_a_frame(void)
{
    uint8_t longer[sizeof ZSTDED + 8] = {0};
    uint8_t out[TEXT_SIZE];
    memcpy(longer, ZSTDED, sizeof ZSTDED);
    rift_err err = check_err();
    CHECK(!rift_unzstd(out, sizeof out, (rift_bytes){longer, sizeof longer}, "x", &err));
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
}

static void ignores_bytes_behind_gzip(void)
{
    uint8_t longer[sizeof GZIPPED + 8] = {0};
    uint8_t out[TEXT_SIZE];
    memcpy(longer, GZIPPED, sizeof GZIPPED);
    rift_err err = check_err();
    CHECK_OK(rift_gunzip(out, sizeof out, (rift_bytes){longer, sizeof longer}, "x", &err), &err);
}

static bool pack_both(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_bytes packed;
    return rift_gzip(&packed, in, arena, err) && rift_zstd(&packed, in, 3, arena, err);
}

static void packing_survives_failing_memory(void)
{
    check_allocations(pack_both, (rift_bytes){(const uint8_t *)TEXT, TEXT_SIZE});
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(unpacks_foreign_bytes);
    RUN(refuses_other_sizes);
    RUN(refuses_prefixes);
    RUN(survives_changed_bytes);
    RUN(round_trips);
    RUN(unpacks_frame_by_frame);
    RUN(refuses_bytes_behind_a_frame);
    RUN(ignores_bytes_behind_gzip);
    RUN(packing_survives_failing_memory);
    return check_finish();
}
