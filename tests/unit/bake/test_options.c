#include "bake/options.h"

#include <string.h>

#include "base/str.h"
#include "support/check.h"

static rift_arena arena;

static bool set(rift_options *o, const char *name, const char *value, rift_err *err)
{
    *err = check_err();
    return rift_options_set(o, rift_str_c(name), rift_str_c(value), &arena, err);
}

static void defaults_have_no_text(void)
{
    const rift_options o = rift_options_default();
    CHECK_STR(rift_options_text(&o, &arena), RIFT_STR(""));
    CHECK_STR(o.clips, RIFT_STR("*"));
    CHECK_U64(o.max_texture, 0);
}

/* Every value of api.md section 1 that this program knows, and the text that it leaves behind. */
static void values_are_taken(void)
{
    static const struct {
        const char *name, *value, *text;
    } rows[] = {
        {"content", "full", ""},
        {"content", "rig", "content=rig"},
        {"content", "mesh", "content=mesh"},
        {"clips", "*", ""},
        {"clips", "none", "clips=none"},
        {"clips", "Idle*,run", "clips=Idle*,run"},
        {"texture", "png", ""},
        {"texture", "webp", "texture=webp"},
        {"texture", "jpeg", "texture=jpeg"},
        {"texture", "none", "texture=none"},
        {"max_texture", "unlimited", ""},
        {"max_texture", "64", "max_texture=64"},
        {"max-texture", "4096", "max_texture=4096"},
        {"compress", "none", ""},
        {"compress", "quantize", "compress=quantize"},
        {"compress", "meshopt", "compress=meshopt"},
        {"hidden", "include", "hidden=include"},
        {"snap", "off", "snap=off"},
        {"shading", "pbr", "shading=pbr"},
        {"units", "league", "units=league"},
        {"mirror", "off", "mirror=off"},
        {"vertex_colors", "custom", "vertex_colors=custom"},
        {"vertex-colors", "omit", ""},
        {"additive", "raw", "additive=raw"},
        {"layers", "none", ""},
        {"content", "animations", "content=animations"},
        {"keys", "adaptive", ""},
        {"keys", "cubic", "keys=cubic"},
        {"keys", "dense:30", "keys=dense:30"},
        {"keys", "dense:0060", "keys=dense:60"},
        {"timing", "native", ""},
        {"timing", "game", "timing=game"},
        {"pose", "none", ""},
        {"pose", "none@0", "pose=none@0"},
        {"pose", "Idle1@0.5", "pose=Idle1@0.5"},
        {"pose", "Idle1@0.500000", "pose=Idle1@0.5"},
        {"pose", "Idle1@12", "pose=Idle1@12"},
        {"pose", "a@b@1.05", "pose=a@b@1.05"},
        {"pose", "Idle1@0.000001", "pose=Idle1@0.000001"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s=%s", rows[i].name, rows[i].value);
        rift_options o = rift_options_default();
        rift_err err;
        CHECK_OK(set(&o, rows[i].name, rows[i].value, &err), &err);
        CHECK_STR(rift_options_text(&o, &arena), rift_str_c(rows[i].text));
    }
}

/* decisions 5: what each stands for, and that an option which is asked for stays, wherever it stands. */
static void profiles_stand_for_options(void)
{
    static const struct {
        const char *names[3], *values[3], *text, *label;
    } rows[] = {
        {{0}, {0}, "", "full"},
        {{"profile"}, {"full"}, "", "full"},
        {{"profile"}, {"web"}, "texture=webp&max_texture=1024&compress=meshopt", "web"},
        {{"profile"}, {"lite"}, "clips=idle*,run*&texture=webp&max_texture=512&compress=meshopt", "lite"},
        {{"profile"}, {"archive"}, "hidden=include&units=league&keys=cubic", "archive"},
        {{"profile", "max_texture"},
         {"web", "2048"},
         "texture=webp&max_texture=2048&compress=meshopt",
         "custom"},
        {{"max-texture", "profile"},
         {"512", "web"},
         "texture=webp&max_texture=512&compress=meshopt",
         "custom"},
        /* a default that is asked for is one too */
        {{"texture", "clips", "profile"}, {"png", "*", "lite"}, "max_texture=512&compress=meshopt", "custom"},
        {{"keys", "units", "profile"},
         {"dense:30", "metre", "archive"},
         "hidden=include&keys=dense:30",
         "custom"},
        {{"profile", "units"}, {"archive", "metre"}, "hidden=include&keys=cubic", "custom"},
        {{"profile", "content"},
         {"web", "rig"},
         "content=rig&texture=webp&max_texture=1024&compress=meshopt",
         "custom"},
        /* the last one counts, whole */
        {{"profile", "profile"}, {"lite", "archive"}, "hidden=include&units=league&keys=cubic", "archive"},
        {{"clips", "profile", "profile"}, {"Run", "lite", "full"}, "clips=Run", "custom"},
        /* who spells a profile out has it */
        {{"texture", "max_texture", "compress"},
         {"webp", "1024", "meshopt"},
         "texture=webp&max_texture=1024&compress=meshopt",
         "web"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_options o = rift_options_default();
        rift_err err = check_err();
        check_row("row %zu", i);
        for (size_t k = 0; k < 3 && rows[i].names[k] != NULL; k++)
            CHECK_OK(set(&o, rows[i].names[k], rows[i].values[k], &err), &err);
        const rift_str text = rift_options_text(&o, &arena);
        CHECK_STR(text, rift_str_c(rows[i].text));
        CHECK_STR(rift_options_profile(text, &arena), rift_str_c(rows[i].label));
    }
    check_row("%s", "");
    rift_options o = rift_options_default();
    rift_err err;
    CHECK(!set(&o, "profile", "tiny", &err));
    CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
}

static void wrong_ones_are_named(void)
{
    static const struct {
        const char *name, *value, *where;
    } rows[] = {
        {"contents", "full", "options"},
        {"", "full", "options"},
        {"conten", "full", "options"},
        {"content", "", "content"},
        {"content", "Full", "content"},
        {"content", "full|rig", "content"},
        {"content", "full ", "content"},
        {"texture", "bmp", "texture"},
        {"max_texture", "0", "max_texture"},
        {"max_texture", "", "max_texture"},
        {"max_texture", "none", "max_texture"},
        {"max_texture", "63", "max_texture"},
        {"max_texture", "4097", "max_texture"},
        {"max_texture", "-64", "max_texture"},
        {"max_texture", "99999999999999999999999", "max_texture"},
        {"max_texture", "64x", "max_texture"},
        {"layers", "auto", "layers"},
        {"layers", "{}", "layers"},
        {"clips", "", "clips"},
        {"keys", "", "keys"},
        {"keys", "dense", "keys"},
        {"keys", "dense:", "keys"},
        {"keys", "dense:0", "keys"},
        {"keys", "dense:1001", "keys"},
        {"keys", "dense:-3", "keys"},
        {"keys", "dense:2.5", "keys"},
        {"keys", "sparse", "keys"},
        {"timing", "fast", "timing"},
        {"pose", "", "pose"},
        {"pose", "Idle1", "pose"},
        {"pose", "@1", "pose"},
        {"pose", "Idle1@", "pose"},
        {"pose", "Idle1@-1", "pose"},
        {"pose", "Idle1@1e3", "pose"},
        {"pose", "Idle1@1.", "pose"},
        {"pose", "Idle1@0.1234567", "pose"},
        {"pose", "Idle1@nan", "pose"},
        {"pose", "Idle1@86401", "pose"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s=%s", rows[i].name, rows[i].value);
        rift_options o = rift_options_default();
        rift_err err;
        CHECK(!set(&o, rows[i].name, rows[i].value, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
        CHECK_STR(rift_options_text(&o, &arena), RIFT_STR(""));
    }
}

/* The word of the program's own value undoes another default of each option, and a profile undoes all of them. */
static void every_default_has_a_word(void)
{
    static const struct {
        const char *name, *other, *word;
    } rows[] = {
        {"content", "rig", "full"},          {"clips", "Run", "*"},
        {"texture", "webp", "png"},          {"max_texture", "512", "unlimited"},
        {"compress", "meshopt", "none"},     {"hidden", "include", "omit"},
        {"chromas", "variants", "files"},    {"snap", "off", "bake"},
        {"shading", "pbr", "unlit"},         {"units", "league", "metre"},
        {"mirror", "off", "bake"},           {"timing", "game", "native"},
        {"vertex_colors", "custom", "omit"}, {"additive", "raw", "compose"},
        {"keys", "dense:30", "adaptive"},    {"pose", "Run@1", "none"},
    };
    rift_options all = rift_options_default();
    rift_err err;
    CHECK_U64(RIFT_COUNT(rows),
              RIFT_OPTION_COUNT - 2); /* but for profile, and layers, which core cannot set */
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_options o = rift_options_default();
        CHECK_OK(set(&o, rows[i].name, rows[i].other, &err), &err);
        CHECK(rift_options_text(&o, &arena).size > 0);
        CHECK_OK(set(&o, rows[i].name, rows[i].word, &err), &err);
        CHECK_STR(rift_options_text(&o, &arena), RIFT_STR(""));
        if (strcmp(rows[i].name, "pose") != 0)
            CHECK_OK(set(&all, rows[i].name, rows[i].other, &err), &err);
    }
    check_row("%s", "");
    all.given = 0;
    CHECK_OK(set(&all, "profile", "full", &err), &err);
    CHECK_STR(rift_options_text(&all, &arena), RIFT_STR(""));
    /* What only a request can ask for is its own, wherever it stands. */
    rift_options o = rift_options_default();
    CHECK_OK(set(&o, "shading", "pbr", &err), &err);
    o.given = 0;
    CHECK_OK(set(&o, "pose", "Run@1", &err), &err);
    CHECK_OK(set(&o, "profile", "web", &err), &err);
    CHECK_STR(rift_options_text(&o, &arena),
              RIFT_STR("texture=webp&max_texture=1024&compress=meshopt&pose=Run@1"));
}

/* What a server with other defaults has to be told so that it gives what was asked for. */
static void what_was_asked_can_be_told(void)
{
    static const struct {
        const char *names[3], *values[3], *text;
    } rows[] = {
        {{0}, {0}, ""},
        {{"texture"}, {"png"}, "texture=png"},
        {{"keys", "clips"}, {"adaptive", "*"}, "clips=*&keys=adaptive"},
        {{"max-texture", "pose"}, {"unlimited", "none"}, "max_texture=unlimited&pose=none"},
        {{"content", "max_texture"}, {"rig", "64"}, "content=rig&max_texture=64"},
        {{"profile"}, {"full"}, "profile=full"},
        {{"profile"}, {"web"}, "profile=full&texture=webp&max_texture=1024&compress=meshopt"},
        {{"profile", "texture"},
         {"web", "png"},
         "profile=full&texture=png&max_texture=1024&compress=meshopt"},
        {{"layers", "units"}, {"none", "metre"}, "units=metre&layers=none"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_options o = rift_options_default();
        rift_err err;
        check_row("row %zu", i);
        for (size_t k = 0; k < 3 && rows[i].names[k] != NULL; k++)
            CHECK_OK(set(&o, rows[i].names[k], rows[i].values[k], &err), &err);
        CHECK_STR(rift_options_asked(&o, &arena), rift_str_c(rows[i].text));
    }
}

/* Two requests that mean the same have one text, whatever order they came in: it keys the cache. */
static void order_does_not_matter(void)
{
    rift_err err;
    rift_options a = rift_options_default();
    rift_options b = rift_options_default();
    CHECK(set(&a, "units", "league", &err) && set(&a, "content", "rig", &err) &&
          set(&a, "max_texture", "512", &err));
    CHECK(set(&b, "max-texture", "512", &err) && set(&b, "content", "rig", &err) &&
          set(&b, "units", "league", &err));
    CHECK_STR(rift_options_text(&a, &arena), RIFT_STR("content=rig&max_texture=512&units=league"));
    CHECK_STR(rift_options_text(&b, &arena), RIFT_STR("content=rig&max_texture=512&units=league"));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 1 << 20);
    RUN(defaults_have_no_text);
    RUN(values_are_taken);
    RUN(profiles_stand_for_options);
    RUN(wrong_ones_are_named);
    RUN(every_default_has_a_word);
    RUN(what_was_asked_can_be_told);
    RUN(order_does_not_matter);
    rift_arena_release(&arena);
    return check_finish();
}
