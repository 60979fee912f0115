/* Block decoding against blocks worked out by hand, and BC7 against an independent decoder. */
#include "bc7_blocks.h"
#include "support/check.h"
#include "texture/texture_internal.h"

static uint8_t hex_digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Blanks are skipped. */
static size_t from_hex(uint8_t *out, const char *hex)
{
    size_t digits = 0;
    for (; *hex != '\0'; hex++) {
        if (*hex == ' ')
            continue;
        out[digits / 2] =
            (uint8_t)(digits % 2 == 0 ? hex_digit(*hex) << 4 : out[digits / 2] | hex_digit(*hex));
        digits++;
    }
    return digits / 2;
}

/* Decodes one 4 x 4 block. */
static void decode_block(uint8_t out[64], rift_pixel_format format, const char *hex)
{
    uint8_t bytes[16];
    rift_image image = {.format = format, .level_count = 1};
    image.levels[0] = (rift_image_level){4, 4, {bytes, from_hex(bytes, hex)}};
    rift_arena arena;
    rift_arena_init(&arena, 1 << 20);
    rift_err err = check_err();
    rift_pixels pixels = {0};
    memset(out, 0xcd, 64);
    if (CHECK_OK(rift_texture_decode(&pixels, &image, 0, &arena, &err), &err))
        memcpy(out, pixels.rgba, 64);
    rift_arena_release(&arena);
}

static void check_texels(rift_pixel_format format, const char *block, const char *texels)
{
    uint8_t want[64];
    uint8_t got[64];
    CHECK_U64(from_hex(want, texels), sizeof want);
    decode_block(got, format, block);
    CHECK_BYTES(((rift_bytes){got, sizeof got}), ((rift_bytes){want, sizeof want}));
}

/* One row, four times. */
#define FOUR_ROWS(row) row row row row

/* Red 31 and blue 31 of 5 bits; f800 > 001f, so the mixes are 2/3 and 1/3: 170 and 85. */
static void bc1_four_colours(void)
{
    check_texels(RIFT_PIXEL_BC1, "00f81f00 e4e4e4e4", FOUR_ROWS("ff0000ff 0000ffff aa0055ff 5500aaff "));
}

/* 001f <= f800: entry 2 is the mean 127 (255 / 2 rounded down), entry 3 transparent black (B090). */
static void bc1_punch_through(void)
{
    check_texels(RIFT_PIXEL_BC1, "1f0000f8 e4e4e4e4", FOUR_ROWS("0000ffff ff0000ff 7f007fff 00000000 "));
    /* equal endpoints are the three-colour mode as well */
    check_texels(RIFT_PIXEL_BC1, "ffffffff e4e4e4e4", FOUR_ROWS("ffffffff ffffffff ffffffff 00000000 "));
}

/* 5 bits 10000 -> 1000_0100 = 132, 6 bits 100000 -> 1000_0010 = 130; and texel order: only texel 1 of row 0 and texel 2
 * of row 3 take entry 1. */
static void bc1_bits_and_order(void)
{
    check_texels(RIFT_PIXEL_BC1, "10840000 04000010",
                 "848284ff 000000ff 848284ff 848284ff "
                 "848284ff 848284ff 848284ff 848284ff "
                 "848284ff 848284ff 848284ff 848284ff "
                 "848284ff 848284ff 000000ff 848284ff");
}

/* Alphas 0 … 15 in texel order, times 17; the colour block keeps four colours though 001f < f800: mixes
 * (2 * 0 + 255) / 3 = 85 and 170 of red. */
static void bc2_alphas(void)
{
    check_texels(RIFT_PIXEL_BC2, "1032547698badcfe 1f0000f8 e4e4e4e4",
                 "0000ff00 ff0000 11 5500aa22 aa005533 "
                 "0000ff44 ff0000 55 5500aa66 aa005577 "
                 "0000ff88 ff0000 99 5500aaaa aa0055bb "
                 "0000ffcc ff0000 dd 5500aaee aa0055ff");
}

/* 200 > 60: steps of 140 / 7 = 20. Indices 0 … 7 twice: 0xfac688 packs 0 … 7 into 24 bits, low first
 * (0o76543210). White all over. */
static void bc3_eight_alphas(void)
{
    check_texels(RIFT_PIXEL_BC3, "c83c 88c6fa 88c6fa ffff0000 00000000",
                 "ffffffc8 ffffff3c ffffffb4 ffffffa0 "
                 "ffffff8c ffffff78 ffffff64 ffffff50 "
                 "ffffffc8 ffffff3c ffffffb4 ffffffa0 "
                 "ffffff8c ffffff78 ffffff64 ffffff50");
}

/* 60 <= 200: four steps of 28, then 0 and 255. */
static void bc3_six_alphas(void)
{
    check_texels(RIFT_PIXEL_BC3, "3cc8 88c6fa 88c6fa ffff0000 00000000",
                 "ffffff3c ffffffc8 ffffff58 ffffff74 "
                 "ffffff90 ffffffac ffffff00 ffffffff "
                 "ffffff3c ffffffc8 ffffff58 ffffff74 "
                 "ffffff90 ffffffac ffffff00 ffffffff");
}

/* Rounding down: (6 * 255 + 0) / 7 = 218.57, (5 * 255) / 7 = 182.1 … */
static void bc4_and_bc5(void)
{
    check_texels(RIFT_PIXEL_BC4, "ff00 88c6fa 88c6fa",
                 "ff0000ff 000000ff da0000ff b60000ff "
                 "910000ff 6d0000ff 480000ff 240000ff "
                 "ff0000ff 000000ff da0000ff b60000ff "
                 "910000ff 6d0000ff 480000ff 240000ff");
    check_texels(RIFT_PIXEL_BC5, "ff00 88c6fa 88c6fa 3cc8 000000 ffffff",
                 "ff3c00ff 003c00ff da3c00ff b63c00ff "
                 "913c00ff 6d3c00ff 483c00ff 243c00ff "
                 "ffff00ff 00ff00ff daff00ff b6ff00ff "
                 "91ff00ff 6dff00ff 48ff00ff 24ff00ff");
}

/* All pairs of ends: the mixes of formats/tex.md, divided as written there. */
static void values_of_all_ends(void)
{
    uint32_t wrong = 0;
    for (uint32_t a = 0; a < 256; a++) {
        for (uint32_t b = 0; b < 256; b++) {
            const uint8_t block[8] = {(uint8_t)a, (uint8_t)b, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
            uint8_t out[64];
            rift_bc4_block(out, block);
            wrong += out[0] != a || out[4] != b;
            for (uint32_t i = 2; i < 8; i++) {
                const uint32_t six = i < 6 ? ((6 - i) * a + (i - 1) * b) / 5 : i == 6 ? 0 : 255;
                wrong += out[i * 4] != (a > b ? ((8 - i) * a + (i - 1) * b) / 7 : six);
            }
        }
    }
    CHECK_U64(wrong, 0);
}

/* Mode 6, by hand: bit 6 set, then seven bits each R 127 0, G 0 127, B 64 64, A 127 127, p-bits 1 0, indices. Endpoint 0:
 * R 255, G 1, B 129, A 255; endpoint 1: R 0, G 254, B 128, A 254. Bits from the low end:
 *   at 7 R0 = 127, at 14 R1 = 0, at 21 G0 = 0, at 28 G1 = 127, at 35 B0 = 64, at 42 B1 = 64, at 49 A0, at 56 A1 = 127,
 *   at 63 p0 = 1; second word: at 0 p1 = 0, then index 0 in 3 bits (0), index 1 in 4 bits = 15, the rest 0.
 *   low  = 0x40 | 127 << 7 | 127 << 28 | 64 << 35 | 64 << 42 | 127 << 49 | 127 << 56 | 1 << 63 = ffff0207f0003fc0
 *   high = 15 << 4 = f0 */
static void bc7_mode_6(void)
{
    check_texels(RIFT_PIXEL_BC7, "c03f00f00702ffff f000000000000000",
                 "ff0181ff 00fe80fe ff0181ff ff0181ff "
                 "ff0181ff ff0181ff ff0181ff ff0181ff "
                 "ff0181ff ff0181ff ff0181ff ff0181ff "
                 "ff0181ff ff0181ff ff0181ff ff0181ff");
}

/* Mode 5, rotation 1 (alpha and red change places): bit 5, rotation at 6; R0 = R1 = 127 at 8 and 15, G0 = G1 = 0, B0 = B1
 * = 0 (until 50), A0 = 10 at 50, A1 = 10 at 58, colour indices (31 bits), alpha indices (31 bits) all 0. Before rotation
 * every texel is 255 0 0 10, after it 10 0 0 255.
 *   low = 0x20 | 1 << 6 | 127 << 8 | 127 << 15 | 10 << 50 | 10 << 58 = 28280000003fff60 */
static void bc7_mode_5_rotated(void)
{
    check_texels(RIFT_PIXEL_BC7, "60ff3f0000002828 0000000000000000",
                 FOUR_ROWS("0a0000ff 0a0000ff 0a0000ff 0a0000ff "));
}

/* Mode 3, partition 13 (ff00: the lower half is subset 1; its anchor is texel 15). Bit 3, partition at 4, R at 10: four
 * values of 7 bits, subset 0 127 127, subset 1 0 0; G at 38: 0 0 127 127; B at 66: 0; p-bits at 94: 1 1 0 0; indices 0.
 * Subset 0: R 255, G 1, B 1; subset 1: R 0, G 254, B 0.
 *   low  = 8 | 13 << 4 | 127 << 10 | 127 << 17 | 127 << 52 | (127 << 59, five bits of it) = fff0000000fffcd8
 *   high = 127 >> 5 | 3 << 30 = c0000003 */
static void bc7_mode_3_two_subsets(void)
{
    check_texels(RIFT_PIXEL_BC7, "d8fcff000000f0ff 030000c000000000",
                 "ff0101ff ff0101ff ff0101ff ff0101ff "
                 "ff0101ff ff0101ff ff0101ff ff0101ff "
                 "00fe00ff 00fe00ff 00fe00ff 00fe00ff "
                 "00fe00ff 00fe00ff 00fe00ff 00fe00ff");
}

/* Mode 4 with index selection 1: colours by the three-bit set. Bit 4, rotation 0, selection at 7; R0 = 31, R1 = 0 at 8
 * and 13; G, B 0 (until 38); A0 = 63 at 38, A1 = 0 at 44; 31 bits of two-bit indices from 50, 47 bits of three-bit ones
 * from 81. All indices 0 but texel 1 of the second set, 7, at 83, and texel 1 of the first, 3, at 51.
 *   low  = 0x10 | 1 << 7 | 31 << 8 | 63 << 38 | 3 << 51 = 18 0f c0 00 00 1f 90, from the top
 *   high = 7 << 19 */
static void bc7_mode_4_selection(void)
{
    check_texels(RIFT_PIXEL_BC7, "901f0000c00f1800 0000380000000000",
                 "ff0000ff 00000000 ff0000ff ff0000ff "
                 "ff0000ff ff0000ff ff0000ff ff0000ff "
                 "ff0000ff ff0000ff ff0000ff ff0000ff "
                 "ff0000ff ff0000ff ff0000ff ff0000ff");
    /* the same with only the second set's index: colour changes, alpha does not */
    check_texels(RIFT_PIXEL_BC7, "901f0000c00f0000 0000380000000000",
                 "ff0000ff 000000ff ff0000ff ff0000ff "
                 "ff0000ff ff0000ff ff0000ff ff0000ff "
                 "ff0000ff ff0000ff ff0000ff ff0000ff "
                 "ff0000ff ff0000ff ff0000ff ff0000ff");
}

static void bc7_all_modes(void)
{
    for (size_t i = 0; i < RIFT_COUNT(bc7_blocks); i++) {
        check_row("block %zu", i);
        check_texels(RIFT_PIXEL_BC7, bc7_blocks[i].block, bc7_blocks[i].texels);
    }
}

/* What does not fit is said before the arena is asked: it would stay failed, and cost more than this picture. */
static void a_picture_too_large_for_the_arena_leaves_it_sound(void)
{
    static const uint8_t block[8] = {0};
    const rift_image image = {
        .format = RIFT_PIXEL_BC1,
        .levels = {{.width = 4, .height = 4, .data = {block, sizeof block}}},
        .level_count = 1,
    };
    rift_arena small;
    rift_pixels pixels;
    rift_err err = check_err();
    rift_arena_init(&small, 63); /* 4 x 4 x 4 bytes are 64 */
    CHECK(!rift_texture_decode(&pixels, &image, 0, &small, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK_U64(small.failed, RIFT_OK);
    rift_arena_release(&small);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(bc1_four_colours);
    RUN(bc1_punch_through);
    RUN(bc1_bits_and_order);
    RUN(bc2_alphas);
    RUN(bc3_eight_alphas);
    RUN(bc3_six_alphas);
    RUN(bc4_and_bc5);
    RUN(values_of_all_ends);
    RUN(bc7_mode_6);
    RUN(bc7_mode_5_rotated);
    RUN(bc7_mode_3_two_subsets);
    RUN(bc7_mode_4_selection);
    RUN(bc7_all_modes);
    RUN(a_picture_too_large_for_the_arena_leaves_it_sound);
    return check_finish();
}
