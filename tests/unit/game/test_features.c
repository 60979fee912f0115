/* What files show, from their first bytes as the format documents have them. */
#include <string.h>

#include "base/str.h"
#include "game/features.h"
#include "support/check.h"

static void tells_versions_apart(void)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *want; /* NULL: nothing */
    } rows[] = {{"PROP\1\0\0\0", 8, "bin 1"},
                {"PROP\3\0\0\0....", 12, "bin 3"},
                {"PROP\4\0\0\0", 8, "bin of another version"},
                {"PROP\3\1\0\0", 8, "bin of another version"},
                {"PROP", 4, "bin of another version"},
                {"PTCH\1\0\0\0\2\0\0\0PROP\3\0\0\0", 20, "bin patch"},
                {"\x33\x22\x11\0\0\0\1\0", 8, "skn 0"},
                {"\x33\x22\x11\0\4\0\1\0", 8, "skn 4"},
                {"\x33\x22\x11\0\3\0\1\0", 8, "skn of another version"},
                {"r3d2sklt\1\0\0\0", 12, "skl 1"},
                {"r3d2sklt\2\0\0\0", 12, "skl 2"},
                {"r3d2sklt\0\0\0\0", 12, "skl of another old version"},
                {"\x10\0\0\0\xc3\x4f\xfd\x22\0\0\0\0", 12, "skl"},
                {"\x10\0\0\0\xc3\x4f\xfd\x22\1\0\0\0", 12, "skl of another version"},
                {"r3d2anmd\3\0\0\0", 12, "anm 3"},
                {"r3d2anmd\5\0\0\0", 12, "anm 5"},
                {"r3d2anmd\x13\0\0\0", 12, "anm of another version"},
                {"r3d2canm\3\0\0\0", 12, "compressed anm 3"},
                {"r3d2canm\4\0\0\0", 12, "compressed anm of another version"},
                {"TEX\0\x10\0\x10\0\1\x0a\0\0", 12, "tex 10"},
                {"TEX\0\x10\0\x10\0\1\x15\0\0", 12, "tex of another format"},
                {"DDS |", 5, "dds of another format"},
                {"r3d2Mesh", 8, "scb"},
                {"r3d2Mes", 7, NULL},
                {"OggS", 4, NULL},
                {"", 0, NULL}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%zu", i);
        const rift_features f = rift_features_of((rift_bytes){(const uint8_t *)rows[i].bytes, rows[i].size});
        CHECK((f == 0) == (rows[i].want == NULL));
        CHECK((f & (f - 1)) == 0); /* one at most */
        if (f != 0)
            CHECK_STR(rift_str_c(rift_feature_word((unsigned)__builtin_ctzll(f))), rift_str_c(rows[i].want));
    }
}

static void tells_textures_apart(void)
{
    uint8_t dds[128] = "DDS ";
    static const struct {
        const char *fourcc, *want;
    } rows[] = {{"DXT1", "dds DXT1"},
                {"DXT5", "dds DXT5"},
                {"DX10", "dds DX10"},
                {"\0\0\0", "dds uncompressed"},
                {"DXT3", "dds of another format"}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        memcpy(dds + 84, rows[i].fourcc, 4);
        const rift_features f = rift_features_of((rift_bytes){dds, sizeof dds});
        CHECK_STR(rift_str_c(rift_feature_word((unsigned)__builtin_ctzll(f))), rift_str_c(rows[i].want));
    }
    CHECK(rift_feature_word(63) == NULL && rift_feature_word(47) == NULL && rift_feature_word(64) == NULL);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(tells_versions_apart);
    RUN(tells_textures_apart);
    return check_finish();
}
