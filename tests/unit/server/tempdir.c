#include "tempdir.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[PATH_MAX];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_all(void)
{
    (void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tempdir(void)
{
    if (root[0] != '\0')
        return root;
    const char *base = getenv("TMPDIR");
    (void)snprintf(root, sizeof root, "%s/rift-test-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(root) == NULL) {
        perror(root);
        exit(1);
    }
    (void)atexit(remove_all);
    return root;
}

const char *temppath(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, PATH_MAX, "%.2000s/%.2000s", tempdir(), name);
    return path;
}

void tempdir_make(const char *name)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s", temppath(name));
    for (char *slash = strchr(path + strlen(tempdir()) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    (void)mkdir(path, 0777);
}

void tempfile_write(const char *name, const void *data, unsigned long size)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", name);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
        tempdir_make(folder);
    }
    FILE *f = fopen(temppath(name), "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
        perror(name);
        exit(1);
    }
}
