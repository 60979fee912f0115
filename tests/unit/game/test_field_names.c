/* Every constant of field_names.h has the hash of the name behind it. The hash is worked out here, not by the
 * code. */
#include <stdlib.h>

#include "game/field_names.h"
#include "support/check.h"

static uint32_t fnv1a(const char *s, size_t size)
{
    uint32_t h = 0x811C9DC5u;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)s[i];
        h = (h ^ (c >= 'A' && c <= 'Z' ? c + 32u : c)) * 0x01000193u;
    }
    return h;
}

/* "#define RIFT_F_NAME 0x8d39bde6u /" "* name *" "/" */
static bool check_line(const char *line, const char *end)
{
    const char *hex = strstr(line, " 0x");
    const char *name = strstr(line, "/* ");
    const char *close = strstr(line, " */");
    if (!CHECK(hex != NULL && hex < end) || !CHECK(name != NULL && name < end) ||
        !CHECK(close != NULL && close <= end - 3))
        return false;
    name += 3;
    check_row("%.*s", (int)(close - name), name);
    return CHECK_U64(strtoul(hex + 1, NULL, 16), fnv1a(name, (size_t)(close - name)));
}

static void every_constant_is_the_hash_of_its_name(void)
{
    char path[4096];
    const char *source = getenv("RIFT_SOURCE_DIR");
    (void)snprintf(path, sizeof path, "%s/core/game/field_names.h", source != NULL ? source : ".");
    const rift_bytes text = check_read_file(path);
    char *copy = calloc(1, text.size + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, text.data, text.size);
    size_t lines = 0;
    for (const char *at = strstr(copy, "#define RIFT_"); at != NULL; at = strstr(at + 1, "#define RIFT_")) {
        const char *end = strchr(at, '\n');
        const bool is_constant =
            strncmp(at, "#define RIFT_C_", 15) == 0 || strncmp(at, "#define RIFT_F_", 15) == 0;
        if (!is_constant || !CHECK(end != NULL))
            continue;
        (void)check_line(at, end);
        lines++;
    }
    check_row("%s", "");
    CHECK(lines >= 140);
    free(copy);
}

/* And the preprocessor agrees with the text, for one of each sort (vectors of formats/hashes.md). */
static void the_documents_vectors(void)
{
    CHECK_U64(RIFT_C_SKIN_CHARACTER_DATA_PROPERTIES, 0x9b67e9f6);
    CHECK_U64(RIFT_C_ANIMATION_GRAPH_DATA, 0xf5fb07c7);
    CHECK_U64(RIFT_C_STATIC_MATERIAL_DEF, 0xff9d3409);
    CHECK_U64(RIFT_C_JOINT_SNAP_EVENT_DATA, 3049371309u);
    CHECK_U64(RIFT_F_TEXTURE_NAME, 0xb311d4ef);
    CHECK_U64(RIFT_F_SAMPLER_NAME, 0x02e7fb4c);
    CHECK_U64(RIFT_F_TEXTURE_PATH, 0xf0a363e3);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(every_constant_is_the_hash_of_its_name);
    RUN(the_documents_vectors);
    return check_finish();
}
