#include "support/golden.h"

#include <stdlib.h>

#include "support/check.h"

unsigned long long golden_hash(rift_bytes bytes)
{
    unsigned long long hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < bytes.size; i++)
        hash = (hash ^ bytes.data[i]) * 0x100000001B3u;
    return hash;
}

static void rewrite(const char *path, rift_bytes dump)
{
    FILE *f = fopen(path, "wb");
    if (!CHECK(f != NULL))
        return;
    CHECK(fwrite(dump.data, 1, dump.size, f) == dump.size);
    CHECK(fclose(f) == 0);
    printf("note: %s was rewritten\n", path);
}

static rift_bytes next_line(rift_bytes *rest)
{
    const uint8_t *end = rest->size > 0 ? memchr(rest->data, '\n', rest->size) : NULL;
    const size_t size = end != NULL ? (size_t)(end - rest->data) : rest->size;
    const rift_bytes line = {rest->data, size};
    const size_t taken = size + (end != NULL);
    *rest = (rift_bytes){rest->data + taken, rest->size - taken};
    return line;
}

static rift_str as_str(rift_bytes b)
{
    return (rift_str){(const char *)b.data, b.size};
}

void check_golden(const char *name, rift_bytes dump)
{
    char path[4096];
    const char *source = getenv("RIFT_SOURCE_DIR");
    (void)snprintf(path, sizeof path, "%s/tests/golden/%s", source ? source : ".", name);
    const char *update = getenv("RIFT_UPDATE_GOLDEN");
    if (update != NULL && strcmp(update, "1") == 0) {
        rewrite(path, dump);
        return;
    }
    rift_bytes want = check_read_file(path);
    for (unsigned line = 1; dump.size > 0 || want.size > 0; line++) {
        check_row("%s, line %u", name, line);
        if (!CHECK_STR(as_str(next_line(&dump)), as_str(next_line(&want))))
            break;
    }
    check_row("%s", "");
}
