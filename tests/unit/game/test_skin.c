/* Skins: fields in both generations, linked bins, lists, which texture a part gets, materials. */
#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "game/skin.h"
#include "hash/hash.h"
#include "loose.h"
#include "support/check.h"

enum { LIMIT = 64 * 1024 * 1024 };

static const char skin_path[] = "data/characters/lux/skins/skin7.bin";

/* A skin bin under construction, with the files around it, and what was loaded. */
typedef struct bench {
    rift_arena arena;
    rift_report report;
    rift_asset_log log;
    loose_files files;
    fx_bin b;
    rift_skin skin;
    rift_err err;
    const rift_names *names;
    bool as_files; /* paths are written as hashes (16.17) */
} bench;

static void begin_version(bench *t, uint32_t version)
{
    *t = (bench){0};
    rift_arena_init(&t->arena, LIMIT);
    rift_report_init(&t->report, &t->arena);
    rift_asset_log_init(&t->log, &t->arena);
    fx_bin_init(&t->b, &t->arena, (fx_bin_opts){.version = version});
}

static void begin(bench *t)
{
    begin_version(t, 3);
}

static void end(bench *t)
{
    rift_arena_release(&t->arena);
}

static void path(bench *t, const char *field, const char *value)
{
    if (t->as_files)
        fx_bin_file(&t->b, field, value);
    else
        fx_bin_string(&t->b, field, value);
}

/* Opens the entry and its mesh, with a mesh file. */
static void open_mesh(bench *t)
{
    fx_bin_entry(&t->b, "Characters/Lux/Skins/Skin7", "SkinCharacterDataProperties");
    fx_bin_string(&t->b, "championSkinName", "LuxSkin07");
    fx_bin_embed(&t->b, "skinMeshProperties", "SkinMeshDataProperties");
    path(t, "simpleSkin", "ASSETS/Characters/Lux/Skins/Base/Lux.skn");
}

static void close_all(bench *t)
{
    while (t->b.depth > 0)
        fx_bin_end(&t->b);
}

static bool load(bench *t)
{
    const rift_assets assets = loose_assets(&t->files);
    const rift_skin_ref ref = {.id = 99007, .alias = RIFT_STR("lux"), .number = 7};
    close_all(t);
    loose_put(&t->files, skin_path, fx_bin_finish(&t->b));
    t->err = check_err();
    return rift_skin_load(&t->skin, &ref, &assets, t->names, &t->arena, &t->log, &t->report, &t->err);
}

static bool load_ok(bench *t)
{
    const bool ok = load(t);
    return CHECK_OK(ok, &t->err);
}

static rift_look look_of(bench *t, const char *submesh)
{
    rift_look look = {0};
    rift_err err = check_err();
    CHECK_OK(rift_skin_look(&look, &t->skin, rift_str_c(submesh), t->names, &t->arena, &t->report, &err),
             &err);
    return look;
}

/* ---- Fields ---- */

static void every_field_and_its_default(void)
{
    bench t;
    begin(&t);
    open_mesh(&t);
    if (load_ok(&t)) {
        CHECK_STR(t.skin.mesh.name, RIFT_STR("ASSETS/Characters/Lux/Skins/Base/Lux.skn"));
        CHECK_U64(t.skin.mesh.hash, 0xa2871dd1b0d9bfbau);
        CHECK_STR(t.skin.character, RIFT_STR("LuxSkin07"));
        CHECK(t.skin.skeleton.hash == 0 && t.skin.texture.hash == 0 && t.skin.material == 0);
        CHECK(t.skin.override_count == 0 && t.skin.hidden_count == 0 && t.skin.render_order_count == 0);
        CHECK_I64(t.skin.parent, -1);
        CHECK_NEAR(t.skin.scale, 1.0, 0.0);
        CHECK(!t.skin.has_graph && t.skin.graph.clip_count == 0);
        CHECK_U64(rift_report_count(&t.report, "graph_missing"), 1);
        CHECK_U64(t.skin.ref.id, 99007);
    }
    end(&t);

    begin(&t);
    fx_bin_entry(&t.b, "Characters/Lux/Skins/Skin7", "SkinCharacterDataProperties");
    fx_bin_i8(&t.b, "skinParent", 4); /* any integer width */
    fx_bin_embed(&t.b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&t.b, "simpleSkin", "a.skn");
    fx_bin_string(&t.b, "skeleton", "a.skl");
    fx_bin_string(&t.b, "texture", "a.tex");
    fx_bin_link(&t.b, "material", "mat");
    fx_bin_f32(&t.b, "skinScale", 1.5F);
    fx_bin_string(&t.b, "submeshRenderOrder", "C,A; B");
    if (load_ok(&t)) {
        CHECK_I64(t.skin.parent, 4);
        CHECK_STR(t.skin.skeleton.name, RIFT_STR("a.skl"));
        CHECK_STR(t.skin.texture.name, RIFT_STR("a.tex"));
        CHECK_U64(t.skin.material, rift_fnv1a(RIFT_STR("mat")));
        CHECK_NEAR(t.skin.scale, 1.5, 0.0);
        CHECK_FATAL(t.skin.render_order_count == 3);
        CHECK_STR(t.skin.render_order[0], RIFT_STR("C"));
        CHECK_STR(t.skin.render_order[1], RIFT_STR("A"));
        CHECK_STR(t.skin.render_order[2], RIFT_STR("B"));
    }
    end(&t);
}

/* B106 and B107: blanks, commas and semicolons mixed; only the first list hides; names without case. */
static void hidden_parts(void)
{
    static const struct {
        const char *list;
        const char *names[6];
    } rows[] = {
        {"A, b c;D", {"A", "b", "c", "D"}},
        {"Recall_Robe, Weapon_Trail Tentacles", {"Recall_Robe", "Weapon_Trail", "Tentacles"}},
        {"Name,", {"Name"}},
        {" ,;, \t", {NULL}},
        {"", {NULL}},
        {"one\r\ntwo", {"one", "two"}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        check_row("\"%s\"", rows[i].list);
        begin(&t);
        open_mesh(&t);
        fx_bin_string(&t.b, "initialSubmeshToHide", rows[i].list);
        fx_bin_string(&t.b, "initialSubmeshShadowsToHide", "Shadow");
        fx_bin_string(&t.b, "initialSubmeshMouseOversToHide", "Mouse");
        fx_bin_string(&t.b, "InitialSubmeshAvatarToHide", "Avatar");
        fx_bin_string(&t.b, "EmitterSubmeshAvatarToHide", "Emitter");
        fx_bin_string(&t.b, "submeshRenderOrder", "Order");
        if (load_ok(&t)) {
            size_t count = 0;
            for (; rows[i].names[count] != NULL; count++)
                if (CHECK(count < t.skin.hidden_count))
                    CHECK_STR(t.skin.hidden[count], rift_str_c(rows[i].names[count]));
            CHECK_U64(t.skin.hidden_count, count);
            static const char *const others[] = {"Shadow", "Mouse", "Avatar", "Emitter", "Order", "", ","};
            for (size_t k = 0; k < RIFT_COUNT(others); k++)
                CHECK(!rift_skin_hides(&t.skin, rift_str_c(others[k])));
        }
        if (i == 0)
            CHECK(rift_skin_hides(&t.skin, RIFT_STR("a")) && rift_skin_hides(&t.skin, RIFT_STR("B")) &&
                  rift_skin_hides(&t.skin, RIFT_STR("C")) && !rift_skin_hides(&t.skin, RIFT_STR("A,")));
        end(&t);
    }
    check_row("%s", "");
}

static void skins_that_cannot_be(void)
{
    bench t;
    begin(&t);
    const rift_assets assets = loose_assets(&t.files);
    const rift_skin_ref ref = {.alias = RIFT_STR("lux"), .number = 8};
    t.err = check_err();
    CHECK(!rift_skin_load(&t.skin, &ref, &assets, NULL, &t.arena, &t.log, &t.report, &t.err));
    CHECK_CODE(&t.err, RIFT_ERR_NOT_FOUND);
    CHECK(strcmp(t.err.file, "data/characters/lux/skins/skin8.bin") == 0);
    CHECK(t.log.count == 1 && !t.log.uses[0].found);
    end(&t);

    begin(&t); /* a patch-like mod: a skin without a mesh */
    fx_bin_entry(&t.b, "Characters/Lux/Skins/Skin7", "SkinCharacterDataProperties");
    CHECK(!load(&t));
    CHECK_CODE(&t.err, RIFT_ERR_NOT_FOUND);
    CHECK(strstr(t.err.text, "no mesh") != NULL);
    CHECK(strcmp(t.err.file, skin_path) == 0);
    end(&t);

    begin(&t); /* an empty mesh path */
    fx_bin_entry(&t.b, "Characters/Lux/Skins/Skin7", "SkinCharacterDataProperties");
    fx_bin_embed(&t.b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&t.b, "simpleSkin", "");
    CHECK(!load(&t));
    CHECK_CODE(&t.err, RIFT_ERR_NOT_FOUND);
    end(&t);

    begin(&t); /* no skin at all */
    fx_bin_entry(&t.b, "Characters/Lux/Skins/Skin7", "SomethingElse");
    CHECK(!load(&t));
    CHECK_CODE(&t.err, RIFT_ERR_NOT_FOUND);
    CHECK(strstr(t.err.text, "no skin") != NULL);
    end(&t);

    begin(&t); /* a broken skin bin */
    loose_put(&t.files, skin_path, (rift_bytes){(const uint8_t *)"PROP", 4});
    t.err = check_err();
    const rift_assets broken = loose_assets(&t.files);
    const rift_skin_ref seven = {.alias = RIFT_STR("lux"), .number = 7};
    CHECK(!rift_skin_load(&t.skin, &seven, &broken, NULL, &t.arena, &t.log, &t.report, &t.err));
    CHECK_CODE(&t.err, RIFT_ERR_TRUNCATED);
    CHECK(strcmp(t.err.file, skin_path) == 0);
    end(&t);
}

/* The entry under the expected path counts, whatever stands before it; else the first that has a mesh. */
static void which_entry_is_the_skin(void)
{
    bench t;
    begin(&t);
    fx_bin_entry(&t.b, "Characters/Lux/Skins/Skin0", "SkinCharacterDataProperties");
    fx_bin_embed(&t.b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&t.b, "simpleSkin", "other.skn");
    close_all(&t);
    open_mesh(&t);
    if (load_ok(&t))
        CHECK_STR(rift_str_base(t.skin.mesh.name), RIFT_STR("Lux.skn"));
    end(&t);

    begin(&t);
    fx_bin_entry(&t.b, "Characters/Lux/Skins/Skin1", "SkinCharacterDataProperties");
    close_all(&t);
    fx_bin_entry(&t.b, "Characters/Lux/Skins/Skin2", "SkinCharacterDataProperties");
    fx_bin_embed(&t.b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&t.b, "simpleSkin", "second.skn");
    if (load_ok(&t))
        CHECK_STR(t.skin.mesh.name, RIFT_STR("second.skn"));
    end(&t);
}

/* ---- Linked bins ---- */

static rift_bytes
bin_with(rift_arena *arena, const char *entry, const char *class_name, const char *link, const char *link2)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){0});
    if (link != NULL)
        fx_bin_depends(&b, link);
    if (link2 != NULL)
        fx_bin_depends(&b, link2);
    fx_bin_entry(&b, entry, class_name);
    fx_bin_string(&b, "name", entry);
    fx_bin_end(&b);
    return fx_bin_finish(&b);
}

/* B085: breadth first in list order, each once, cycles end; missing and damaged ones are reported and
 * skipped. */
static void linked_bins_breadth_first(void)
{
    bench t;
    begin(&t);
    fx_bin_depends(&t.b, "DATA/A.bin");
    fx_bin_depends(&t.b, "DATA/gone.bin");
    fx_bin_depends(&t.b, "DATA/damaged.bin");
    fx_bin_depends(&t.b, "data/a.bin"); /* again, in another case */
    fx_bin_depends(&t.b, "DATA/B.bin");
    fx_bin_depends(&t.b, "");
    loose_put(&t.files, "data/a.bin",
              bin_with(&t.arena, "a", "X", "DATA/C.bin", "DATA/Characters/Lux/Skins/Skin7.bin"));
    loose_put(&t.files, "data/b.bin", bin_with(&t.arena, "b", "X", "DATA/A.bin", "DATA/B.bin"));
    loose_put(&t.files, "data/c.bin", bin_with(&t.arena, "c", "X", "DATA/D.bin", NULL));
    loose_put(&t.files, "data/d.bin", bin_with(&t.arena, "d", "X", NULL, NULL));
    loose_put(&t.files, "data/damaged.bin", (rift_bytes){(const uint8_t *)"PROP\3\0", 6});
    open_mesh(&t);
    if (load_ok(&t)) {
        static const char *const order[] = {"Characters/Lux/Skins/Skin7", "a", "b", "c", "d"};
        CHECK_FATAL(t.skin.bin_count == RIFT_COUNT(order));
        for (size_t i = 0; i < RIFT_COUNT(order); i++)
            CHECK_U64(t.skin.bins[i].entries[0].path, rift_fnv1a(rift_str_c(order[i])));
        CHECK_U64(rift_report_count(&t.report, "linked_bin_missing"), 1);
        CHECK_U64(rift_report_count(&t.report, "linked_bin_damaged"), 1);
        CHECK_STR(t.report.entries[0]->examples[0], RIFT_STR("DATA/gone.bin"));
        /* Skin, A, gone, damaged, B, C, D: each asked for once. */
        CHECK_U64(t.log.count, 7);
        CHECK_U64(t.files.reads, 7);
    }
    end(&t);
}

static void failures_that_are_not_the_files_fault_end_the_load(void)
{
    static const rift_status codes[] = {RIFT_ERR_IO, RIFT_ERR_CANCELLED, RIFT_ERR_NOMEM, RIFT_ERR_INTERNAL};
    for (size_t i = 0; i < RIFT_COUNT(codes); i++) {
        bench t;
        begin(&t);
        fx_bin_depends(&t.b, "DATA/A.bin");
        loose_put_failing(&t.files, "data/a.bin", codes[i]);
        open_mesh(&t);
        CHECK(!load(&t));
        CHECK_CODE(&t.err, codes[i]);
        CHECK(strcmp(t.err.file, "DATA/A.bin") == 0);
        end(&t);
    }
}

static void linked_bins_have_a_limit(void)
{
    bench t;
    begin(&t);
    for (unsigned i = 0; i < RIFT_SKIN_MAX_BINS + 3; i++)
        fx_bin_depends(&t.b, rift_arena_printf(&t.arena, "DATA/%u.bin", i).data);
    open_mesh(&t);
    if (load_ok(&t)) {
        CHECK_U64(rift_report_count(&t.report, "linked_bin_missing"), RIFT_SKIN_MAX_BINS - 1);
        CHECK_U64(rift_report_count(&t.report, "linked_bins_over_limit"), 4);
    }
    end(&t);
}

static rift_bytes graph_bin(rift_arena *arena, const char *entry, const char *clip)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){0});
    fx_bin_entry(&b, entry, "AnimationGraphData");
    fx_bin_map(&b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(&b, NULL, clip);
    fx_bin_pointer(&b, NULL, "AtomicClipData");
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_end(&b);
    return fx_bin_finish(&b);
}

static void link_graph(bench *t, const char *entry)
{
    fx_bin_end(&t->b); /* the mesh */
    fx_bin_embed(&t->b, "skinAnimationProperties", "SkinAnimationProperties");
    fx_bin_link(&t->b, "animationGraphData", entry);
}

/* B055, B210: only the linked graph counts; a missing one is said to be missing. */
static void the_linked_graph(void)
{
    bench t;
    begin(&t);
    fx_bin_depends(&t.b, "DATA/other.bin");
    fx_bin_depends(&t.b, "DATA/right.bin");
    loose_put(&t.files, "data/other.bin", graph_bin(&t.arena, "Characters/Lux/Animations/Skin0", "Dance"));
    loose_put(&t.files, "data/right.bin", graph_bin(&t.arena, "Characters/Lux/Animations/Skin1", "Taunt"));
    open_mesh(&t);
    link_graph(&t, "Characters/Lux/Animations/Skin1");
    if (load_ok(&t)) {
        CHECK_FATAL(t.skin.has_graph && t.skin.graph.clip_count == 1);
        CHECK_STR(t.skin.graph.clips[0].name, RIFT_STR("Taunt"));
        CHECK_U64(t.report.entry_count, 0);
    }
    end(&t);

    begin(&t);
    fx_bin_depends(&t.b, "DATA/other.bin");
    loose_put(&t.files, "data/other.bin", graph_bin(&t.arena, "Characters/Lux/Animations/Skin0", "Dance"));
    open_mesh(&t);
    link_graph(&t, "Characters/Lux/Animations/Skin1");
    if (load_ok(&t)) {
        CHECK(!t.skin.has_graph && t.skin.graph.clip_count == 0);
        CHECK_U64(rift_report_count(&t.report, "graph_missing"), 1);
    }
    end(&t);
}

/* ---- Looks ---- */

/* How a material is written. */
typedef struct material_spec {
    const char *name;
    const char *slots[4], *paths[4];
    int generation; /* 0 samplerName and TextureName, 1 TextureName and texturePath, 2 the same as `file` */
} material_spec;

static void sampler(bench *t, int generation, const char *slot, const char *value)
{
    fx_bin_embed(&t->b, NULL, "StaticMaterialShaderSamplerDef");
    fx_bin_string(&t->b, generation == 0 ? "samplerName" : "TextureName", slot);
    if (generation == 2)
        fx_bin_file(&t->b, "texturePath", value);
    else
        fx_bin_string(&t->b, generation == 0 ? "TextureName" : "texturePath", value);
    fx_bin_end(&t->b);
}

static void open_material(bench *t, const material_spec *m)
{
    close_all(t);
    fx_bin_entry(&t->b, m->name, "StaticMaterialDef");
    fx_bin_string(&t->b, "name", m->name);
    fx_bin_list2(&t->b, "samplerValues", RIFT_BIN_EMBED);
    for (size_t i = 0; i < RIFT_COUNT(m->slots) && m->slots[i] != NULL; i++)
        sampler(t, m->generation, m->slots[i], m->paths[i]);
    fx_bin_end(&t->b);
}

static void override_of(bench *t, const char *submesh, const char *texture, const char *material)
{
    fx_bin_embed(&t->b, NULL, "SkinMeshDataProperties_MaterialOverride");
    fx_bin_string(&t->b, "submesh", submesh);
    if (texture != NULL)
        path(t, "texture", texture);
    if (material != NULL)
        fx_bin_link(&t->b, "material", material);
    fx_bin_end(&t->b);
}

/* All four sources in one bin; which are there is said by bits 1 override material, 2 override texture, 4
 * material, 8 texture (B080). */
static void four_sources(bench *t, unsigned sources)
{
    begin(t);
    open_mesh(t);
    if ((sources & 8) != 0)
        path(t, "texture", "skin_texture.tex");
    if ((sources & 4) != 0)
        fx_bin_link(&t->b, "material", "SkinMaterial");
    fx_bin_list(&t->b, "materialOverride", RIFT_BIN_EMBED);
    override_of(t, "Other", "wrong.tex", "WrongMaterial");
    override_of(t, "Body", NULL, NULL); /* alone: says nothing */
    override_of(t, "BODY", (sources & 2) != 0 ? "override_texture.tex" : NULL,
                (sources & 1) != 0 ? "OverrideMaterial" : NULL);
    override_of(t, "Body", "too_late.tex", NULL);
    if ((sources & 3) == 0) {
        /* Nothing before the last row may say anything then. */
        fx_bin_end(&t->b);
    }
    open_material(t, &(material_spec){.name = "OverrideMaterial",
                                      .slots = {"Diffuse_Texture"},
                                      .paths = {"override_material.tex"}});
    open_material(t, &(material_spec){.name = "SkinMaterial",
                                      .slots = {"Diffuse_Texture"},
                                      .paths = {"skin_material.tex"}});
    open_material(t, &(material_spec){.name = "WrongMaterial",
                                      .slots = {"Diffuse_Texture"},
                                      .paths = {"wrong_material.tex"}});
}

static void the_first_of_four_sources_counts(void)
{
    static const struct {
        unsigned sources;
        const char *submesh, *texture, *reason;
        bool material;
    } rows[] = {
        {15, "body", "override_material.tex", "override_material", true},
        {14, "body", "override_texture.tex", "override_texture", false},
        {13, "body", "override_material.tex", "override_material", true},
        {12, "body", "too_late.tex", "override_texture", false},
        {12, "Wings", "skin_material.tex", "material", true},
        {8, "Wings", "skin_texture.tex", "texture", false},
        {4, "Wings", "skin_material.tex", "material", true},
        {0, "Wings", "", "none", false},
        {15, "Other", "wrong_material.tex", "override_material", true},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        check_row("sources %u, %s", rows[i].sources, rows[i].submesh);
        four_sources(&t, rows[i].sources);
        if (load_ok(&t)) {
            const rift_look look = look_of(&t, rows[i].submesh);
            CHECK_STR(look.texture.name, rift_str_c(rows[i].texture));
            CHECK_STR(look.reason, rift_str_c(rows[i].reason));
            CHECK(look.has_material == rows[i].material);
        }
        end(&t);
    }
    check_row("%s", "");
}

/* A material without a usable texture falls through, but its state stays; one that no bin holds is reported.
 * */
static void materials_that_do_not_serve(void)
{
    bench t;
    begin(&t);
    open_mesh(&t);
    fx_bin_string(&t.b, "texture", "skin.tex");
    fx_bin_link(&t.b, "material", "gone");
    fx_bin_list(&t.b, "materialOverride", RIFT_BIN_EMBED);
    override_of(&t, "Empty", "override.tex", "Empty");
    override_of(&t, "Plain", NULL, "Empty");
    override_of(&t, "Second", NULL, "gone");
    override_of(&t, "Second", NULL, "Good");
    open_material(&t, &(material_spec){.name = "Empty", .slots = {"Mask"}, .paths = {"mask.tex"}});
    open_material(&t, &(material_spec){.name = "Good", .slots = {"Diffuse"}, .paths = {"good.tex"}});
    if (load_ok(&t)) {
        rift_look look = look_of(&t, "Empty");
        CHECK_STR(look.texture.name, RIFT_STR("override.tex"));
        CHECK_STR(look.reason, RIFT_STR("override_texture"));
        CHECK(look.has_material);
        CHECK_STR(look.material.name, RIFT_STR("Empty"));
        CHECK_U64(look.material.texture.hash, 0);
        CHECK_U64(rift_report_count(&t.report, "material_without_texture"), 1);
        CHECK_U64(rift_report_count(&t.report, "material_missing"), 0);
        look = look_of(&t, "Plain");
        CHECK_STR(look.texture.name, RIFT_STR("skin.tex"));
        CHECK_STR(look.reason, RIFT_STR("texture"));
        CHECK_STR(look.material.name, RIFT_STR("Empty"));
        CHECK_U64(rift_report_count(&t.report, "material_missing"), 1);
        look = look_of(&t, "Second");
        CHECK_STR(look.texture.name, RIFT_STR("good.tex"));
        CHECK_STR(look.material.name, RIFT_STR("Good"));
        CHECK_U64(rift_report_count(&t.report, "material_missing"), 2);
    }
    end(&t);
}

/* A material in a linked bin, and the first of two with one name. */
static void materials_of_linked_bins(void)
{
    bench t;
    begin(&t);
    fx_bin_depends(&t.b, "DATA/one.bin");
    fx_bin_depends(&t.b, "DATA/two.bin");
    for (int i = 0; i < 2; i++) {
        fx_bin linked;
        fx_bin_init(&linked, &t.arena, (fx_bin_opts){0});
        const fx_bin own = t.b;
        t.b = linked;
        open_material(&t, &(material_spec){.name = "M",
                                           .slots = {"Diffuse_Texture"},
                                           .paths = {i == 0 ? "one.tex" : "two.tex"}});
        close_all(&t);
        loose_put(&t.files, i == 0 ? "data/one.bin" : "data/two.bin", fx_bin_finish(&t.b));
        t.b = own;
    }
    open_mesh(&t);
    fx_bin_link(&t.b, "material", "m");
    if (load_ok(&t))
        CHECK_STR(look_of(&t, "Body").texture.name, RIFT_STR("one.tex"));
    end(&t);
}

/* ---- Samplers ---- */

static void which_sampler_is_the_base_colour(void)
{
    static const struct {
        const char *label;
        const char *slots[4], *paths[4];
        const char *texture, *slot, *others;
    } rows[] = {
        {"ranked",
         {"Main_Texture", "Diffuse_Texture"},
         {"main.tex", "diffuse.tex"},
         "diffuse.tex",
         "Diffuse_Texture",
         "Main_Texture"},
        {"without case", {"MAIN_TEXTURE"}, {"main.tex"}, "main.tex", "MAIN_TEXTURE", ""},
        {"last of the list", {"Mask", "Color_Texture"}, {"m.tex", "c.tex"}, "c.tex", "Color_Texture", "Mask"},
        {"a placeholder gives way",
         {"Diffuse_Texture", "Main_Texture"},
         {"ASSETS/Shared/Materials/black.dds", "main.tex"},
         "main.tex",
         "Main_Texture",
         "Diffuse_Texture"},
        {"a placeholder with a suffix",
         {"Diffuse_Texture", "Diffuse"},
         {"ASSETS/Shared/Materials/white.SKINS_Ivern_Skin30.tex", "d.tex"},
         "d.tex",
         "Diffuse",
         "Diffuse_Texture"},
        {"blank", {"Diffuse_Texture"}, {"ASSETS/Characters/Lux/blank.tex"}, "", "", "Diffuse_Texture"},
        {"alpha mask",
         {"Diffuse_Texture"},
         {"ASSETS/Characters/Lux/lux_alpha-mask.tex"},
         "",
         "",
         "Diffuse_Texture"},
        {"black elsewhere is a texture",
         {"Diffuse_Texture"},
         {"ASSETS/Characters/Lux/black.tex"},
         "ASSETS/Characters/Lux/black.tex",
         "Diffuse_Texture",
         ""},
        {"a real shared texture",
         {"Diffuse_Texture"},
         {"ASSETS/Shared/Materials/SRX_Rock.tex"},
         "ASSETS/Shared/Materials/SRX_Rock.tex",
         "Diffuse_Texture",
         ""},
        {"by part of the name",
         {"Noise_Color", "My_Albedo_01"},
         {"n.tex", "a.tex"},
         "a.tex",
         "My_Albedo_01",
         "Noise_Color"},
        {"ruled out by part",
         {"Diffuse_Mask", "Base_Gradient", "Main_Flow_Map"},
         {"1.tex", "2.tex", "3.tex"},
         "",
         "",
         "Diffuse_Mask, Base_Gradient, Main_Flow_Map"},
        {"by the file's name",
         {"Layer", "Other"},
         {"x.tex", "ASSETS/lux_tx_cm.tex"},
         "ASSETS/lux_tx_cm.tex",
         "Other",
         "Layer"},
        {"not by the folder's name",
         {"Layer", "Second"},
         {"ASSETS/diffuse/x.tex", "y.tex"},
         "",
         "",
         "Layer, Second"},
        {"an empty path",
         {"Diffuse_Texture", "Diffuse"},
         {"", "d.tex"},
         "d.tex",
         "Diffuse",
         "Diffuse_Texture"},
        {"two of one slot", {"Diffuse", "Diffuse"}, {"1.tex", "2.tex"}, "1.tex", "Diffuse", "Diffuse"},
        {"none", {NULL}, {NULL}, "", "", ""},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        for (int generation = 0; generation < 2; generation++) {
            bench t;
            material_spec m = {.name = "M", .generation = generation};
            memcpy(m.slots, rows[i].slots, sizeof m.slots);
            memcpy(m.paths, rows[i].paths, sizeof m.paths);
            check_row("%s, generation %d", rows[i].label, generation);
            begin(&t);
            open_mesh(&t);
            fx_bin_link(&t.b, "material", "M");
            open_material(&t, &m);
            if (load_ok(&t)) {
                const rift_look look = look_of(&t, "Body");
                CHECK_STR(look.texture.name, rift_str_c(rows[i].texture));
                CHECK_STR(look.material.slot, rift_str_c(rows[i].slot));
                CHECK_STR(look.material.other_textures, rift_str_c(rows[i].others));
            }
            end(&t);
        }
    }
    check_row("%s", "");
}

/* B081: before a part stays without any texture, the only one of its material that is no mask; a word in place of a path
 * stands for the skin's own texture. What was looked at is told. */
static void the_only_sampler_and_what_was_tried(void)
{
    static const struct {
        const char *label;
        const char *slots[4], *paths[4];
        const char *skin_texture, *texture, *reason;
    } rows[] = {
        {"only one", {"Layer", "Noise_Map"}, {"l.tex", "n.tex"}, NULL, "l.tex", "only_sampler"},
        {"the skin's own goes before", {"Layer"}, {"l.tex"}, "skin.tex", "skin.tex", "texture"},
        {"two of them", {"Layer", "Other"}, {"l.tex", "o.tex"}, NULL, "", "none"},
        {"a mask by its file", {"Layer"}, {"lux_mask.tex"}, NULL, "", "none"},
        {"a mask by its slot", {"Mask"}, {"l.tex"}, NULL, "", "none"},
        {"a word", {"Diffuse_Texture"}, {"Emissive_Name"}, "skin.tex", "skin.tex", "texture"},
        {"a word alone", {"Diffuse_Texture"}, {"Emissive_Name"}, NULL, "", "none"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        material_spec m = {.name = "M", .generation = 1};
        memcpy(m.slots, rows[i].slots, sizeof m.slots);
        memcpy(m.paths, rows[i].paths, sizeof m.paths);
        check_row("%s", rows[i].label);
        begin(&t);
        open_mesh(&t);
        if (rows[i].skin_texture != NULL)
            fx_bin_string(&t.b, "texture", rows[i].skin_texture);
        fx_bin_link(&t.b, "material", "gone");
        fx_bin_list(&t.b, "materialOverride", RIFT_BIN_EMBED);
        override_of(&t, "Body", NULL, "M");
        open_material(&t, &m);
        if (load_ok(&t)) {
            const rift_look look = look_of(&t, "Body");
            CHECK_STR(look.texture.name, rift_str_c(rows[i].texture));
            CHECK_STR(look.reason, rift_str_c(rows[i].reason));
            CHECK_FATAL(look.try_count == 2);
            CHECK_STR(look.tries[0].source, RIFT_STR("override_material"));
            CHECK_STR(look.tries[0].name, RIFT_STR("M"));
            CHECK_STR(look.tries[0].result, RIFT_STR("no_texture"));
            CHECK_STR(look.tries[1].source, RIFT_STR("material"));
            CHECK_STR(look.tries[1].result, RIFT_STR("missing"));
            CHECK_U64(rift_report_count(&t.report, "texture_guessed"), i == 0);
        }
        end(&t);
    }
    check_row("%s", "");
}

/* emissiveTexture goes with the skin's own texture, not with that of an override. */
static void emissive_texture(void)
{
    bench t;
    begin(&t);
    open_mesh(&t);
    fx_bin_string(&t.b, "texture", "skin.tex");
    fx_bin_string(&t.b, "emissiveTexture", "skin_gm.tex");
    fx_bin_list(&t.b, "materialOverride", RIFT_BIN_EMBED);
    override_of(&t, "Sword", "sword.tex", NULL);
    if (load_ok(&t)) {
        CHECK_STR(look_of(&t, "Body").emissive.name, RIFT_STR("skin_gm.tex"));
        CHECK_U64(look_of(&t, "Sword").emissive.hash, 0);
        CHECK_U64(look_of(&t, "Body").try_count, 0);
    }
    end(&t);
}

/* Since 16.17 a path is a hash: placeholders are known by theirs, and by name where a list knows it. */
static void placeholders_by_hash(void)
{
    static const char *const placeholders[] = {
        "assets/shared/materials/black.tex",
        "ASSETS/Shared/Materials/White.dds",
        "assets/shared/materials/grey.tex",
        "assets/shared/materials/blank.tex",
    };
    for (size_t i = 0; i < RIFT_COUNT(placeholders); i++) {
        bench t;
        check_row("%s", placeholders[i]);
        begin(&t);
        t.as_files = true;
        open_mesh(&t);
        fx_bin_link(&t.b, "material", "M");
        open_material(&t, &(material_spec){.name = "M",
                                           .slots = {"Diffuse_Texture", "Main_Texture"},
                                           .paths = {placeholders[i], "main.tex"},
                                           .generation = 2});
        if (load_ok(&t)) {
            const rift_look look = look_of(&t, "Body");
            CHECK_U64(look.texture.hash, rift_path_hash(RIFT_STR("main.tex")));
            CHECK_U64(look.texture.name.size, 0);
        }
        end(&t);
    }
    check_row("%s", "");
}

static void address_modes(void)
{
    static const struct {
        uint32_t u, v;
        rift_address_mode want_u, want_v;
    } rows[] = {
        {0, 1, RIFT_ADDRESS_REPEAT, RIFT_ADDRESS_CLAMP},
        {2, 3, RIFT_ADDRESS_MIRROR, RIFT_ADDRESS_CLAMP},
        {9, 0, RIFT_ADDRESS_REPEAT, RIFT_ADDRESS_REPEAT},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        begin(&t);
        open_mesh(&t);
        fx_bin_link(&t.b, "material", "M");
        close_all(&t);
        fx_bin_entry(&t.b, "M", "StaticMaterialDef");
        fx_bin_list(&t.b, "samplerValues", RIFT_BIN_EMBED); /* the older kind of list */
        sampler(&t, 1, "Mask", "m.tex");
        fx_bin_embed(&t.b, NULL, "StaticMaterialShaderSamplerDef");
        fx_bin_hash(&t.b, "TextureName", "Diffuse_Texture"); /* a slot by its hash */
        fx_bin_string(&t.b, "texturePath", "d.tex");
        fx_bin_u32(&t.b, "addressU", rows[i].u);
        fx_bin_u8(&t.b, "addressV", (uint8_t)rows[i].v);
        if (load_ok(&t)) {
            const rift_look look = look_of(&t, "Body");
            CHECK_STR(look.texture.name, RIFT_STR("d.tex"));
            CHECK(rift_str_starts_nocase(look.material.slot, RIFT_STR("0x")));
            CHECK(look.material.address_u == rows[i].want_u && look.material.address_v == rows[i].want_v);
        }
        end(&t);
    }
}

/* ---- Parameters, switches, passes ---- */

typedef struct param_spec {
    const char *name;
    float value[4];
    bool without_value;
} param_spec;

typedef struct switch_spec {
    const char *name;
    int on; /* 0 off, 1 on, 2 not said: on */
} switch_spec;

typedef struct pass_spec {
    int blend, cull; /* -1: absent */
    int source, destination;
} pass_spec;

static void put_param(bench *t, const param_spec *p)
{
    fx_bin_embed(&t->b, NULL, "StaticMaterialShaderParamDef");
    fx_bin_string(&t->b, "name", p->name);
    if (!p->without_value)
        fx_bin_vec4(&t->b, "value", p->value[0], p->value[1], p->value[2], p->value[3]);
    fx_bin_end(&t->b);
}

static void put_technique(bench *t, const char *name, const pass_spec *pass)
{
    fx_bin_embed(&t->b, NULL, "StaticMaterialTechniqueDef");
    fx_bin_string(&t->b, "name", name);
    fx_bin_list(&t->b, "passes", RIFT_BIN_EMBED);
    fx_bin_embed(&t->b, NULL, "StaticMaterialPassDef");
    if (pass->blend >= 0)
        fx_bin_bool(&t->b, "blendEnable", pass->blend != 0);
    if (pass->cull >= 0)
        fx_bin_bool(&t->b, "cullEnable", pass->cull != 0);
    if (pass->source >= 0)
        fx_bin_u32(&t->b, "srcColorBlendFactor", (uint32_t)pass->source);
    if (pass->destination >= 0)
        fx_bin_u32(&t->b, "dstColorBlendFactor", (uint32_t)pass->destination);
    fx_bin_end(&t->b);
    fx_bin_end(&t->b);
    fx_bin_end(&t->b);
}

/* One material with these settings on a body; its look. */
static rift_material_def settle(bench *t,
                                const char *slot,
                                const param_spec *params,
                                size_t param_count,
                                const switch_spec *switches,
                                size_t switch_count,
                                const pass_spec *pass)
{
    begin(t);
    open_mesh(t);
    fx_bin_link(&t->b, "material", "M");
    open_material(t, &(material_spec){.name = "M", .slots = {slot, "Mask"}, .paths = {"d.tex", "m.tex"}});
    fx_bin_list2(&t->b, "paramValues", RIFT_BIN_EMBED);
    for (size_t i = 0; i < param_count; i++)
        put_param(t, &params[i]);
    fx_bin_end(&t->b);
    fx_bin_list(&t->b, "switches", RIFT_BIN_EMBED);
    for (size_t i = 0; i < switch_count; i++) {
        fx_bin_embed(&t->b, NULL, "StaticMaterialSwitchDef");
        fx_bin_string(&t->b, "name", switches[i].name);
        if (switches[i].on < 2)
            fx_bin_bool(&t->b, "on", switches[i].on == 1);
        fx_bin_end(&t->b);
    }
    fx_bin_end(&t->b);
    if (pass != NULL) {
        fx_bin_list(&t->b, "techniques", RIFT_BIN_EMBED);
        put_technique(t, "shadow", &(pass_spec){!pass->blend, !pass->cull, 1, 1});
        put_technique(t, "normal", pass);
        fx_bin_end(&t->b);
    }
    return load_ok(t) ? look_of(t, "Body").material : (rift_material_def){0};
}

static void render_state_of_the_normal_technique(void)
{
    static const struct {
        const char *label;
        pass_spec pass;
        bool blend, signal, additive, cull;
    } rows[] = {
        {"as on whole champions", {1, -1, 6, 7}, true, false, false, true},
        {"additive", {1, -1, 6, 1}, true, true, true, true},
        {"additive factors, no blending", {0, -1, 6, 1}, false, false, false, true},
        {"double sided", {0, 0, -1, -1}, false, false, false, false},
        {"nothing said", {-1, -1, -1, -1}, false, false, false, true},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        check_row("%s", rows[i].label);
        const rift_material_def m = settle(&t, "Diffuse_Texture", NULL, 0, NULL, 0, &rows[i].pass);
        CHECK(m.blend == rows[i].blend && m.blend_signal == rows[i].signal);
        CHECK(m.additive == rows[i].additive && m.cull == rows[i].cull);
        end(&t);
    }
    check_row("without techniques");
    bench t;
    const rift_material_def m = settle(&t, "Diffuse_Texture", NULL, 0, NULL, 0, NULL);
    CHECK(!m.blend && !m.blend_signal && !m.additive && m.cull && m.opacity == 1.0F && !m.has_tint &&
          !m.has_uv_transform && !m.uv_animated && !m.alpha_test);
    end(&t);
    check_row("%s", "");
}

static void alpha_of_parameters_and_switches(void)
{
    static const struct {
        const char *label;
        param_spec param;
        switch_spec sw;
        bool signal, test;
        float cutoff, opacity;
    } rows[] = {
        {"opacity", {"Opacity", {0.25F}, false}, {NULL, 0}, true, false, 0.0F, 0.25F},
        {"full opacity", {"Alpha", {1.0F}, false}, {NULL, 0}, false, false, 0.0F, 1.0F},
        {"over 1", {"master_alpha", {3.0F}, false}, {NULL, 0}, false, false, 0.0F, 1.0F},
        {"below 0", {"Diffuse_AlphaIntensity", {-1.0F}, false}, {NULL, 0}, true, false, 0.0F, 0.0F},
        {"without a value: zero", {"Alpha", {0}, true}, {NULL, 0}, true, false, 0.0F, 0.0F},
        {"another name", {"Alpha_Bias", {0.3F}, false}, {NULL, 0}, false, false, 0.0F, 1.0F},
        {"diffuse alpha", {"x", {0}, false}, {"USE_DIFFUSE_ALPHA", 1}, true, false, 0.0F, 1.0F},
        {"on when not said", {"x", {0}, false}, {"use_diffuse_alpha", 2}, true, false, 0.0F, 1.0F},
        {"off", {"x", {0}, false}, {"USE_DIFFUSE_ALPHA", 0}, false, false, 0.0F, 1.0F},
        {"on for whole bodies", {"x", {0}, false}, {"USE_ALPHA", 1}, false, false, 0.0F, 1.0F},
        {"threshold", {"AlphaTestValue", {0.3F}, false}, {NULL, 0}, false, true, 0.3F, 1.0F},
        {"threshold of zero", {"AlphaTestValue", {0.0F}, false}, {NULL, 0}, false, false, 0.0F, 1.0F},
        {"threshold without a value", {"AlphaClipValue", {0}, true}, {NULL, 0}, false, false, 0.0F, 1.0F},
        {"switched off", {"Cutoff", {0.3F}, false}, {"ALPHA_TEST_ON", 0}, false, false, 0.0F, 1.0F},
        {"switched on", {"Cutoff", {0.3F}, false}, {"ALPHA_TEST_ON", 1}, false, true, 0.3F, 1.0F},
        {"clip switched off",
         {"AlphaClipValue", {0.3F}, false},
         {"ALPHACLIP_ON", 0},
         false,
         false,
         0.0F,
         1.0F},
        {"another switch off",
         {"Alpha_Test", {0.3F}, false},
         {"ALPHA_BLEND_TEST", 0},
         false,
         true,
         0.3F,
         1.0F},
        {"not a number", {"AlphaTest", {NAN}, false}, {NULL, 0}, false, false, 0.0F, 1.0F},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        check_row("%s", rows[i].label);
        const rift_material_def m =
            settle(&t, "Diffuse_Texture", &rows[i].param, 1, &rows[i].sw, rows[i].sw.name != NULL, NULL);
        CHECK(m.blend_signal == rows[i].signal);
        CHECK(m.alpha_test == rows[i].test);
        CHECK_NEAR((double)m.alpha_cutoff, (double)rows[i].cutoff, 0.0);
        CHECK_NEAR((double)m.opacity, (double)rows[i].opacity, 0.0);
        end(&t);
    }
    check_row("%s", "");
}

static void tints(void)
{
    static const struct {
        const char *label;
        param_spec params[2];
        bool has;
        float red;
    } rows[] = {
        {"tint", {{"TintColor", {0.5F, 0.25F, 0.125F, 1.0F}, false}, {"x", {0}, false}}, true, 0.5F},
        {"ranked",
         {{"Main_Color", {0.1F, 0, 0, 1}, false}, {"Diffuse_Tint", {0.2F, 0, 0, 1}, false}},
         true,
         0.2F},
        {"white", {{"TintColor", {1, 1, 1, 1}, false}, {"Main_Color", {0.1F, 0, 0, 1}, false}}, false, 0.0F},
        {"invisible", {{"TintColor", {0.5F, 0, 0, 0}, false}, {"x", {0}, false}}, false, 0.0F},
        {"out of range", {{"TintColor", {5.0F, 0, 0, 1}, false}, {"x", {0}, false}}, false, 0.0F},
        {"another name", {{"BlendMat_Tint", {0.5F, 0, 0, 1}, false}, {"x", {0}, false}}, false, 0.0F},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        check_row("%s", rows[i].label);
        const rift_material_def m = settle(&t, "Diffuse_Texture", rows[i].params, 2, NULL, 0, NULL);
        CHECK(m.has_tint == rows[i].has);
        CHECK_NEAR((double)m.tint[0], (double)rows[i].red, 0.0);
        end(&t);
    }
    check_row("%s", "");
}

static void texture_coordinates(void)
{
    static const struct {
        const char *label, *slot;
        param_spec param;
        bool transform, animated, unknown;
        float u, v;
    } rows[] = {
        {"main tile of the main texture",
         "Main_Texture",
         {"MainTex_Tile", {2, 3}, false},
         true,
         false,
         false,
         2,
         3},
        {"main tile beside a diffuse",
         "Diffuse_Texture",
         {"MainTex_Tile", {2, 3}, false},
         false,
         false,
         false,
         1,
         1},
        {"base tile of the diffuse",
         "Diffuse_Texture",
         {"Base_Tile", {2, 0.5F}, false},
         true,
         false,
         false,
         2,
         0.5F},
        {"base tile beside a main",
         "Main_Texture",
         {"Base_Tile", {2, 0.5F}, false},
         false,
         false,
         false,
         1,
         1},
        {"the only texture's tile", "Diffuse", {"MainTexUV_Tile", {4, 4}, false}, true, false, false, 4, 4},
        {"tile of one", "Diffuse", {"MainTexUV_Tile", {1, 1}, false}, false, false, false, 1, 1},
        {"tile of zero", "Diffuse", {"MainTexUV_Tile", {0, 1}, false}, false, false, false, 1, 1},
        {"another texture's scale", "Diffuse", {"UV_Scale", {3, 3}, false}, false, false, false, 1, 1},
        {"unknown scale", "Diffuse", {"Wobble_UV_Scale", {3, 3}, false}, false, false, true, 1, 1},
        {"unknown tile", "Diffuse", {"Glitter_Tiling", {3, 3}, false}, false, false, true, 1, 1},
        {"scroll", "Diffuse", {"ScrollSpeedBase", {0, 0.65F}, false}, false, true, false, 1, 1},
        {"scroll of zero", "Diffuse", {"ScrollSpeedMainTex", {0}, true}, false, false, false, 1, 1},
        {"unknown scroll", "Diffuse", {"Scroll_Angle", {1}, false}, false, false, true, 1, 1},
        {"scroll's colour", "Diffuse", {"Scroll_Color", {1, 1, 1, 1}, false}, false, false, false, 1, 1},
        {"flip-book", "Diffuse", {"FlipbookSize", {4, 2}, false}, true, true, false, 0.25F, 0.5F},
        {"flip-book of no page", "Diffuse", {"FlipbookSize", {0, 4}, false}, false, false, false, 1, 1},
        {"a scale that is not a number",
         "Diffuse",
         {"MainTexUV_Tile", {NAN, 2}, false},
         false,
         false,
         false,
         1,
         1},
        {"flip-book of one page", "Diffuse", {"FlipbookSize", {1, 1}, false}, false, false, false, 1, 1},
        {"no coordinates at all", "Diffuse", {"Bloom_Intensity", {4}, false}, false, false, false, 1, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench t;
        check_row("%s", rows[i].label);
        const rift_material_def m = settle(&t, rows[i].slot, &rows[i].param, 1, NULL, 0, NULL);
        CHECK(m.has_uv_transform == rows[i].transform && m.uv_animated == rows[i].animated);
        CHECK(m.uv_scale[0] == rows[i].u && m.uv_scale[1] == rows[i].v);
        CHECK(m.uv_offset[0] == 0.0F && m.uv_offset[1] == 0.0F);
        CHECK_U64(rift_report_count(&t.report, "uv_parameter_unknown"), rows[i].unknown);
        end(&t);
    }
    check_row("%s", "");
}

/* ---- Both forms of one skin ---- */

/* B082: the same bin with strings and with hashes. */
static void strings_and_hashes_give_the_same_skin(void)
{
    rift_look looks[2][3];
    rift_skin skins[2];
    bench t[2];
    for (int form = 0; form < 2; form++) {
        begin(&t[form]);
        t[form].as_files = form == 1;
        open_mesh(&t[form]);
        path(&t[form], "skeleton", "ASSETS/Lux.skl");
        path(&t[form], "texture", "ASSETS/Lux_TX_CM.tex");
        fx_bin_list(&t[form].b, "materialOverride", RIFT_BIN_EMBED);
        override_of(&t[form], "Hair", "ASSETS/Hair.tex", NULL);
        override_of(&t[form], "Wings", NULL, "M");
        open_material(&t[form],
                      &(material_spec){.name = "M",
                                       .slots = {"Diffuse_Texture", "Main_Texture"},
                                       .paths = {"ASSETS/Shared/Materials/white.tex", "ASSETS/Wings.tex"},
                                       .generation = form == 0 ? 1 : 2});
        if (load_ok(&t[form])) {
            looks[form][0] = look_of(&t[form], "Body");
            looks[form][1] = look_of(&t[form], "Hair");
            looks[form][2] = look_of(&t[form], "Wings");
        }
        skins[form] = t[form].skin;
    }
    CHECK(skins[0].mesh.hash != 0 && skins[0].mesh.hash == skins[1].mesh.hash);
    CHECK(skins[0].skeleton.hash != 0 && skins[0].skeleton.hash == skins[1].skeleton.hash);
    CHECK(skins[0].texture.hash != 0 && skins[0].texture.hash == skins[1].texture.hash);
    for (size_t i = 0; i < 3; i++) {
        CHECK(looks[0][i].texture.hash != 0);
        CHECK_U64(looks[0][i].texture.hash, looks[1][i].texture.hash);
        CHECK_STR(looks[0][i].reason, looks[1][i].reason);
        CHECK_STR(looks[0][i].material.slot, looks[1][i].material.slot);
    }
    CHECK_U64(looks[0][2].texture.hash, rift_path_hash(RIFT_STR("assets/wings.tex")));
    CHECK(skins[0].mesh.name.size > 0 && skins[1].mesh.name.size == 0);
    end(&t[0]);
    end(&t[1]);
}

/* With a list of game paths hashes get their names back. */
static void hashes_get_names_from_the_list(void)
{
    bench t;
    begin(&t);
    t.as_files = true;
    rift_name_lists lists;
    rift_name_lists_init(&lists, &t.arena);
    rift_err err = check_err();
    static const char text[] = "a2871dd1b0d9bfba assets/characters/lux/skins/base/lux.skn\n";
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_GAME,
                                 (rift_bytes){(const uint8_t *)text, sizeof text - 1}, true, NULL, &err),
             &err);
    const rift_names names = rift_name_lists_names(&lists);
    t.names = &names;
    open_mesh(&t);
    if (load_ok(&t))
        CHECK_STR(t.skin.mesh.name, RIFT_STR("assets/characters/lux/skins/base/lux.skn"));
    end(&t);
}

/* PROP 2, lists instead of list2, fields twice. */
static void an_old_bin_with_repeated_fields(void)
{
    bench t;
    begin_version(&t, 2);
    open_mesh(&t);
    fx_bin_string(&t.b, "simpleSkin", "second.skn");
    fx_bin_string(&t.b, "texture", "first.tex");
    fx_bin_string(&t.b, "texture", "second.tex");
    if (load_ok(&t)) {
        CHECK_STR(rift_str_base(t.skin.mesh.name), RIFT_STR("Lux.skn"));
        CHECK_STR(t.skin.texture.name, RIFT_STR("first.tex"));
        CHECK_U64(t.skin.bins[0].version, 2);
    }
    end(&t);
}

/* ---- Loose bins ---- */

static void a_loose_bin(void)
{
    bench t;
    begin(&t);
    fx_bin_entry(&t.b, "nowhere", "SkinCharacterDataProperties"); /* without a mesh */
    close_all(&t);
    fx_bin_entry(&t.b, "G", "AnimationGraphData");
    fx_bin_map(&t.b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(&t.b, NULL, "Whirl");
    fx_bin_pointer(&t.b, NULL, "AtomicClipData");
    fx_bin_embed(&t.b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(&t.b, "mAnimationFilePath", "Lux_Whirl.anm");
    close_all(&t);
    open_mesh(&t);
    link_graph(&t, "not here");
    close_all(&t);
    t.err = check_err();
    CHECK_OK(rift_skin_from_bin(&t.skin, fx_bin_finish(&t.b), NULL, NULL, &t.arena, NULL, &t.report, &t.err),
             &t.err);
    CHECK_STR(rift_str_base(t.skin.mesh.name), RIFT_STR("Lux.skn"));
    CHECK_STR(t.skin.ref.alias, RIFT_STR("lux"));
    CHECK(t.skin.ref.id == 0 && t.skin.ref.champion == NULL);
    CHECK_FATAL(t.skin.has_graph && t.skin.graph.clip_count == 1);
    CHECK_STR(t.skin.graph.clips[0].name, RIFT_STR("Whirl"));
    end(&t);
}

static void loose_bins_without_a_mesh_or_without_anything(void)
{
    bench t;
    begin(&t);
    fx_bin_entry(&t.b, "G", "AnimationGraphData");
    close_all(&t);
    t.err = check_err();
    CHECK_OK(rift_skin_from_bin(&t.skin, fx_bin_finish(&t.b), NULL, NULL, &t.arena, NULL, &t.report, &t.err),
             &t.err);
    CHECK(t.skin.has_graph && t.skin.mesh.hash == 0 && t.skin.parent == -1 && t.skin.scale == 1.0);
    CHECK_U64(rift_report_count(&t.report, "skin_without_mesh"), 1);
    end(&t);

    begin(&t);
    fx_bin_entry(&t.b, "V", "VfxSystemDefinitionData");
    close_all(&t);
    t.err = check_err();
    CHECK(!rift_skin_from_bin(&t.skin, fx_bin_finish(&t.b), NULL, NULL, &t.arena, NULL, &t.report, &t.err));
    CHECK_CODE(&t.err, RIFT_ERR_NOT_FOUND);
    end(&t);
}

/* ---- Forms ---- */

static void names_of(bench *t, const char *field, const char *a, const char *b)
{
    fx_bin_list(&t->b, field, RIFT_BIN_HASH);
    if (a != NULL)
        fx_bin_hash(&t->b, NULL, a);
    if (b != NULL)
        fx_bin_hash(&t->b, NULL, b);
    fx_bin_end(&t->b);
}

static void open_driver(bench *t, const char *field, const char *class_name)
{
    fx_bin_pointer(&t->b, field, class_name);
}

/* One condition whose driver is put by the caller: opened here, closed by close_all. */
static void open_condition(bench *t)
{
    begin(t);
    open_mesh(t);
    fx_bin_end(&t->b);
    fx_bin_list2(&t->b, "PersistentEffectConditions", RIFT_BIN_POINTER);
    fx_bin_pointer(&t->b, NULL, "PersistentEffectConditionData");
    names_of(t, "SubmeshesToShow", "Wings", NULL);
}

static rift_str when_of(bench *t)
{
    return load_ok(t) && CHECK(t->skin.form_count == 1) ? t->skin.forms[0].when : (rift_str){0};
}

/* B109: levels by their links, the missing one counted; conditions that show or hide something. */
static void gear_levels_and_conditions(void)
{
    bench t;
    begin(&t);
    open_mesh(&t);
    fx_bin_end(&t.b);
    fx_bin_embed(&t.b, "skinUpgradeData", "SkinUpgradeData");
    fx_bin_list(&t.b, "mGearSkinUpgrades", RIFT_BIN_LINK);
    fx_bin_link(&t.b, NULL, "Nowhere");
    fx_bin_link(&t.b, NULL, "Second");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_list2(&t.b, "PersistentEffectConditions", RIFT_BIN_POINTER);
    fx_bin_pointer(&t.b, NULL, "PersistentEffectConditionData"); /* shows and hides nothing */
    fx_bin_end(&t.b);
    fx_bin_null(&t.b, NULL);
    fx_bin_pointer(&t.b, NULL, "PersistentEffectConditionData");
    names_of(&t, "SubmeshesToHide", "Cape", NULL);
    close_all(&t);
    fx_bin_entry(&t.b, "Second", "GearSkinUpgrade");
    fx_bin_embed(&t.b, "mGearData", "GearData");
    names_of(&t, "mCharacterSubmeshesToShow", "Wings", "Crown");
    names_of(&t, "mCharacterSubmeshesToHide", "Cape", "0x00000000"); /* no name at all */
    fx_bin_string(&t.b, "mEquipAnimation", "Spell4");
    if (load_ok(&t) && CHECK(t.skin.form_count == 2)) {
        const rift_form *gear = &t.skin.forms[0];
        const rift_form *condition = &t.skin.forms[1];
        CHECK(gear->gear && !condition->gear);
        CHECK_STR(gear->name, RIFT_STR("gear_1"));
        CHECK_STR(condition->name, RIFT_STR("condition_2"));
        CHECK(gear->index == 1 && condition->index == 2);
        CHECK_U64(gear->hash, rift_fnv1a(RIFT_STR("second")));
        CHECK_STR(gear->animation, RIFT_STR("Spell4"));
        CHECK_FATAL(gear->show_count == 2 && gear->hide_count == 1 && condition->hide_count == 1);
        CHECK_U64(gear->show[0], 0x18fa64cb); /* FNV-1a of "wings" */
        CHECK_U64(gear->show[1], rift_fnv1a(RIFT_STR("CROWN")));
        CHECK_U64(gear->hide[0], condition->hide[0]);
        CHECK(!gear->has_hidden && gear->mesh.hash == 0 && gear->override_count == 0);
        CHECK(condition->show_count == 0 && condition->when.size == 0);
        CHECK_U64(rift_report_count(&t.report, "form_missing"), 1);
    }
    end(&t);
}

/* What a condition says in words; trees that are too deep or too long end in a question mark or in nothing. */
static void conditions_in_words(void)
{
    bench t;
    open_condition(&t);
    open_driver(&t, "OwnerCondition", "HasGearDynamicMaterialBoolDriver"); /* level 0 is not written */
    CHECK_STR(when_of(&t), RIFT_STR("gear 0"));
    end(&t);

    open_condition(&t);
    open_driver(&t, "OwnerCondition", "AllTrueMaterialDriver");
    fx_bin_list(&t.b, "mDrivers", RIFT_BIN_POINTER);
    open_driver(&t, NULL, "HasBuffDynamicMaterialBoolDriver");
    fx_bin_string(&t.b, "mScriptName", "LuxR");
    fx_bin_end(&t.b);
    open_driver(&t, NULL, "SomeDelay");
    open_driver(&t, "mBoolDriver", "HasBuffDynamicMaterialBoolDriver");
    fx_bin_hash(&t.b, "Spell", "0xe81a6856");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    open_driver(&t, NULL, "NotMaterialDriver");
    fx_bin_end(&t.b);
    open_driver(&t, NULL, "0x12345678");
    CHECK_STR(when_of(&t), RIFT_STR("all (buff LuxR, buff 0xe81a6856, not (?), 0x12345678)"));
    end(&t);

    open_condition(&t);
    open_driver(&t, "OwnerCondition", "NotMaterialDriver");
    for (int i = 0; i < 9; i++)
        open_driver(&t, "mDriver", "NotMaterialDriver");
    CHECK_STR(when_of(&t), RIFT_STR("not (not (not (not (not (not (?))))))"));
    end(&t);

    open_condition(&t);
    open_driver(&t, "OwnerCondition", "IsAnimationPlayingDynamicMaterialBoolDriver");
    fx_bin_list(&t.b, "mAnimationNames", RIFT_BIN_HASH);
    for (int i = 0; i < 60; i++)
        fx_bin_hash(&t.b, NULL, "Spell4");
    CHECK_STR(when_of(&t), RIFT_STR(""));
    end(&t);
}

static void forms_have_a_limit(void)
{
    bench t;
    begin(&t);
    open_mesh(&t);
    fx_bin_end(&t.b);
    fx_bin_embed(&t.b, "skinUpgradeData", "SkinUpgradeData");
    fx_bin_list(&t.b, "mGearSkinUpgrades", RIFT_BIN_LINK);
    for (int i = 0; i < RIFT_SKIN_MAX_FORMS + 2; i++)
        fx_bin_link(&t.b, NULL, "G");
    close_all(&t);
    fx_bin_entry(&t.b, "G", "GearSkinUpgrade");
    if (load_ok(&t)) {
        CHECK_U64(t.skin.form_count, RIFT_SKIN_MAX_FORMS);
        CHECK_U64(rift_report_count(&t.report, "forms_over_limit"), 2);
    }
    end(&t);
}

/* ---- Robustness ---- */

static rift_bytes full_bin(bench *t)
{
    begin(t);
    fx_bin_depends(&t->b, "DATA/A.bin");
    open_mesh(t);
    fx_bin_string(&t->b, "initialSubmeshToHide", "A, B");
    fx_bin_list(&t->b, "materialOverride", RIFT_BIN_EMBED);
    override_of(t, "Body", "t.tex", "M");
    fx_bin_end(&t->b);
    link_graph(t, "G");
    fx_bin_end(&t->b);
    fx_bin_embed(&t->b, "skinUpgradeData", "SkinUpgradeData");
    fx_bin_list(&t->b, "mGearSkinUpgrades", RIFT_BIN_LINK);
    fx_bin_link(&t->b, NULL, "Level");
    fx_bin_end(&t->b);
    fx_bin_end(&t->b);
    fx_bin_list2(&t->b, "PersistentEffectConditions", RIFT_BIN_POINTER);
    fx_bin_pointer(&t->b, NULL, "PersistentEffectConditionData");
    names_of(t, "SubmeshesToShow", "Wings", NULL);
    open_driver(t, "OwnerCondition", "NotMaterialDriver");
    open_driver(t, "mDriver", "HasGearDynamicMaterialBoolDriver");
    open_material(
        t, &(material_spec){
               .name = "M", .slots = {"Diffuse", "Mask"}, .paths = {"d.tex", "m.tex"}, .generation = 2});
    fx_bin_list2(&t->b, "paramValues", RIFT_BIN_EMBED);
    put_param(t, &(param_spec){"Alpha", {0.5F}, false});
    close_all(t);
    fx_bin_entry(&t->b, "G", "AnimationGraphData");
    close_all(t);
    fx_bin_entry(&t->b, "Level", "GearSkinUpgrade");
    fx_bin_pointer(&t->b, "mGearData", "GearData");
    names_of(t, "mCharacterSubmeshesToHide", "Cape", "Hair");
    fx_bin_embed(&t->b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&t->b, "initialSubmeshToHide", "A b");
    close_all(t);
    return fx_bin_finish(&t->b);
}

static bool load_and_look(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_skin skin;
    rift_look look;
    rift_report report;
    rift_report_init(&report, arena);
    return rift_skin_from_bin(&skin, in, NULL, NULL, arena, NULL, &report, err) &&
           rift_skin_look(&look, &skin, RIFT_STR("Body"), NULL, arena, &report, err);
}

static bool load_from_assets(rift_bytes in, rift_arena *arena, rift_err *err)
{
    loose_files files = {0};
    loose_put(&files, skin_path, in);
    loose_put(&files, "data/a.bin", in);
    const rift_assets assets = loose_assets(&files);
    const rift_skin_ref ref = {.alias = RIFT_STR("lux"), .number = 7};
    rift_asset_log log;
    rift_asset_log_init(&log, arena);
    rift_skin skin;
    return rift_skin_load(&skin, &ref, &assets, NULL, arena, &log, NULL, err);
}

static void any_bytes_and_any_failing_allocation(void)
{
    bench t;
    const rift_bytes bytes = full_bin(&t);
    check_prefixes(load_and_look, bytes, 0, RIFT_OK);
    check_every_byte(load_and_look, bytes);
    check_allocations(load_and_look, bytes);
    check_allocations(load_from_assets, bytes);
    end(&t);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(every_field_and_its_default);
    RUN(hidden_parts);
    RUN(skins_that_cannot_be);
    RUN(which_entry_is_the_skin);
    RUN(linked_bins_breadth_first);
    RUN(failures_that_are_not_the_files_fault_end_the_load);
    RUN(linked_bins_have_a_limit);
    RUN(the_linked_graph);
    RUN(the_first_of_four_sources_counts);
    RUN(materials_that_do_not_serve);
    RUN(materials_of_linked_bins);
    RUN(which_sampler_is_the_base_colour);
    RUN(the_only_sampler_and_what_was_tried);
    RUN(emissive_texture);
    RUN(placeholders_by_hash);
    RUN(address_modes);
    RUN(render_state_of_the_normal_technique);
    RUN(alpha_of_parameters_and_switches);
    RUN(tints);
    RUN(texture_coordinates);
    RUN(strings_and_hashes_give_the_same_skin);
    RUN(hashes_get_names_from_the_list);
    RUN(an_old_bin_with_repeated_fields);
    RUN(a_loose_bin);
    RUN(loose_bins_without_a_mesh_or_without_anything);
    RUN(gear_levels_and_conditions);
    RUN(conditions_in_words);
    RUN(forms_have_a_limit);
    RUN(any_bytes_and_any_failing_allocation);
    return check_finish();
}
