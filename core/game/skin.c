#include "game/skin.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "game/field_names.h"
#include "game/game_internal.h"
#include "hash/hash.h"

/* Blanks, commas and semicolons, mixed as they come (decisions 36, B106). */
static const char list_separators[] = " ,;\t\r\n";

/* What a load works with. */
typedef struct loader {
    rift_skin skin;
    const rift_assets *assets;
    const rift_names *names;
    rift_arena *arena;
    rift_asset_log *log;
    rift_report *report;
    rift_err *err;
} loader;

/* ---- Bins ---- */

/* Linked bins yet to be read, and those seen. */
typedef struct link_queue {
    rift_asset_path *paths;
    size_t count, capacity;
    rift_map seen;
} link_queue;

static void queue_links(loader *l, link_queue *q, const rift_bin *bin)
{
    for (size_t i = 0; i < bin->link_count; i++) {
        const rift_asset_path path = rift_asset_path_from(bin->links[i]);
        if (path.hash == 0 || rift_map_lookup(&q->seen, path.hash) != RIFT_MAP_NONE)
            continue;
        if (q->count == q->capacity) {
            rift_report_add(l->report, "linked_bins_over_limit", "%.*s: more than %d bins",
                            RIFT_STR_ARG(path.name), RIFT_SKIN_MAX_BINS);
            continue;
        }
        (void)rift_map_add(&q->seen, path.hash, 0);
        q->paths[q->count++] = path;
    }
}

/* What says something about the file alone, so that the skin can do without it. */
static bool is_damage(rift_status code)
{
    return code == RIFT_ERR_TRUNCATED || code == RIFT_ERR_FORMAT || code == RIFT_ERR_UNSUPPORTED ||
           code == RIFT_ERR_LIMIT;
}

/* Reads one linked bin, or reports why not. False only for what must end the load. */
static bool read_linked(loader *l, const rift_asset_path *path, rift_bin *bin, bool *taken)
{
    rift_bytes bytes;
    rift_err local;
    *taken = rift_assets_read(l->assets, path, l->arena, l->log, &bytes, &local) &&
             rift_bin_parse(bin, bytes, l->arena, l->report, &local);
    if (!rift_arena_ok(l->arena, "linked bin", l->err))
        return false;
    if (*taken)
        return true;
    if (local.code == RIFT_ERR_NOT_FOUND) {
        rift_report_add(l->report, "linked_bin_missing", "%.*s", RIFT_STR_ARG(path->name));
        return true;
    }
    if (is_damage(local.code)) {
        rift_report_err(l->report, "linked_bin_damaged", &local);
        return true;
    }
    *l->err = local;
    return false;
}

/* Breadth first, in list order; a cycle ends at what was seen. `own` is the skin bin's path hash, or 0. */
static bool load_linked(loader *l, uint64_t own)
{
    link_queue q = {.paths = RIFT_NEW(l->arena, rift_asset_path, RIFT_SKIN_MAX_BINS - 1),
                    .capacity = RIFT_SKIN_MAX_BINS - 1};
    rift_map_init(&q.seen, l->arena, RIFT_SKIN_MAX_BINS);
    if (!rift_arena_ok(l->arena, "linked bins", l->err))
        return false;
    if (own != 0)
        (void)rift_map_add(&q.seen, own, 0);
    queue_links(l, &q, &l->skin.bins[0]);
    for (size_t i = 0; i < q.count; i++) {
        bool taken;
        rift_bin *bin = &l->skin.bins[l->skin.bin_count];
        if (!read_linked(l, &q.paths[i], bin, &taken))
            return false;
        if (!taken)
            continue;
        l->skin.bin_count++;
        queue_links(l, &q, bin);
    }
    return true;
}

static bool load_bins(loader *l, rift_bytes bytes, uint64_t own)
{
    l->skin.bins = RIFT_NEW(l->arena, rift_bin, RIFT_SKIN_MAX_BINS);
    if (!rift_arena_ok(l->arena, "skin bin", l->err) ||
        !rift_bin_parse(&l->skin.bins[0], bytes, l->arena, l->report, l->err))
        return false;
    l->skin.bin_count = 1;
    return load_linked(l, own);
}

const rift_bin_object *game_find_object(const rift_skin *skin, uint32_t link, uint32_t class_hash)
{
    for (size_t i = 0; i < skin->bin_count; i++) {
        const rift_bin_entry *entry = rift_bin_lookup(&skin->bins[i], link);
        if (entry != NULL && entry->object.class_hash == class_hash)
            return &entry->object;
    }
    return NULL;
}

static bool has_mesh(const rift_bin_object *object)
{
    return rift_asset_path_field(rift_bin_object_of(object, RIFT_F_SKIN_MESH_PROPERTIES), RIFT_F_SIMPLE_SKIN)
               .hash != 0;
}

const rift_bin_object *game_find_skin_object(const rift_bin *bin, uint32_t path)
{
    const rift_bin_entry *entry = path != 0 ? rift_bin_lookup(bin, path) : NULL;
    if (entry != NULL && entry->object.class_hash == RIFT_C_SKIN_CHARACTER_DATA_PROPERTIES)
        return &entry->object;
    const rift_bin_object *first = NULL;
    for (size_t i = 0; i < bin->entry_count; i++) {
        const rift_bin_object *object = &bin->entries[i].object;
        if (object->class_hash != RIFT_C_SKIN_CHARACTER_DATA_PROPERTIES)
            continue;
        if (has_mesh(object))
            return object;
        if (first == NULL)
            first = object;
    }
    return first;
}

/* ---- Fields ---- */

rift_str *game_split_list(rift_str text, size_t *count, rift_arena *arena)
{
    rift_str rest = text;
    rift_str item;
    *count = 0;
    size_t total = 0;
    while (rift_str_next(&rest, list_separators, &item))
        total++;
    rift_str *items = RIFT_NEW(arena, rift_str, total);
    if (items == NULL)
        return NULL;
    for (rest = text; rift_str_next(&rest, list_separators, &item);)
        items[(*count)++] = item;
    return items;
}

static rift_asset_path
resolved_field(const rift_bin_object *object, uint32_t field, const rift_names *names, rift_arena *arena)
{
    rift_asset_path path = rift_asset_path_field(object, field);
    rift_asset_path_resolve(&path, names, arena);
    return path;
}

rift_material_override *
game_read_overrides(const rift_bin_object *mesh, const rift_names *names, rift_arena *arena, size_t *count)
{
    size_t item_count;
    const rift_bin_value *items = rift_bin_items(mesh, RIFT_F_MATERIAL_OVERRIDE, &item_count);
    rift_material_override *overrides = RIFT_NEW(arena, rift_material_override, item_count);
    *count = 0;
    for (size_t i = 0; i < item_count && overrides != NULL; i++) {
        const rift_bin_object *object = rift_bin_value_object(&items[i]);
        if (object == NULL)
            continue;
        overrides[(*count)++] = (rift_material_override){
            .submesh = rift_bin_string(object, RIFT_F_SUBMESH),
            .texture = resolved_field(object, RIFT_F_TEXTURE, names, arena),
            .material = rift_bin_hash(object, RIFT_F_MATERIAL),
        };
    }
    return overrides;
}

static void read_fields(loader *l, const rift_bin_object *object)
{
    rift_skin *skin = &l->skin;
    const rift_bin_object *mesh = rift_bin_object_of(object, RIFT_F_SKIN_MESH_PROPERTIES);
    skin->character = rift_bin_string(object, RIFT_F_CHAMPION_SKIN_NAME);
    skin->parent = rift_bin_integer(object, RIFT_F_SKIN_PARENT, -1);
    skin->mesh = resolved_field(mesh, RIFT_F_SIMPLE_SKIN, l->names, l->arena);
    skin->skeleton = resolved_field(mesh, RIFT_F_SKELETON, l->names, l->arena);
    skin->texture = resolved_field(mesh, RIFT_F_TEXTURE, l->names, l->arena);
    skin->emissive = resolved_field(mesh, RIFT_F_EMISSIVE_TEXTURE, l->names, l->arena);
    skin->material = rift_bin_hash(mesh, RIFT_F_MATERIAL);
    skin->scale = rift_bin_number(mesh, RIFT_F_SKIN_SCALE, 1.0);
    skin->hidden =
        game_split_list(rift_bin_string(mesh, RIFT_F_INITIAL_SUBMESH_TO_HIDE), &skin->hidden_count, l->arena);
    skin->render_order = game_split_list(rift_bin_string(mesh, RIFT_F_SUBMESH_RENDER_ORDER),
                                         &skin->render_order_count, l->arena);
    skin->overrides = game_read_overrides(mesh, l->names, l->arena, &skin->override_count);
    skin->sockets = rift_bin_items(mesh, RIFT_F_SOCKET_DEFINITIONS, &skin->socket_count);
    skin->modifiers = rift_bin_items(mesh, RIFT_F_RIG_POSE_MODIFIER_DATA, &skin->modifier_count);
}

/* ---- Graph ---- */

static const rift_bin_object *first_graph(const rift_skin *skin)
{
    for (size_t i = 0; i < skin->bin_count; i++) {
        for (size_t k = 0; k < skin->bins[i].entry_count; k++) {
            if (skin->bins[i].entries[k].object.class_hash == RIFT_C_ANIMATION_GRAPH_DATA)
                return &skin->bins[i].entries[k].object;
        }
    }
    return NULL;
}

/* `object` may be NULL (a loose bin without a skin entry). */
static bool load_graph(loader *l, const rift_bin_object *object, bool any)
{
    const uint32_t link = rift_bin_hash(rift_bin_object_of(object, RIFT_F_SKIN_ANIMATION_PROPERTIES),
                                        RIFT_F_ANIMATION_GRAPH_DATA);
    const rift_bin_object *graph =
        link != 0 ? game_find_object(&l->skin, link, RIFT_C_ANIMATION_GRAPH_DATA) : NULL;
    if (graph == NULL && any)
        graph = first_graph(&l->skin);
    if (graph == NULL) {
        if (link != 0) {
            rift_report_add(l->report, "graph_missing", "0x%08" PRIx32 " is in none of %zu bins", link,
                            l->skin.bin_count);
        } else {
            rift_report_add(l->report, "graph_missing", "the skin links no graph");
        }
        return true;
    }
    l->skin.has_graph =
        rift_graph_read(&l->skin.graph, graph, l->skin.ref.alias, l->names, l->arena, l->report, l->err);
    return l->skin.has_graph;
}

bool rift_skin_load(rift_skin *out,
                    const rift_skin_ref *ref,
                    const rift_assets *assets,
                    const rift_names *names,
                    rift_arena *arena,
                    rift_asset_log *log,
                    rift_report *report,
                    rift_err *err)
{
    loader l = {.skin = {.ref = *ref}, .assets = assets, .names = names, .arena = arena, .log = log};
    l.report = report;
    l.err = err;
    const rift_asset_path path = rift_asset_path_from(rift_arena_printf(
        arena, "data/characters/%.*s/skins/skin%" PRIu32 ".bin", RIFT_STR_ARG(ref->alias), ref->number));
    const rift_str entry =
        rift_arena_printf(arena, "Characters/%.*s/Skins/Skin%" PRIu32, RIFT_STR_ARG(ref->alias), ref->number);
    rift_bytes bytes;
    if (!rift_arena_ok(arena, "skin bin", err) || !rift_assets_read(assets, &path, arena, log, &bytes, err) ||
        !load_bins(&l, bytes, path.hash))
        return false;
    const rift_bin_object *object = game_find_skin_object(&l.skin.bins[0], rift_fnv1a(entry));
    if (!has_mesh(object)) {
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "skinMeshProperties", RIFT_NO_OFFSET,
                         object != NULL ? "the skin names no mesh" : "the bin holds no skin");
    }
    read_fields(&l, object);
    if (!rift_arena_ok(arena, "skin", err) || !load_graph(&l, object, false))
        return false;
    game_read_forms(&l.skin, object, names, arena, report);
    if (!rift_arena_ok(arena, "forms", err))
        return false;
    *out = l.skin;
    return true;
}

/* "ASSETS/Characters/Yasuo/Skins/…" -> "yasuo"; empty for any other path. */
static rift_str character_of(rift_str path, rift_arena *arena)
{
    static const char lead[] = "assets/characters/";
    if (!rift_str_starts_nocase(path, RIFT_STR(lead)))
        return (rift_str){0};
    const char *start = path.data + sizeof lead - 1;
    size_t size = 0;
    while (sizeof lead - 1 + size < path.size && start[size] != '/' && start[size] != '\\')
        size++;
    char *lower = RIFT_NEW(arena, char, size + 1);
    for (size_t i = 0; i < size && lower != NULL; i++)
        lower[i] = rift_lower(start[i]);
    return lower != NULL ? (rift_str){lower, size} : (rift_str){0};
}

bool rift_skin_from_bin(rift_skin *out,
                        rift_bytes bin,
                        const rift_assets *assets,
                        const rift_names *names,
                        rift_arena *arena,
                        rift_asset_log *log,
                        rift_report *report,
                        rift_err *err)
{
    loader l = {.assets = assets, .names = names, .arena = arena, .log = log, .report = report, .err = err};
    if (!load_bins(&l, bin, 0))
        return false;
    const rift_bin_object *object = game_find_skin_object(&l.skin.bins[0], 0);
    if (object == NULL && first_graph(&l.skin) == NULL) {
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "entries", RIFT_NO_OFFSET,
                         "none of %zu entries is a skin or an animation graph", l.skin.bins[0].entry_count);
    }
    read_fields(&l, object);
    l.skin.ref.alias = character_of(l.skin.mesh.name, arena);
    if (!has_mesh(object))
        rift_report_add(report, "skin_without_mesh", "the bin names no mesh");
    if (!rift_arena_ok(arena, "skin", err) || !load_graph(&l, object, true))
        return false;
    game_read_forms(&l.skin, object, names, arena, report);
    if (!rift_arena_ok(arena, "forms", err))
        return false;
    *out = l.skin;
    return true;
}

bool rift_skin_hides(const rift_skin *skin, rift_str submesh)
{
    for (size_t i = 0; i < skin->hidden_count; i++) {
        if (rift_str_eq_nocase(skin->hidden[i], submesh))
            return true;
    }
    return false;
}

/* ---- Looks ---- */

/* What a choice works with. */
typedef struct chooser {
    rift_look look;
    const rift_skin *skin;
    const rift_names *names;
    rift_arena *arena;
    rift_report *report;
} chooser;

static void note_try(chooser *c, rift_str source, rift_str name, rift_str result)
{
    if (c->look.try_count < RIFT_LOOK_MAX_TRIES)
        c->look.tries[c->look.try_count++] = (rift_look_try){source, name, result};
}

/* Tries one material: keeps the first definition found, also when its texture does not serve, and says whether it gave
 * one. */
static bool try_material(chooser *c, uint32_t link, rift_str source)
{
    if (link == 0)
        return false;
    const rift_bin_object *object = game_find_object(c->skin, link, RIFT_C_STATIC_MATERIAL_DEF);
    if (object == NULL) {
        rift_report_add(c->report, "material_missing", "0x%08" PRIx32, link);
        note_try(c, source, rift_arena_printf(c->arena, "0x%08" PRIx32, link), RIFT_STR("missing"));
        return false;
    }
    rift_material_def def;
    game_read_material(&def, object, c->names, c->arena, c->report);
    const bool hit = def.texture.hash != 0;
    if (!c->look.has_material || hit) {
        c->look.has_material = true;
        c->look.material = def;
    }
    if (!hit) {
        rift_report_add(c->report, "material_without_texture", "%.*s", RIFT_STR_ARG(def.name));
        note_try(c, source, def.name, RIFT_STR("no_texture"));
        return false;
    }
    c->look.texture = def.texture;
    c->look.reason = source;
    return true;
}

/* Overrides of this submesh: materials first, then textures (B080). */
static bool try_overrides(chooser *c, rift_str submesh)
{
    const rift_skin *skin = c->skin;
    for (size_t i = 0; i < skin->override_count; i++) {
        const rift_material_override *o = &skin->overrides[i];
        if (rift_str_eq_nocase(o->submesh, submesh) &&
            try_material(c, o->material, RIFT_STR("override_material")))
            return true;
    }
    for (size_t i = 0; i < skin->override_count; i++) {
        const rift_material_override *o = &skin->overrides[i];
        if (!rift_str_eq_nocase(o->submesh, submesh) || o->texture.hash == 0)
            continue;
        c->look.texture = o->texture;
        c->look.reason = RIFT_STR("override_texture");
        return true;
    }
    return false;
}

static void try_mesh(chooser *c)
{
    const rift_skin *skin = c->skin;
    rift_look *look = &c->look;
    chooser whole = *c;
    whole.look.has_material = false;
    const bool hit = try_material(&whole, skin->material, RIFT_STR("material"));
    /* A definition found for an override stays in force although its texture did not serve. */
    const bool keep = look->has_material;
    const rift_material_def own = look->material;
    *look = whole.look;
    if (keep) {
        look->has_material = true;
        look->material = own;
    }
    if (hit)
        return;
    look->texture = skin->texture;
    look->reason = skin->texture.hash != 0 ? RIFT_STR("texture") : RIFT_STR("none");
    if (skin->texture.hash != 0) {
        look->emissive = skin->emissive;
    } else if (look->has_material && look->material.only.hash != 0) {
        look->texture = look->material.only;
        look->reason = RIFT_STR("only_sampler");
        rift_report_add(c->report, "texture_guessed", "%.*s: the only texture of its material",
                        RIFT_STR_ARG(look->material.name));
    }
}

bool rift_skin_look(rift_look *out,
                    const rift_skin *skin,
                    rift_str submesh,
                    const rift_names *names,
                    rift_arena *arena,
                    rift_report *report,
                    rift_err *err)
{
    chooser c = {.skin = skin, .names = names, .arena = arena, .report = report};
    if (!try_overrides(&c, submesh))
        try_mesh(&c);
    if (c.look.has_material && (c.look.material.emissive.hash != 0 || c.look.material.own_emissive))
        c.look.emissive = c.look.material.own_emissive ? skin->emissive : c.look.material.emissive;
    if (!rift_arena_ok(arena, "material", err))
        return false;
    *out = c.look;
    return true;
}
