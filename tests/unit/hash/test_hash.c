/* Vectors of formats/hashes.md and track-mapping.md, which two independent programs agreed on. */
#include "hash/hash.h"

#include <locale.h>

#include "support/check.h"

static void elf_vectors(void)
{
    static const struct {
        const char *name;
        uint32_t want;
    } rows[] = {
        {"", 0},
        {"Root", 0x00079664},
        {"root", 0x00079664},
        {"Head", 0x0006eb74},
        {"Neck", 0x00074b9b},
        {"Weapon", 0x07db875e},
        {"L_Shoulder", 0x0f6d0c52},
        {"Buffbone_Glb_Weapon_1", 0x02ae29d1},
        {"Buffbone_Glb_Channel_Loc", 0x004b3653},
        {"C_Buffbone_Glb_Layout_Loc", 0x06b164d3},
        {"Snap_Weapon2World", 0x073da864},
        {"Sword2LHandSheath", 0x0396ba68},
        {"jdfgsdhfsdfsd 6445dsfsd7fg/*/+bfjsdgf%$^", 0x0ecefd8e},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        CHECK_U64(rift_elf((rift_str){rows[i].name, strlen(rows[i].name)}), rows[i].want);
    }
    check_row("ear and ebb collide");
    CHECK_U64(rift_elf(RIFT_STR("ear")), rift_elf(RIFT_STR("ebb")));
}

static void fnv1a_vectors(void)
{
    static const struct {
        const char *name;
        uint32_t want;
    } rows[] = {
        {"", 0x811c9dc5},
        {"test", 0xafd071e5},
        {"Root", 0x20fd0e45},
        {"Weapon", 0x6f332041},
        {"Head", 0x32694bc3},
        {"Idle1", 0x9dd9dc06},
        {"SkinCharacterDataProperties", 0x9b67e9f6},
        {"animationGraphData", 0xf5fb07c7},
        {"JointSnapEventData", 0xb5c1b6ad},
        {"Characters/Lux/Skins/Skin29", 0x6dde9ffb},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        CHECK_U64(rift_fnv1a((rift_str){rows[i].name, strlen(rows[i].name)}), rows[i].want);
    }
}

static void path_vectors(void)
{
    static const struct {
        const char *name;
        uint64_t want;
    } rows[] = {
        {"data/characters/lux/lux.bin", 0x02fe0af750890fe6},
        {"DATA/Characters/Lux/Lux.bin", 0x02fe0af750890fe6},
        {"/data\\characters\\lux\\lux.bin", 0x02fe0af750890fe6},
        {"data/characters/lux/skins/skin29.bin", 0x98115579c0cf5f5c},
        {"assets/characters/lux/skins/base/lux.skn", 0xa2871dd1b0d9bfba},
        {"data/final/champions/lux.wad.subchunktoc", 0x1e26f67dd22ac936},
        {"plugins/rcp-be-lol-game-data/global/default/v1/champion-summary.json", 0x09364e80b15967d0},
        {"c8a0000000000001.bin", 0xc8a0000000000001},
        {"0xC8A0000000000001", 0xc8a0000000000001},
        {"a", 0xd24ec4f1a98c6e5b},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        CHECK_U64(rift_path_hash((rift_str){rows[i].name, strlen(rows[i].name)}), rows[i].want);
    }
}

static void checksums(void)
{
    const rift_bytes path = {(const uint8_t *)"data/characters/lux/lux.bin", 27};
    CHECK_U64(rift_xxh3((rift_bytes){0}), 0x2d06800538d394c2);
    CHECK_U64(rift_xxh3((rift_bytes){(const uint8_t *)"a", 1}), 0xe6c632b61e964e1f);
    CHECK_U64(rift_xxh3(path), 0x6d502cc7b2ba5431);
    CHECK_U64(rift_xxh64((rift_bytes){0}), 0xef46db3751d8e999);
    char hex[65];
    const rift_sha256 empty = rift_sha256_of((rift_bytes){0});
    rift_sha256_hex(&empty, hex);
    CHECK_STR(((rift_str){hex, 64}),
              RIFT_STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

/* T1: no locale takes part. Turkish folds I to a dotless i. */
static void locale_is_ignored(void)
{
    (void)setlocale(LC_ALL, "tr_TR.UTF-8");
    CHECK_U64(rift_fnv1a(RIFT_STR("IDLE1")), 0x9dd9dc06);
    (void)setlocale(LC_ALL, "C");
}

/* Vectors of formats/hashes.md, reached in two steps. */
static void a_name_may_be_hashed_in_pieces(void)
{
    CHECK_U64(rift_fnv1a_more(rift_fnv1a(RIFT_STR("Wea")), RIFT_STR("PON")), 0x6f332041);
    CHECK_U64(rift_fnv1a_more(rift_fnv1a(RIFT_STR("")), RIFT_STR("Idle1")), 0x9dd9dc06);
    CHECK_U64(rift_fnv1a_more(0x20fd0e45, RIFT_STR("")), 0x20fd0e45);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(elf_vectors);
    RUN(fnv1a_vectors);
    RUN(path_vectors);
    RUN(checksums);
    RUN(locale_is_ignored);
    RUN(a_name_may_be_hashed_in_pieces);
    return check_finish();
}
