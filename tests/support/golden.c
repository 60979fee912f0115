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

/* The file, to be freed by the caller; NULL when it cannot be read. */
static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    (void)fseek(f, 0, SEEK_END);
    const long length = ftell(f);
    (void)fseek(f, 0, SEEK_SET);
    *size = length > 0 ? (size_t)length : 0;
    uint8_t *data = malloc(*size + 1);
    if (data != NULL)
        *size = fread(data, 1, *size, f);
    (void)fclose(f);
    return data;
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
    rift_bytes want = {0};
    uint8_t *const data = read_whole(path, &want.size);
    check_row("%s", path);
    if (!CHECK(data != NULL))
        return;
    want.data = data;
    for (unsigned line = 1; dump.size > 0 || want.size > 0; line++) {
        check_row("%s, line %u", name, line);
        if (!CHECK_STR(as_str(next_line(&dump)), as_str(next_line(&want))))
            break;
    }
    check_row("%s", "");
    free(data);
}
