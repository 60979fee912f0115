/* Materials and textures: each texture file is decoded once, looked at by every part that uses it (decisions 24), and
 * encoded with or without alpha as those parts need it. Textures are numbered in the order of the parts. With variants there
 * are as many looks again for each: those of the parts first, then those of the first variant, and so on. */
#include "bake/bake_internal.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

typedef struct part_look {
    rift_look look;
    bool done;
    bool glow_done;   /* its emissive texture */
    bool placeholder; /* its texture was missing or unreadable */
    const char *alpha_reason;
} part_look;

typedef struct texture_work {
    bake_job *job;
    part_look *looks; /* one per part, and one per part and variant */
    size_t count;
    rift_map by_content;
} texture_work;

static const rift_part *part_of(const texture_work *w, size_t look)
{
    return &w->job->scene.parts[look % w->job->scene.part_count];
}

static rift_str context_of(const texture_work *w, size_t i)
{
    const size_t parts = w->job->scene.part_count;
    const rift_str part = part_of(w, i)->name;
    if (i < parts)
        return part;
    return rift_arena_printf(w->job->tmp, "%.*s: %.*s", RIFT_STR_ARG(w->job->variants[i / parts - 1].name),
                             RIFT_STR_ARG(part));
}

static rift_wrap wrap_of(rift_address_mode mode)
{
    return mode == RIFT_ADDRESS_CLAMP    ? RIFT_WRAP_CLAMP
           : mode == RIFT_ADDRESS_MIRROR ? RIFT_WRAP_MIRROR
                                         : RIFT_WRAP_REPEAT;
}

static rift_material material_of(const rift_part *part, const rift_look *look)
{
    rift_material m = {
        .name = part->name,
        .texture = RIFT_NO_INDEX,
        .double_sided = true,
        .alpha_cutoff = 0.5f,
        .base_color = {1, 1, 1, 1},
    };
    if (!look->has_material)
        return m;
    const rift_material_def *def = &look->material;
    m.double_sided = !def->cull;
    m.wrap_u = wrap_of(def->address_u);
    m.wrap_v = wrap_of(def->address_v);
    m.has_uv_transform = def->has_uv_transform;
    for (size_t i = 0; i < 2; i++) {
        m.uv_scale[i] = def->uv_scale[i];
        m.uv_offset[i] = def->uv_offset[i];
    }
    return m;
}

/* What the material alone decides; false when the texels must be looked at (decisions 24). */
static bool alpha_from_material(rift_material *m, part_look *pl)
{
    const rift_material_def *def = &pl->look.material;
    if (!pl->look.has_material)
        return false;
    if (def->alpha_test) {
        m->alpha_mode = RIFT_ALPHA_MASK;
        m->alpha_cutoff = def->alpha_cutoff;
        pl->alpha_reason = "alpha test of the material";
    } else if (def->blend_signal) {
        m->alpha_mode = RIFT_ALPHA_BLEND;
        m->base_color[3] = def->opacity;
        pl->alpha_reason = "blending with an alpha signal in the material";
    } else if (!def->blend) {
        pl->alpha_reason = "the material does not blend";
    } else {
        return false;
    }
    return true;
}

static void alpha_from_texels(rift_material *m, part_look *pl, const rift_alpha_stats *s, bool punch_through)
{
    const uint64_t rest = s->low + s->high + s->middle;
    const bool may_mask = punch_through || (pl->look.has_material && pl->look.material.blend);
    if (rest == 0) {
        pl->alpha_reason = "every covered texel is opaque";
    } else if (may_mask && (double)(s->low + s->high) >= 0.95 * (double)rest) {
        m->alpha_mode = RIFT_ALPHA_MASK;
        m->alpha_cutoff = 0.5f;
        pl->alpha_reason = "covered texels are either clear or opaque";
    } else {
        pl->alpha_reason = "alpha is no opacity here";
    }
}

/* A texture in tmp. */
typedef struct loaded {
    rift_pixels pixels; /* what is written */
    rift_pixels
        judged; /* the same, or the full size where alpha counts: whatever is written, it is decided alike */
    rift_pixel_format format;
    bool opaque; /* every texel of the full size */
    bool placeholder;
} loaded;

/* Of a picture only the modes are wanted, not why they are so: there the full size is left alone where it decides none. */
static bool decode(loaded *out, const rift_image *image, bool blends, bake_job *job, rift_err *err)
{
    const rift_image_level *full = &image->levels[0];
    const bool counts = blends || image->format == RIFT_PIXEL_BC1 || !job->raw_textures;
    if (!rift_texture_load(&out->pixels, image, job->options.max_texture, job->tmp, err))
        return false;
    out->judged = out->pixels;
    out->format = image->format;
    out->opaque = rift_texture_is_opaque(image, 0);
    if (out->opaque || !counts || (out->pixels.width == full->width && out->pixels.height == full->height))
        return true;
    return rift_texture_decode(&out->judged, image, 0, job->tmp, err);
}

/* Reads and decodes; where there is no such file `otherwise` (may be NULL) is read. A failure is reported and gives the
 * placeholder. */
static bool load_texture(
    loaded *out, bake_job *job, const rift_asset_path *path, const rift_asset_path *otherwise, bool blends)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bytes bytes;
    rift_image image;
    *out = (loaded){0};
    bool ok = bake_read(job, path, &bytes, &err);
    if (!ok && err.code == RIFT_ERR_NOT_FOUND && otherwise != NULL && otherwise->hash != 0) {
        rift_err_in(&err, (rift_str){0});
        ok = bake_read(job, otherwise, &bytes, &err);
    }
    if (ok && rift_image_parse(&image, bytes, &job->result->report, &err) &&
        decode(out, &image, blends, job, &err))
        return true;
    if (!rift_arena_ok(job->tmp, "texture", job->err))
        return false;
    rift_report_err(&job->result->report,
                    err.code == RIFT_ERR_NOT_FOUND ? "texture_missing" : "texture_unreadable", &err);
    out->placeholder = true;
    out->opaque = true;
    return rift_texture_placeholder(&out->pixels, job->tmp, job->err);
}

static bool decide_alpha(texture_work *w, size_t i, const loaded *texture)
{
    bake_job *job = w->job;
    rift_material *m = &job->scene.materials[i];
    if (alpha_from_material(m, &w->looks[i]))
        return true;
    rift_alpha_stats stats = {0};
    if (!texture->opaque && !bake_coverage(&stats, part_of(w, i), &texture->judged, job->tmp, job->err))
        return false;
    const bool punch_through = !texture->opaque && texture->format == RIFT_PIXEL_BC1;
    alpha_from_texels(m, &w->looks[i], &stats, punch_through);
    return true;
}

/* The pixels themselves, alpha and all. */
static bool add_raw_texture(texture_work *w, const rift_pixels *pixels, uint32_t *index)
{
    rift_scene *scene = &w->job->scene;
    const size_t size = (size_t)pixels->width * pixels->height * 4;
    uint8_t *copy = RIFT_NEW(w->job->out, uint8_t, size);
    if (copy == NULL)
        return rift_arena_ok(w->job->out, "texture", w->job->err);
    memcpy(copy, pixels->rgba, size);
    *index = (uint32_t)scene->texture_count;
    scene->textures[scene->texture_count++] =
        (rift_texture){.width = pixels->width, .height = pixels->height, .rgba = copy};
    return true;
}

/* As the options ask, and as PNG where that cannot hold it: JPEG has no alpha, WebP has a largest side. */
static bool
encode(bake_job *job, const rift_pixels *pixels, bool with_alpha, rift_bytes *data, const char **mime)
{
    const unsigned format = job->options.texture;
    if (format == RIFT_TEXTURE_WEBP && pixels->width <= RIFT_WEBP_MAX_SIDE &&
        pixels->height <= RIFT_WEBP_MAX_SIDE) {
        *mime = "image/webp";
        return rift_webp_write(data, pixels, with_alpha, false, job->out, job->err);
    }
    if (format == RIFT_TEXTURE_JPEG && !with_alpha) {
        *mime = "image/jpeg";
        return rift_jpeg_write(data, pixels, job->out, job->tmp, job->err);
    }
    if (format != RIFT_TEXTURE_PNG) {
        rift_report_add(&job->result->report, "texture_stays_png", "%s",
                        with_alpha ? "it has alpha" : "it is too large");
    }
    *mime = "image/png";
    return rift_png_write(data, pixels, with_alpha, job->out, job->tmp, job->err);
}

/* Encodes and adds the texture, unless the same image is there already (G33). `path` NULL: the placeholder. */
static bool add_texture(
    texture_work *w, const rift_asset_path *path, const rift_pixels *pixels, bool with_alpha, uint32_t *index)
{
    bake_job *job = w->job;
    rift_scene *scene = &job->scene;
    if (job->raw_textures)
        return add_raw_texture(w, pixels, index);
    rift_bytes data;
    const char *mime;
    if (!encode(job, pixels, with_alpha, &data, &mime))
        return false;
    const uint32_t fresh = (uint32_t)scene->texture_count;
    *index = rift_map_add(&w->by_content, rift_xxh3(data), fresh);
    if (*index != fresh)
        return true;
    scene->textures[scene->texture_count++] = (rift_texture){
        .name = path != NULL ? rift_str_stem(rift_asset_path_text(path, job->out)) : RIFT_STR("placeholder"),
        .mime = mime,
        .data = data,
        .width = pixels->width,
        .height = pixels->height,
    };
    return rift_arena_ok(job->out, "texture", job->err);
}

static bool same_texture(const part_look *a, const part_look *b)
{
    return a->look.texture.hash == b->look.texture.hash;
}

/* What adds to the picture behind it and has no alpha: black adds nothing there, but would be a black box when blended. */
static bool is_light(bake_job *job, part_look *pl, const loaded *texture)
{
    if (!pl->look.has_material || !pl->look.material.additive || pl->look.material.alpha_test ||
        texture->placeholder || !rift_texture_alpha_stats(&texture->judged).all_255)
        return false;
    pl->alpha_reason = "adds light: its brightness is its opacity";
    rift_report_add(&job->result->report, "additive_approximated", "blended by brightness");
    return true;
}

/* Alpha is the brightest colour, and the colours are those that times alpha give what they were. */
static bool light_of(rift_pixels *out, const rift_pixels *pixels, rift_arena *tmp, rift_err *err)
{
    const size_t size = (size_t)4 * pixels->width * pixels->height;
    *out = (rift_pixels){pixels->width, pixels->height, RIFT_NEW(tmp, uint8_t, size)};
    if (out->rgba == NULL)
        return rift_arena_ok(tmp, "texture", err);
    for (size_t i = 0; i < size; i += 4) {
        const uint8_t *from = pixels->rgba + i;
        const unsigned most = from[0] > from[1] ? from[0] : from[1];
        const unsigned alpha = from[2] > most ? from[2] : most;
        for (size_t c = 0; c < 3; c++)
            out->rgba[i + c] = alpha > 0 ? (uint8_t)((from[c] * 255u + alpha / 2) / alpha) : 0;
        out->rgba[i + 3] = (uint8_t)alpha;
    }
    return true;
}

/* `kind`: 0 without alpha, 1 with it, 2 as light. */
static bool
add_kind(texture_work *w, const part_look *pl, const rift_pixels *pixels, unsigned kind, uint32_t *index)
{
    rift_pixels light;
    const rift_asset_path *path = pl->placeholder ? NULL : &pl->look.texture;
    if (kind < 2)
        return add_texture(w, path, pixels, kind == 1, index);
    return light_of(&light, pixels, w->job->tmp, w->job->err) && add_texture(w, path, &light, true, index);
}

/* Whether some look of the texture has a material that blends. */
static bool some_blends(const texture_work *w, size_t first)
{
    bool blends = false;
    for (size_t i = first; !blends && i < w->count; i++) {
        const rift_look *look = &w->looks[i].look;
        blends = same_texture(&w->looks[i], &w->looks[first]) && look->has_material && look->material.blend;
    }
    return blends;
}

/* Everything that uses the texture of look `first`: decided, encoded, assigned. */
static bool finish_texture(texture_work *w, size_t first)
{
    bake_job *job = w->job;
    loaded texture;
    if (!load_texture(&texture, job, &w->looks[first].look.texture, &job->fallback_texture,
                      some_blends(w, first)))
        return false;
    uint32_t index[3] = {RIFT_NO_INDEX, RIFT_NO_INDEX, RIFT_NO_INDEX}; /* without, with alpha, as light */
    for (size_t i = first; i < w->count; i++) {
        part_look *pl = &w->looks[i];
        if (pl->done || !same_texture(pl, &w->looks[first]))
            continue;
        pl->done = true;
        pl->placeholder = texture.placeholder;
        rift_material *m = &job->scene.materials[i];
        if (!texture.placeholder && !decide_alpha(w, i, &texture))
            return false;
        const unsigned kind = is_light(job, pl, &texture) ? 2 : m->alpha_mode != RIFT_ALPHA_OPAQUE ? 1 : 0;
        if (index[kind] == RIFT_NO_INDEX && !add_kind(w, pl, &texture.pixels, kind, &index[kind]))
            return false;
        m->texture = index[kind];
    }
    return true;
}

static bool finish_look(texture_work *w, size_t i)
{
    bake_job *job = w->job;
    part_look *pl = &w->looks[i];
    rift_material *m = &job->scene.materials[i];
    if (pl->done)
        return true;
    if (pl->look.texture.hash == 0 || job->options.texture == RIFT_TEXTURE_NONE) {
        if (pl->look.has_material && pl->look.material.has_tint) {
            /* The game multiplies what it shows, a factor is linear (B114). */
            for (size_t c = 0; c < 3; c++)
                m->base_color[c] = rift_texture_linear(pl->look.material.tint[c]);
            m->base_color[3] = fminf(pl->look.material.tint[3], 1);
        }
        if (pl->look.texture.hash == 0 && m->base_color[0] + m->base_color[1] + m->base_color[2] == 3.0f)
            rift_report_add(&job->result->report, "part_without_texture", "nothing says what it looks like");
        (void)alpha_from_material(m, pl);
        pl->done = true;
        return true;
    }
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    const bool ok = finish_texture(w, i);
    rift_arena_rewind(job->tmp, mark);
    return ok;
}

/* One emissive texture, for all looks behind `first` that have it; where it cannot be read nothing glows. */
static bool finish_glow(texture_work *w, size_t first)
{
    bake_job *job = w->job;
    const rift_asset_path *path = &w->looks[first].look.emissive;
    loaded texture;
    uint32_t index = 0;
    if (!load_texture(&texture, job, path, NULL, false) ||
        (!texture.placeholder && !add_texture(w, path, &texture.pixels, false, &index)))
        return false;
    for (size_t i = first; i < w->count; i++) {
        if (w->looks[i].look.emissive.hash != path->hash)
            continue;
        w->looks[i].glow_done = true;
        job->scene.materials[i].has_emissive = !texture.placeholder;
        job->scene.materials[i].emissive = index;
    }
    return true;
}

static bool finish_emissive(texture_work *w)
{
    bake_job *job = w->job;
    bool ok = true;
    if (job->options.shading != RIFT_SHADING_PBR || job->options.texture == RIFT_TEXTURE_NONE)
        return true;
    for (size_t i = 0; ok && i < w->count; i++) {
        if (w->looks[i].look.emissive.hash == 0 || w->looks[i].glow_done)
            continue;
        const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
        rift_report_in(&job->result->report, context_of(w, i));
        ok = finish_glow(w, i);
        rift_arena_rewind(job->tmp, mark);
    }
    rift_report_in(&job->result->report, (rift_str){0});
    return ok;
}

void bake_put_tries(rift_json *j, const rift_look *look)
{
    if (look->try_count == 0)
        return;
    rift_json_key(j, "tried");
    rift_json_array(j);
    for (size_t i = 0; i < look->try_count; i++) {
        rift_json_object(j);
        rift_json_put_str(j, "source", look->tries[i].source);
        rift_json_put_str(j, "material", look->tries[i].name);
        rift_json_put_str(j, "result", look->tries[i].result);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static rift_str material_extras(bake_job *job, const part_look *pl)
{
    rift_buf buf;
    rift_json j;
    rift_buf_init(&buf, job->out, 1 << 20);
    rift_json_init(&j, &buf);
    rift_json_object(&j);
    if (pl->look.texture.hash != 0)
        rift_json_put_str(&j, "texture", rift_asset_path_text(&pl->look.texture, job->out));
    rift_json_put_str(&j, "chosen_by", pl->look.reason);
    bake_put_tries(&j, &pl->look);
    if (pl->alpha_reason != NULL)
        rift_json_put_cstr(&j, "alpha", pl->alpha_reason);
    if (pl->placeholder)
        rift_json_put_bool(&j, "placeholder", true);
    if (pl->look.has_material) {
        rift_json_put_str(&j, "material", pl->look.material.name);
        rift_json_put_str(&j, "slot", pl->look.material.slot);
        if (pl->look.material.other_textures.size > 0)
            rift_json_put_str(&j, "other_slots", pl->look.material.other_textures);
    }
    if (pl->look.emissive.hash != 0)
        rift_json_put_str(&j, "emissive", rift_asset_path_text(&pl->look.emissive, job->out));
    rift_json_object_end(&j);
    /* The members without the braces: the writer puts them into its own object. */
    return buf.failed ? (rift_str){0} : (rift_str){(const char *)buf.data + 1, buf.size - 2};
}

static void put_look(texture_work *w, size_t i, const rift_look *look, rift_str name)
{
    w->looks[i].look = *look;
    w->job->scene.materials[i] = material_of(part_of(w, i), look);
    w->job->scene.materials[i].name = name;
    if (look->emissive.hash != 0 && w->job->options.shading != RIFT_SHADING_PBR) {
        rift_report_add(&w->job->result->report, "emissive_dropped",
                        "unlit materials have no emission; shading=pbr has it");
    }
    if (look->has_material && look->material.bloom > 0) {
        rift_report_add(&w->job->result->report, "bloom_dropped",
                        "%.*s glows %g times as bright by its shader", RIFT_STR_ARG(look->material.name),
                        (double)look->material.bloom);
    }
    if (look->has_material && look->material.uv_animated) {
        rift_report_add(&w->job->result->report, "uv_animation_dropped",
                        "the texture scrolls or flips in the game");
    }
}

static bool choose_looks(texture_work *w)
{
    bake_job *job = w->job;
    for (size_t i = 0; i < job->scene.part_count; i++) {
        const rift_part *part = &job->scene.parts[i];
        rift_look look;
        rift_report_in(&job->result->report, part->name);
        const rift_skin skin = bake_part_skin(job, part);
        if (!rift_skin_look(&look, &skin, part->source_name, job->names, job->out, &job->result->report,
                            job->err))
            return false;
        put_look(w, i, &look, part->name);
        job->scene.parts[i].material = (uint32_t)i;
    }
    rift_report_in(&job->result->report, (rift_str){0});
    return true;
}

/* A variant's materials carry its number, since no two materials may be called the same (G14). */
static bool choose_variant_looks(texture_work *w)
{
    bake_job *job = w->job;
    rift_scene *scene = &job->scene;
    const size_t parts = scene->part_count;
    rift_unique names;
    if (parts == 0)
        return true;
    rift_unique_init(&names, job->out, w->count);
    for (size_t i = 0; i < parts; i++) {
        (void)rift_unique_take(&names, scene->parts[i].name);
        scene->parts[i].variant_materials = RIFT_NEW(job->out, uint32_t, scene->variant_count);
    }
    for (size_t i = parts; i < w->count && job->out->failed == RIFT_OK; i++) {
        const bake_variant *variant = &job->variants[i / parts - 1];
        rift_report_in(&job->result->report, variant->name);
        put_look(w, i, &variant->looks[i % parts],
                 rift_unique_joint(&names, part_of(w, i)->name, variant->number));
    }
    rift_report_in(&job->result->report, (rift_str){0});
    return rift_arena_ok(job->out, "materials", job->err);
}

static bool same_numbers(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

/* What a loader draws by; names and extras do not count. */
static bool looks_same(const rift_material *a, const rift_material *b)
{
    return a->texture == b->texture && a->wrap_u == b->wrap_u && a->wrap_v == b->wrap_v &&
           a->alpha_mode == b->alpha_mode && a->alpha_cutoff == b->alpha_cutoff &&
           a->double_sided == b->double_sided && a->has_uv_transform == b->has_uv_transform &&
           same_numbers(a->base_color, b->base_color, 4) && same_numbers(a->uv_scale, b->uv_scale, 2) &&
           same_numbers(a->uv_offset, b->uv_offset, 2) && a->has_emissive == b->has_emissive &&
           a->emissive == b->emissive;
}

/* A variant that leaves a part as it is, or as an earlier variant has it, shares that material. */
static void share_materials(const texture_work *w)
{
    rift_scene *scene = &w->job->scene;
    for (size_t i = scene->part_count; i < w->count; i++) {
        const size_t part = i % scene->part_count;
        size_t same = part;
        while (same < i && !looks_same(&scene->materials[same], &scene->materials[i]))
            same += scene->part_count;
        scene->parts[part].variant_materials[i / scene->part_count - 1] = (uint32_t)same;
    }
}

static bool finish_looks(texture_work *w)
{
    bake_job *job = w->job;
    for (size_t i = 0; i < w->count; i++) {
        if (!bake_enter(job, RIFT_STAGE_TEXTURE, 60 + (int)(35 * i / w->count)))
            return false;
        rift_report_in(&job->result->report, context_of(w, i));
        if (!finish_look(w, i))
            return false;
        job->scene.materials[i].extras = material_extras(job, &w->looks[i]);
    }
    rift_report_in(&job->result->report, (rift_str){0});
    return rift_arena_ok(job->out, "materials", job->err);
}

static void tell_looks(bake_job *job)
{
    const rift_scene *scene = &job->scene;
    rift_bake_look *looks = RIFT_NEW(job->out, rift_bake_look, scene->part_count);
    if (looks == NULL)
        return; /* the arena says so */
    for (size_t i = 0; i < scene->part_count; i++)
        looks[i] = (rift_bake_look){.part = scene->parts[i].name, .members = scene->materials[i].extras};
    job->result->looks = looks;
    job->result->look_count = scene->part_count;
}

bool bake_materials(bake_job *job)
{
    rift_scene *scene = &job->scene;
    if (!bake_enter(job, RIFT_STAGE_TEXTURE, 60))
        return false;
    texture_work w = {.job = job, .count = scene->part_count * (1 + scene->variant_count)};
    w.looks = RIFT_NEW(job->out, part_look, w.count);
    scene->materials = RIFT_NEW(job->out, rift_material, w.count);
    scene->textures = RIFT_NEW(job->out, rift_texture, 3 * w.count);
    rift_map_init(&w.by_content, job->out, 3 * w.count);
    if (!rift_arena_ok(job->out, "materials", job->err) || !choose_looks(&w) ||
        (scene->variant_count > 0 && !choose_variant_looks(&w)))
        return false;
    scene->material_count = w.count;
    if (!finish_looks(&w) || !finish_emissive(&w))
        return false;
    share_materials(&w);
    tell_looks(job);
    return true;
}
