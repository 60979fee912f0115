/* Writes the seed files of the fuzz targets: make_seeds CORPUS_DIR, which is tests/fuzz/corpus. Seeds are small, of our
 * own making, and each shows the fuzzer something that no other does. Run it by hand after adding a row; the files are
 * committed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "formats/wad_write.h"
#include "make_seeds.h"

enum { ARENA_LIMIT = 64 * 1024 * 1024 };

static const char ARCHIVE_PATH[] = "DATA/FINAL/Champions/Lux.wad.client";

/* --- Archives. --- */

static rift_bytes text(rift_arena *arena, size_t size, uint8_t seed)
{
    uint8_t *p = rift_arena_push(arena, size, 1, 1);
    for (size_t i = 0; i < size; i++)
        p[i] = (uint8_t)(seed + i / 9);
    return (rift_bytes){p, size};
}

static rift_bytes write_wad(rift_arena *arena, rift_wad_write_opts opts)
{
    const rift_wad_item items[] = {
        {.path_hash = 5, .data = text(arena, 20, 1), .storage = RIFT_WAD_RAW},
        {.path_hash = 4, .data = text(arena, 60, 2), .storage = RIFT_WAD_GZIP},
        {.path_hash = 3, .data = text(arena, 60, 3), .storage = RIFT_WAD_ZSTD},
        {.path_hash = 2, .data = text(arena, 9, 'a'), .storage = RIFT_WAD_REDIRECT},
        {.path_hash = 1, .data = text(arena, 120, 4), .storage = RIFT_WAD_ZSTD_CHUNKED, .chunk_count = 3},
    };
    rift_err err;
    rift_bytes out = {0};
    rift_err_in(&err, (rift_str){0});
    opts.path = rift_str_c(ARCHIVE_PATH);
    if (!rift_wad_write(&out, items, opts.major == 3 ? 5 : 4, &opts, arena, &err))
        printf("archive: %s\n", err.text);
    return out;
}

static rift_bytes wad_1(rift_arena *arena)
{
    return write_wad(arena, (rift_wad_write_opts){.major = 1});
}

static rift_bytes wad_2(rift_arena *arena)
{
    return write_wad(arena, (rift_wad_write_opts){.major = 2});
}

static rift_bytes wad_3_0(rift_arena *arena)
{
    return write_wad(arena, (rift_wad_write_opts){.major = 3});
}

static rift_bytes wad_3_1(rift_arena *arena)
{
    return write_wad(arena, (rift_wad_write_opts){.major = 3, .minor = 1});
}

static rift_bytes wad_3_2(rift_arena *arena)
{
    return write_wad(arena, (rift_wad_write_opts){.major = 3, .minor = 2});
}

static rift_bytes wad_3_4(rift_arena *arena)
{
    return write_wad(arena, (rift_wad_write_opts){.major = 3, .minor = 4});
}

static rift_bytes wad_3_4_packed_table(rift_arena *arena)
{
    return write_wad(arena,
                     (rift_wad_write_opts){
                         .major = 3, .minor = 4, .first_chunk = 3, .chunk_table_storage = RIFT_WAD_ZSTD});
}

static rift_bytes wad_3_3_no_table(rift_arena *arena)
{
    return write_wad(arena, (rift_wad_write_opts){.major = 3, .minor = 3, .omit_chunk_table = true});
}

/* --- Bins. --- */

static void put_values(fx_bin *f)
{
    static const float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    fx_bin_none(f, "none");
    fx_bin_bool(f, "bool", true);
    fx_bin_i8(f, "i8", -1);
    fx_bin_u16(f, "u16", 2);
    fx_bin_i32(f, "i32", -3);
    fx_bin_u64(f, "u64", 4);
    fx_bin_f32(f, "f32", 0.5F);
    fx_bin_vec2(f, "vec2", 1, 2);
    fx_bin_vec4(f, "vec4", 1, 2, 3, 4);
    fx_bin_mtx44(f, "mtx44", matrix);
    fx_bin_rgba(f, "rgba", 1, 2, 3, 4);
    fx_bin_string(f, "string", "text");
    fx_bin_hash(f, "hash", "Root");
    fx_bin_link(f, "link", "second");
    fx_bin_flag(f, "flag", true);
}

static void put_containers(fx_bin *f)
{
    fx_bin_null(f, "null");
    fx_bin_embed(f, "embed", "Outer");
    fx_bin_pointer(f, "pointer", "Inner");
    fx_bin_u8(f, "u8", 1);
    fx_bin_end(f);
    fx_bin_end(f);
    fx_bin_list(f, "list", RIFT_BIN_POINTER);
    fx_bin_null(f, NULL);
    fx_bin_pointer(f, NULL, "Inner");
    fx_bin_end(f);
    fx_bin_end(f);
    fx_bin_option(f, "option", RIFT_BIN_VEC3);
    fx_bin_vec3(f, NULL, 1, 2, 3);
    fx_bin_end(f);
    fx_bin_map(f, "map", RIFT_BIN_HASH, RIFT_BIN_STRING);
    fx_bin_hash(f, NULL, "a");
    fx_bin_string(f, NULL, "first");
    fx_bin_hash(f, NULL, "a");
    fx_bin_string(f, NULL, "second");
    fx_bin_end(f);
}

static rift_bytes write_bin(rift_arena *arena, fx_bin_opts opts)
{
    fx_bin f;
    fx_bin_init(&f, arena, opts);
    if (f.opts.version >= 2)
        fx_bin_depends(&f, "DATA/a.bin");
    fx_bin_entry(&f, "first", "First");
    put_values(&f);
    fx_bin_end(&f);
    fx_bin_entry(&f, "second", "Second");
    put_containers(&f);
    if (opts.numbering == 0) {
        fx_bin_file(&f, "file", "assets/a.tex");
        fx_bin_list2(&f, "list2", RIFT_BIN_I64);
        fx_bin_i64(&f, NULL, -1);
        fx_bin_end(&f);
    }
    fx_bin_end(&f);
    if (opts.patch && f.opts.version >= 3) {
        fx_bin_patch(&f, "first", "i8", RIFT_BIN_I8);
        fx_bin_i8(&f, NULL, 3);
        fx_bin_end(&f);
    }
    return fx_bin_finish(&f);
}

static rift_bytes bin_1_old(rift_arena *arena)
{
    return write_bin(arena, (fx_bin_opts){.version = 1, .numbering = 2});
}

static rift_bytes bin_2_middle(rift_arena *arena)
{
    return write_bin(arena, (fx_bin_opts){.version = 2, .numbering = 1});
}

static rift_bytes bin_3(rift_arena *arena)
{
    return write_bin(arena, (fx_bin_opts){.version = 3});
}

static rift_bytes bin_patch(rift_arena *arena)
{
    return write_bin(arena, (fx_bin_opts){.version = 3, .patch = true});
}

static rift_bytes bin_long_map(rift_arena *arena)
{
    fx_bin f;
    fx_bin_init(&f, arena, (fx_bin_opts){0});
    fx_bin_entry(&f, "t", "T");
    fx_bin_map(&f, "map", RIFT_BIN_U8, RIFT_BIN_U8);
    for (uint8_t i = 0; i < 40; i++) {
        fx_bin_u8(&f, NULL, i % 30);
        fx_bin_u8(&f, NULL, i);
    }
    fx_bin_end(&f);
    fx_bin_end(&f);
    return fx_bin_finish(&f);
}

static const struct seed {
    const char *target, *name;
    rift_bytes (*make)(rift_arena *arena);
} SEEDS[] = {
    {"bin", "prop1-old", bin_1_old},
    {"bin", "prop2-middle", bin_2_middle},
    {"bin", "prop3", bin_3},
    {"bin", "prop3-long-map", bin_long_map},
    {"bin", "ptch3", bin_patch},
    {"wad", "v1", wad_1},
    {"wad", "v2", wad_2},
    {"wad", "v3.0", wad_3_0},
    {"wad", "v3.3-no-table", wad_3_3_no_table},
    {"wad", "v3.1", wad_3_1},
    {"wad", "v3.2", wad_3_2},
    {"wad", "v3.4", wad_3_4},
    {"wad", "v3.4-packed-table", wad_3_4_packed_table},
};

static bool write_seed(const char *corpus, const struct seed *s)
{
    char path[4096];
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    const rift_bytes bytes = s->make(&arena);
    (void)snprintf(path, sizeof path, "%s/%s", corpus, s->target);
    bool ok = bytes.size > 0 && (mkdir(path, 0777) == 0 || errno == EEXIST);
    (void)snprintf(path, sizeof path, "%s/%s/%s", corpus, s->target, s->name);
    FILE *f = ok ? fopen(path, "wb") : NULL;
    ok = f != NULL && fwrite(bytes.data, 1, bytes.size, f) == bytes.size;
    if (f != NULL)
        ok &= fclose(f) == 0;
    printf("%s %s (%zu bytes)\n", ok ? "wrote" : "cannot write", path, bytes.size);
    rift_arena_release(&arena);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        printf("usage: make_seeds CORPUS_DIR\n");
        return 2;
    }
    bool ok = true;
    for (size_t i = 0; i < RIFT_COUNT(SEEDS); i++)
        ok &= write_seed(argv[1], &SEEDS[i]);
    ok &= make_convert_seeds(argv[1]);
    ok &= make_game_seeds(argv[1]);
    ok &= make_model_seeds(argv[1]);
    return ok ? 0 : 1;
}
