/* Replays files through LLVMFuzzerTestOneInput, for builds without libFuzzer: every argument is a file or a folder. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        printf("cannot read %s\n", path);
        return 1;
    }
    (void)fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    (void)fseek(f, 0, SEEK_SET);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    const size_t got = fread(data, 1, (size_t)size, f);
    (void)fclose(f);
    (void)LLVMFuzzerTestOneInput(data, got);
    free(data);
    return 0;
}

static int replay(const char *path, unsigned *count)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        printf("no such file: %s\n", path);
        return 1;
    }
    if (!S_ISDIR(st.st_mode)) {
        (*count)++;
        return replay_file(path);
    }
    struct dirent **names;
    const int n = scandir(path, &names, NULL, alphasort);
    int bad = n < 0;
    for (int i = 0; i < n; i++) {
        char full[4096];
        (void)snprintf(full, sizeof full, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            (*count)++;
            bad |= replay_file(full);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return bad;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i], &count);
    printf("%u inputs replayed\n", count);
    return bad || count == 0;
}
