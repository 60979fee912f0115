/* Loose files take the way of a game's skin: the files stand behind the assets interface, found by base name, and a skin is
 * put together from the bin, or from nothing but the file list. */
#include "bake/bake_internal.h"

#include "base/str.h"

typedef struct loose_files {
    const rift_convert_request *request;
    rift_map by_hash; /* hash of the base name -> slot */
} loose_files;

/* Slots: skn, skl, then clips, then textures. */
static const rift_loose_file *file_at(const rift_convert_request *r, size_t slot)
{
    if (slot == 0)
        return &r->skn;
    if (slot == 1)
        return &r->skl;
    slot -= 2;
    return slot < r->anm_count ? &r->anms[slot] : &r->textures[slot - r->anm_count];
}

static size_t slot_count(const rift_convert_request *r)
{
    return 2 + r->anm_count + r->texture_count;
}

static bool read_loose(void *user,
                       const rift_asset_path *path,
                       rift_arena *arena,
                       rift_bytes *out,
                       rift_asset_use *use,
                       rift_err *err)
{
    const loose_files *files = user;
    (void)arena; /* the caller's bytes outlive the conversion */
    *use = (rift_asset_use){.path_hash = path->hash};
    uint32_t slot = rift_map_lookup(&files->by_hash, path->hash);
    if (slot == RIFT_MAP_NONE && path->name.size > 0)
        slot = rift_map_lookup(&files->by_hash, rift_path_hash(rift_str_base(path->name)));
    if (slot == RIFT_MAP_NONE || file_at(files->request, slot)->data.size == 0)
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "", RIFT_NO_OFFSET, "not among the given files");
    *out = file_at(files->request, slot)->data;
    use->found = true;
    use->checksum = rift_xxh3(*out);
    use->checksum_kind = RIFT_WAD_SUM_XXH3;
    return true;
}

/* Two files from two folders may share a name: each has a path that is its own. What the bin names is found by base
 * name, the first file that has it. */
static rift_asset_path slot_path(const rift_convert_request *r, size_t slot)
{
    rift_asset_path path = rift_asset_path_from(rift_str_base(file_at(r, slot)->name));
    path.hash = rift_xxh64((rift_bytes){(const uint8_t *)&slot, sizeof slot});
    return path;
}

static void index_files(loose_files *files, rift_arena *out)
{
    rift_map_init(&files->by_hash, out, 2 * slot_count(files->request));
    for (size_t i = 0; i < slot_count(files->request); i++) {
        const rift_str name = rift_str_base(file_at(files->request, i)->name);
        if (name.size > 0)
            (void)rift_map_add(&files->by_hash, rift_path_hash(name), (uint32_t)i);
        (void)rift_map_add(&files->by_hash, slot_path(files->request, i).hash, (uint32_t)i);
    }
}

static bool clip_uses(const rift_graph *graph, size_t count, rift_str anm)
{
    for (size_t i = 0; i < count; i++) {
        if (rift_str_eq_nocase(rift_str_base(graph->clips[i].file.name), rift_str_base(anm)))
            return true;
    }
    return false;
}

/* A clip for every .anm that the graph does not name, behind those of the graph. */
static bool add_clips(bake_job *job, const rift_convert_request *r)
{
    rift_graph *graph = &job->skin.graph;
    const size_t before = graph->clip_count;
    rift_graph_clip *clips = RIFT_NEW(job->out, rift_graph_clip, before + r->anm_count);
    if (clips == NULL)
        return rift_arena_ok(job->out, "clips", job->err);
    for (size_t i = 0; i < before; i++)
        clips[i] = graph->clips[i];
    for (size_t i = 0; i < r->anm_count; i++) {
        if (clip_uses(graph, before, r->anms[i].name))
            continue;
        const rift_str stem = rift_str_stem(r->anms[i].name);
        clips[graph->clip_count++] = (rift_graph_clip){
            .hash = rift_fnv1a(stem),
            .name = stem,
            .kind = RIFT_CLIP_ATOMIC,
            .file = slot_path(r, 2 + i),
            .tick = 1.0f / 30.0f,
            .end_frame = -1,
            .representative = RIFT_GRAPH_MISSING,
        };
    }
    graph->clips = clips;
    return true;
}

/* Textures given for parts go before what the bin says; one given for all stands in where nothing else is found. */
static bool add_textures(bake_job *job, const rift_convert_request *r)
{
    rift_skin *skin = &job->skin;
    rift_material_override *overrides =
        RIFT_NEW(job->out, rift_material_override, skin->override_count + r->texture_count);
    if (overrides == NULL)
        return rift_arena_ok(job->out, "textures", job->err);
    size_t n = 0;
    for (size_t i = 0; i < r->texture_count; i++) {
        const rift_asset_path path = slot_path(r, 2 + r->anm_count + i);
        if (r->texture_parts[i].size > 0) {
            overrides[n++] = (rift_material_override){.submesh = r->texture_parts[i], .texture = path};
        } else {
            job->fallback_texture = path;
        }
    }
    for (size_t i = 0; i < skin->override_count; i++)
        overrides[n++] = skin->overrides[i];
    skin->overrides = overrides;
    skin->override_count = n;
    if (skin->texture.hash == 0)
        skin->texture = job->fallback_texture;
    return true;
}

static bool make_skin(bake_job *job, const rift_convert_request *r)
{
    rift_skin *skin = &job->skin;
    if (r->bin.data.size > 0) {
        rift_err_in(job->err, r->bin.name);
        if (!rift_skin_from_bin(skin, r->bin.data, job->assets, job->names, job->out, &job->result->uses,
                                &job->result->report, job->err))
            return false;
    } else {
        *skin = (rift_skin){.parent = -1, .scale = 1};
    }
    skin->mesh = slot_path(r, 0);
    skin->skeleton = r->skl.data.size > 0 ? slot_path(r, 1) : (rift_asset_path){0};
    return add_clips(job, r) && add_textures(job, r);
}

bool rift_convert(rift_bake_result *result,
                  const rift_convert_request *request,
                  rift_arena *out,
                  rift_arena *tmp,
                  rift_err *err)
{
    bake_job job;
    bake_begin(&job, result, out, tmp, err);
    loose_files files = {.request = request};
    index_files(&files, out);
    const rift_assets assets = {.user = &files, .read = read_loose};
    job.assets = &assets;
    job.names = request->names;
    job.options = request->options;
    job.control = request->control;
    return bake_enter(&job, RIFT_STAGE_BIN, 0) && make_skin(&job, request) && bake_skin(&job);
}
