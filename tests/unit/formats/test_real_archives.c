/* Real archives and bins, where the corpus is at hand: everything unpacks to its exact size, every checksum of a kind
 * that we know is right, every bin reads to its last byte. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/source.h"
#include "base/str.h"
#include "formats/bin.h"
#include "formats/wad.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 512 * 1024 * 1024 };

static bool read_fd(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const int *fd = user;
    if (pread(*fd, dst, len, (off_t)offset) == (ssize_t)len)
        return true;
    return rift_fail(err, RIFT_ERR_IO, "test", offset, "cannot read %zu bytes", len);
}

typedef struct opened {
    int fd;
    rift_arena arena;
    rift_report report;
    rift_wad wad;
} opened;

static bool open_wad(opened *o, const char *path)
{
    char full[4096];
    struct stat st;
    rift_err err = check_err();
    (void)snprintf(full, sizeof full, "%s/%s", check_corpus(), path);
    o->fd = open(full, O_RDONLY);
    if (!CHECK(o->fd >= 0) || !CHECK(fstat(o->fd, &st) == 0))
        return false;
    rift_arena_init(&o->arena, ARENA_LIMIT);
    rift_report_init(&o->report, &o->arena);
    const rift_source source = {.user = &o->fd, .size = (uint64_t)st.st_size, .read_at = read_fd};
    return CHECK_OK(rift_wad_open(&o->wad, source, rift_str_c(path), &o->arena, &o->report, &err), &err);
}

static void close_wad(opened *o)
{
    rift_arena_release(&o->arena);
    (void)close(o->fd);
}

typedef struct totals {
    size_t bins;
    size_t bin_entries;
    size_t summed; /* entries that carry a checksum */
} totals;

static void parse_bin(rift_bytes bytes, totals *sum)
{
    rift_err err = check_err();
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_bin bin;
    if (CHECK_OK(rift_bin_parse(&bin, bytes, &arena, NULL, &err), &err)) {
        CHECK_U64(bin.damaged_count, 0);
        CHECK_I64(bin.numbering, 0);
        sum->bins++;
        sum->bin_entries += bin.entry_count;
    }
    rift_arena_release(&arena);
}

static void unpack_entry(const rift_wad *wad, const rift_wad_entry *e, totals *sum)
{
    rift_err err = check_err();
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_bytes bytes = {0};
    rift_bytes stored = {0};
    check_row("%016llx", (unsigned long long)e->path_hash);
    CHECK_OK(rift_wad_read(wad, e, &arena, &bytes, &err), &err);
    CHECK_U64(bytes.size, e->size);
    CHECK_OK(rift_wad_read_stored(wad, e, &arena, &stored, &err), &err);
    if (e->checksum != 0) {
        CHECK_U64(rift_xxh3(stored), e->checksum);
        sum->summed++;
    }
    if (bytes.size >= 8 && memcmp(bytes.data, "PROP", 4) == 0)
        parse_bin(bytes, sum);
    rift_arena_release(&arena);
}

static totals unpack_all(const char *path, size_t want_entries, uint8_t want_minor)
{
    totals sum = {0};
    opened o;
    check_row("%s", path);
    if (!open_wad(&o, path))
        return sum;
    CHECK_U64(o.wad.entry_count, want_entries);
    CHECK_U64(o.wad.major, 3);
    CHECK_U64(o.wad.minor, want_minor);
    CHECK_U64(o.report.entry_count, 0);
    for (size_t i = 0; i < o.wad.entry_count; i++)
        unpack_entry(&o.wad, &o.wad.entries[i], &sum);
    close_wad(&o);
    printf("%s: %zu entries, %zu checksums, %zu bins with %zu objects\n", path, want_entries, sum.summed,
           sum.bins, sum.bin_entries);
    return sum;
}

static void unpacks_a_champion(void)
{
    const totals sum = unpack_all("game/DATA/FINAL/Champions/Yasuo.wad.client", 883, 4);
    CHECK_U64(sum.summed, 883);
    /* Counted by a script of its own that unpacks with the zstd command. */
    CHECK_U64(sum.bins, 51);
    CHECK_U64(sum.bin_entries, 910);
}

static void finds_entries_by_path(void)
{
    opened o;
    if (!open_wad(&o, "game/DATA/FINAL/Champions/Yasuo.wad.client"))
        return;
    const rift_wad_entry *skin =
        rift_wad_lookup(&o.wad, rift_path_hash(RIFT_STR("DATA/Characters/Yasuo/Skins/Skin0.bin")));
    rift_err err = check_err();
    rift_bytes bytes;
    rift_bin bin;
    if (CHECK(skin != NULL) && CHECK_OK(rift_wad_read(&o.wad, skin, &o.arena, &bytes, &err), &err) &&
        CHECK_OK(rift_bin_parse(&bin, bytes, &o.arena, &o.report, &err), &err)) {
        const rift_bin_entry *e = rift_bin_lookup(&bin, rift_fnv1a(RIFT_STR("Characters/Yasuo/Skins/Skin0")));
        CHECK_FATAL(e != NULL);
        CHECK_U64(e->object.class_hash, 0x9b67e9f6); /* SkinCharacterDataProperties */
        const rift_bin_object *mesh =
            rift_bin_object_of(&e->object, rift_fnv1a(RIFT_STR("skinMeshProperties")));
        rift_str skn;
        CHECK(rift_bin_file(mesh, rift_fnv1a(RIFT_STR("simpleSkin")), &skn) != 0);
        CHECK(rift_str_ends_nocase(skn, RIFT_STR(".skn")));
        CHECK(rift_wad_lookup(&o.wad, rift_path_hash(skn)) != NULL);
    }
    CHECK(rift_wad_lookup(&o.wad, rift_path_hash(RIFT_STR("no/such/file.bin"))) == NULL);
    close_wad(&o);
}

static void reads_small_archives(void)
{
    static const struct {
        const char *path;
        size_t entries;
        uint8_t minor;
    } rows[] = {
        {"files/wad/Online.wad.client", 0, 4},
        {"files/wad/UI.en_US.wad.client", 6, 4},
        {"files/wad/modded-3.3-one-chunk.wad.client", 1, 3},
        {"files/wad/modded-3.4-one-chunk.wad.client", 1, 4},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++)
        (void)unpack_all(rows[i].path, rows[i].entries, rows[i].minor);
}

static void reads_loose_bins(void)
{
    static const char *const paths[] = {
        "files/bin/alistar-animations-skin0.bin",
        "files/bin/auroraspirits-animations-skin0.bin",
        "files/bin/leona_small.bin",
        "sets/aatrox/skin0-merged.bin",
        "sets/aatrox/skin0-prop2.bin",
    };
    totals sum = {0};
    for (size_t i = 0; i < RIFT_COUNT(paths); i++) {
        check_row("%s", paths[i]);
        const rift_bytes bytes = check_corpus_file(paths[i]);
        CHECK(bytes.size > 0);
        parse_bin(bytes, &sum);
    }
    CHECK_U64(sum.bins, RIFT_COUNT(paths));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    if (check_corpus() == NULL)
        check_skip("the corpus is absent (RIFT_CORPUS, or shared/corpus beside the source tree)");
    RUN(unpacks_a_champion);
    RUN(finds_entries_by_path);
    RUN(reads_small_archives);
    RUN(reads_loose_bins);
    return check_finish();
}
