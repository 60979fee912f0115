/* inspect: what a file is and holds, told by its first bytes, never by its name. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "formats/anm.h"
#include "formats/image.h"
#include "formats/scb.h"
#include "formats/skl.h"
#include "formats/skn.h"
#include "formats/wad.h"

static void put_floats(rift_json *j, const char *key, const float *values, size_t count)
{
    rift_json_key(j, key);
    rift_json_array(j);
    for (size_t i = 0; i < count; i++)
        rift_json_float(j, isfinite(values[i]) ? values[i] : 0);
    rift_json_array_end(j);
}

static bool inspect_skn(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    rift_skn skn;
    if (!rift_skn_parse(&skn, file->bytes, file->arena, report, err))
        return false;
    rift_json_put_uint(j, "version", skn.major);
    rift_json_put_uint(j, "flags", skn.flags);
    rift_json_put_uint(j, "vertex_type", skn.vertex_type);
    rift_json_put_uint(j, "vertices", skn.vertex_count);
    rift_json_put_uint(j, "triangles", skn.index_count / 3);
    rift_json_key(j, "submeshes");
    rift_json_array(j);
    for (size_t i = 0; i < skn.range_count; i++) {
        rift_json_object(j);
        rift_json_put_str(j, "name", skn.ranges[i].name);
        rift_json_put_uint(j, "vertices", skn.ranges[i].vertex_count);
        rift_json_put_uint(j, "triangles", skn.ranges[i].index_count / 3);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    return true;
}

static bool inspect_skl(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    rift_skl skl;
    if (!rift_skl_parse(&skl, file->bytes, file->arena, report, err))
        return false;
    rift_json_put_bool(j, "legacy", skl.legacy);
    rift_json_put_uint(j, "version", skl.version);
    rift_json_put_uint(j, "joint_count", skl.joint_count);
    rift_json_put_uint(j, "influences", skl.influence_count);
    rift_json_key(j, "joints");
    rift_json_array(j);
    for (size_t i = 0; i < skl.joint_count; i++) {
        const rift_skl_joint *joint = &skl.joints[i];
        rift_json_object(j);
        rift_json_put_uint(j, "id", i);
        rift_json_put_str(j, "name", joint->name);
        rift_json_put_int(j, "parent", joint->parent);
        rift_json_put_hex(j, "hash", joint->hash, 8);
        if (file->full) {
            const rift_trs *t = &joint->local;
            put_floats(j, "translation", (float[]){(float)t->t.x, (float)t->t.y, (float)t->t.z}, 3);
            put_floats(j, "rotation", (float[]){(float)t->r.x, (float)t->r.y, (float)t->r.z, (float)t->r.w},
                       4);
            put_floats(j, "scale", (float[]){(float)t->s.x, (float)t->s.y, (float)t->s.z}, 3);
        }
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    return true;
}

static const char *basis_word(rift_anm_basis basis)
{
    static const char *const words[] = {"linear", "spline, uniform", "spline, parametrised"};
    return words[basis];
}

static bool inspect_anm(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    rift_anm anm;
    if (!rift_anm_parse(&anm, file->bytes, file->arena, report, err))
        return false;
    rift_json_put_bool(j, "compressed", anm.compressed);
    rift_json_put_uint(j, "version", anm.version);
    rift_json_put_uint(j, "flags", anm.flags);
    rift_json_put_cstr(j, "interpolation", basis_word(anm.basis));
    rift_json_put_double(j, "fps", (double)anm.fps);
    rift_json_put_double(j, "length", (double)anm.length);
    rift_json_put_double(j, "stored_duration", (double)anm.stored_duration);
    rift_json_put_uint(j, "frames", anm.frame_count);
    rift_json_put_uint(j, "tracks", anm.track_count);
    if (!file->full)
        return true;
    rift_json_key(j, "track_list");
    rift_json_array(j);
    for (size_t i = 0; i < anm.track_count; i++) {
        const rift_anm_track *track = &anm.tracks[i];
        rift_json_object(j);
        rift_json_put_hex(j, "hash", track->hash, 8);
        rift_json_put_uint(j, "rotation_keys", track->curves[RIFT_ANM_ROTATION].key_count);
        rift_json_put_uint(j, "translation_keys", track->curves[RIFT_ANM_TRANSLATION].key_count);
        rift_json_put_uint(j, "scale_keys", track->curves[RIFT_ANM_SCALE].key_count);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    return true;
}

static bool inspect_image(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    rift_image image;
    if (!rift_image_parse(&image, file->bytes, report, err))
        return false;
    rift_json_put_cstr(j, "format", rift_pixel_format_name(image.format));
    /* A number of .tex and DX10 headers, four characters in an older .dds. */
    const uint32_t f = image.stored_format;
    const char word[] = {(char)(f & 0xFF), (char)(f >> 8 & 0xFF), (char)(f >> 16 & 0xFF), (char)(f >> 24)};
    if (f > 0xFFFF) {
        rift_json_put_str(j, "stored_format", (rift_str){word, sizeof word});
    } else {
        rift_json_put_uint(j, "stored_format", f);
    }
    rift_json_put_uint(j, "width", image.levels[0].width);
    rift_json_put_uint(j, "height", image.levels[0].height);
    rift_json_put_uint(j, "levels", image.level_count);
    return true;
}

static bool inspect_scb(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    rift_scb scb;
    if (!rift_scb_parse(&scb, file->bytes, file->arena, report, err))
        return false;
    char version[16];
    (void)snprintf(version, sizeof version, "%u.%u", scb.major, scb.minor);
    rift_json_put_cstr(j, "version", version);
    rift_json_put_str(j, "name", scb.name);
    rift_json_put_uint(j, "vertices", scb.vertex_count);
    rift_json_put_uint(j, "faces", scb.face_count);
    rift_json_key(j, "materials");
    rift_json_array(j);
    for (size_t i = 0; i < scb.material_count; i++)
        rift_json_str(j, scb.materials[i]);
    rift_json_array_end(j);
    return true;
}

static bool inspect_wad(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    rift_wad wad;
    if (!rift_wad_open(&wad, file->source, file->name, file->arena, report, err))
        return false;
    char version[16];
    (void)snprintf(version, sizeof version, "%u.%u", wad.major, wad.minor);
    enum { WORDS = RIFT_WAD_ZSTD_CHUNKED + 2 }; /* and one for what is none of them */
    size_t counts[WORDS] = {0};
    for (size_t i = 0; i < wad.entry_count; i++)
        counts[wad.entries[i].storage < WORDS ? wad.entries[i].storage : WORDS - 1]++;
    rift_json_put_cstr(j, "version", version);
    rift_json_put_uint(j, "entries", wad.entry_count);
    rift_json_key(j, "storage");
    rift_json_object(j);
    for (size_t i = 0; i < WORDS; i++) {
        if (counts[i] > 0)
            rift_json_put_uint(j, cli_storage_word((uint8_t)i), counts[i]);
    }
    rift_json_object_end(j);
    rift_json_put_uint(j, "sub_chunks", wad.chunk_count);
    return true;
}

typedef struct known_format {
    const char *word;
    size_t at; /* offset of the magic */
    const char *magic;
    size_t magic_size;
    cli_inspect_fn *inspect;
} known_format;

static const known_format formats[] = {
    {"wad", 0, "RW", 2, inspect_wad},
    {"bin", 0, "PROP", 4, inspect_bin},
    {"bin", 0, "PTCH", 4, inspect_bin},
    {"skn", 0, "\x33\x22\x11\x00", 4, inspect_skn},
    {"skl", 4, "\xC3\x4F\xFD\x22", 4, inspect_skl},
    {"skl", 0, "r3d2sklt", 8, inspect_skl},
    {"anm", 0, "r3d2canm", 8, inspect_anm},
    {"anm", 0, "r3d2anmd", 8, inspect_anm},
    {"scb", 0, "r3d2Mesh", 8, inspect_scb},
    {"tex", 0, "TEX\0", 4, inspect_image},
    {"dds", 0, "DDS ", 4, inspect_image},
    {"glb", 0, "glTF", 4, inspect_glb},
};

static const known_format *detect(rift_bytes bytes)
{
    for (size_t i = 0; i < RIFT_COUNT(formats); i++) {
        const known_format *f = &formats[i];
        if (bytes.size >= f->at + f->magic_size && memcmp(bytes.data + f->at, f->magic, f->magic_size) == 0)
            return f;
    }
    return NULL;
}

static bool unknown(rift_bytes bytes, rift_err *err)
{
    char hex[8 * 3 + 1] = "";
    for (size_t i = 0; i < 8 && i < bytes.size; i++)
        (void)snprintf(hex + 3 * i, 4, " %02x", bytes.data[i]);
    return rift_fail(err, RIFT_ERR_FORMAT, "magic", 0, "no known format: %zu bytes%s%s", bytes.size,
                     hex[0] != 0 ? ", first" : "", hex);
}

/* Archives may be larger than memory and are read where they lie; everything else is read whole. */
static bool load(cli_inspected *file, const char *path, int *fd, rift_err *err)
{
    uint8_t magic[2] = {0};
    if (strcmp(path, "-") != 0) {
        if (!cli_open_file(path, &file->source, fd, err))
            return false;
        if (file->source.size >= sizeof magic &&
            !file->source.read_at(file->source.user, 0, magic, sizeof magic, err))
            return false;
        if (memcmp(magic, "RW", 2) == 0)
            return true;
    }
    if (!rift_file_read(path, CLI_MAX_FILE, file->arena, &file->bytes, err))
        return false;
    file->source = rift_source_from_bytes(&file->bytes);
    return true;
}

static bool show(const cli_inspected *file, const char *path, rift_buf *out, rift_err *err)
{
    const known_format *format = file->bytes.data != NULL ? detect(file->bytes) : &formats[0];
    if (format == NULL)
        return unknown(file->bytes, err);
    rift_report report;
    rift_json j;
    rift_report_init(&report, file->arena);
    rift_json_init(&j, out);
    rift_json_object(&j);
    rift_json_put_cstr(&j, "file", path);
    rift_json_put_cstr(&j, "kind", format->word);
    rift_json_put_uint(&j, "bytes", file->source.size);
    if (!format->inspect(&j, file, &report, err))
        return false;
    if (report.entry_count > 0) {
        rift_json_key(&j, "warnings");
        rift_json_report(&j, &report);
    }
    rift_json_object_end(&j);
    return rift_buf_ok(out, "output", err);
}

static bool inspect_path(cli_args *args, const rift_names *names, const char *path, rift_err *err)
{
    rift_arena arena;
    rift_buf out;
    int fd = -1;
    cli_inspected file = {.name = rift_str_base(rift_str_c(path)),
                          .arena = &arena,
                          .names = names->lookup != NULL ? names : NULL,
                          .full = cli_has(args, "full")};
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_buf_init(&out, &arena, CLI_MAX_FILE);
    rift_err_in(err, rift_str_c(path));
    const bool ok = load(&file, path, &fd, err) && show(&file, path, &out, err) &&
                    cli_print(args, rift_buf_bytes(&out), err);
    if (fd >= 0)
        (void)close(fd);
    rift_arena_release(&arena);
    return ok;
}

int cmd_inspect(cli_args *args)
{
    rift_err err;
    rift_names names;
    rift_err_in(&err, (rift_str){0});
    if (args->operand_count == 0)
        return cli_misuse(args, "which file?");
    if (!cli_open_names(&names, args, &err))
        return cli_error(args, &err);
    int code = CLI_OK;
    for (size_t i = 0; i < args->operand_count; i++) {
        if (!inspect_path(args, &names, args->operands[i], &err))
            code = cli_error(args, &err);
    }
    return code;
}
