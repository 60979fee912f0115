/* Names that files spell. Hashes are values of formats/hashes.md. */
#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "fixtures/fx_skl.h"
#include "fixtures/fx_skn.h"
#include "game/discover.h"
#include "support/check.h"

static rift_arena arena, tmp;
static rift_discovered found;

static void discover(rift_bytes file)
{
    found = (rift_discovered){0};
    rift_discover(&found, file, NULL, &arena, &tmp);
}

static bool has(rift_name_table table, uint64_t hash, const char *name)
{
    for (size_t i = 0; i < found.count; i++) {
        if (found.names[i].table == table && found.names[i].hash == hash &&
            rift_str_eq(found.names[i].name, rift_str_c(name)))
            return true;
    }
    return false;
}

static void models_spell_their_parts(void)
{
    static const fx_joint joints[] = {
        {.name = "Root", .parent = -1, .local = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}},
        {.name = "Weapon", .parent = 0, .local = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}}};
    for (int legacy = 0; legacy < 2; legacy++) {
        check_row("legacy %d", legacy);
        const fx_skl skl = {
            .legacy = legacy == 1, .version = legacy == 1 ? 2 : 0, .joints = joints, .joint_count = 2};
        discover(fx_skl_write(&skl, &arena));
        CHECK_U64(found.count, 2);
        CHECK(has(RIFT_NAMES_BINHASHES, 0x20fd0e45, "Root"));
        CHECK(has(RIFT_NAMES_BINHASHES, 0x6f332041, "Weapon"));
    }
    static const fx_vertex vertices[3] = {{.weights = {1}}, {.weights = {1}}, {.weights = {1}}};
    static const uint32_t indices[] = {0, 1, 2};
    static const fx_range ranges[] = {{"Weapon", 0, 3, 0, 3}};
    const fx_skn skn = {.major = 2,
                        .indices = indices,
                        .index_count = 3,
                        .vertices = vertices,
                        .vertex_count = 3,
                        .ranges = ranges,
                        .range_count = 1};
    discover(fx_skn_write(&skn, &arena));
    CHECK_U64(found.count, 1);
    CHECK(has(RIFT_NAMES_BINHASHES, 0x6f332041, "Weapon"));
}

static void bins_spell_what_they_hash(void)
{
    fx_bin b;
    fx_bin_init(&b, &arena, (fx_bin_opts){.version = 3});
    fx_bin_depends(&b, "DATA/Characters/Lux/Lux.bin");
    fx_bin_entry(&b, "Characters/Lux/Skins/Skin29", "SkinCharacterDataProperties");
    fx_bin_string(&b, "a", "Characters/Lux/Skins/Skin29");     /* its own entry */
    fx_bin_string(&b, "b", "Characters/Lux/Animations/Skin0"); /* a link below */
    fx_bin_string(&b, "c", "Idle1");                           /* a hash below */
    fx_bin_string(&b, "d", "Nobody hashes this");
    fx_bin_string(&b, "e", "Assets/Characters/Lux/Skins/Base/Lux.skn"); /* a file below */
    fx_bin_string(&b, "f", "Root\n");
    fx_bin_list(&b, "g", RIFT_BIN_STRING);
    fx_bin_string(&b, NULL, "Weapon");
    fx_bin_end(&b);
    fx_bin_map(&b, "h", RIFT_BIN_HASH, RIFT_BIN_LINK);
    fx_bin_hash(&b, NULL, "Idle1");
    fx_bin_link(&b, NULL, "Characters/Lux/Animations/Skin0");
    fx_bin_end(&b);
    fx_bin_embed(&b, "i", "X");
    fx_bin_hash(&b, "j", "Weapon");
    fx_bin_file(&b, "k", "Assets/Characters/Lux/Skins/Base/Lux.skn");
    fx_bin_file(&b, "l", "DATA/Characters/Lux/Lux.bin");
    fx_bin_hash(&b, "m", "Root\n");
    fx_bin_end(&b);
    fx_bin_end(&b);
    const rift_bytes file = fx_bin_finish(&b);
    discover(file);
    CHECK_U64(found.count, 6);
    CHECK(has(RIFT_NAMES_BINENTRIES, 0x6dde9ffb, "Characters/Lux/Skins/Skin29"));
    CHECK(has(RIFT_NAMES_BINENTRIES, 0x904b16d3, "Characters/Lux/Animations/Skin0"));
    CHECK(has(RIFT_NAMES_BINHASHES, 0x9dd9dc06, "Idle1"));
    CHECK(has(RIFT_NAMES_BINHASHES, 0x6f332041, "Weapon"));
    CHECK(has(RIFT_NAMES_GAME, UINT64_C(0xa2871dd1b0d9bfba), "assets/characters/lux/skins/base/lux.skn"));
    CHECK(has(RIFT_NAMES_GAME, UINT64_C(0x02fe0af750890fe6), "data/characters/lux/lux.bin"));
    /* Damaged, cut or starved, it spells less and harms nothing. */
    for (size_t size = 0; size < file.size; size++)
        discover((rift_bytes){file.data, size});
    for (uint64_t at = 1; at < 60; at++) {
        rift_arena small;
        rift_arena_init(&small, 1 << 20);
        small.fail_at = at;
        found = (rift_discovered){0};
        rift_discover(&found, file, NULL, at % 2 ? &small : &arena, at % 2 ? &tmp : &small);
        CHECK(found.count <= 6);
        rift_arena_release(&small);
    }
    discover((rift_bytes){(const uint8_t *)"PROP", 4});
    CHECK_U64(found.count, 0);
    discover((rift_bytes){0});
    CHECK_U64(found.count, 0);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 64 << 20);
    rift_arena_init(&tmp, 64 << 20);
    RUN(models_spell_their_parts);
    RUN(bins_spell_what_they_hash);
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return check_finish();
}
