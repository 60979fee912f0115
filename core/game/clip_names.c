/* Names of clips, tracks and masks. A graph holds only hashes; a name is right when it has the hash, so
 * candidates may be guessed freely as long as there are few of them: some 20,000 against 60-150 hashes of 32
 * bits make a false hit in about one graph of two thousand. The word lists come from names that hit in the
 * graphs of Yasuo, Aatrox and Alistar and from the clip names that formats/animgraph.md gives. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "game/game_internal.h"
#include "hash/hash.h"

static const char *const actions[] = {
    "Idle",  "Run",    "Walk",    "Attack",  "Crit", "Spell",   "Dance",     "Taunt",  "Laugh",   "Joke",
    "Death", "Recall", "Respawn", "Channel", "Turn", "Passive", "Homeguard", "Stun",   "Knockup", "Dash",
    "Emote", "Ult",    "Air",     "Q",       "W",    "E",       "R",         "Sheath", "Sheathe", "Unsheath",
};

/* Behind an action and a number; those that stand alone too are in `others`. */
static const char *const suffixes[] = {
    "",           "_Base",   "_In",        "_Out",        "_Loop",       "_Windup",   "_Wndup",    "_WndUp",
    "_Winddown",  "_Into",   "_Start",     "_End",        "_Enter",      "_Exit",     "_Upper",    "_Lower",
    "_UpperBody", "_Body",   "_LowerBody", "_Sheathed",   "_Unsheathed", "_Sheath",   "_Unsheath", "_Haste",
    "_Homeguard", "_Fast",   "_Slow",      "_Ult",        "_Passive",    "_Run",      "_Idle",     "_Idle1",
    "_Dash",      "_Attack", "_Attack1",   "_Attack2",    "_Taunt",      "_Left",     "_Right",    "_Back",
    "_Fwd",       "_A",      "_B",         "_C",          "_D",          "A",         "B",         "C",
    "_Seq",       "_Select", "_Selector",  "_Parametric", "_Combat",     "_Angry",    "_Rare",     "_To_Idle",
    "_To_Run",    "_toIdle", "_toRun",     "_Into_Idle",  "_Into_Run",   "_L",        "_R",        "_0",
    "_90",        "_180",    "_Default",   "_Finish",     "Loop",        "_Variant1", "_Variant2",
};

static const char *const others[] = {
    "Default",
    "UpperBody",
    "LowerBody",
    "FullBody",
    "Upper",
    "Lower",
    "Additive",
    "Wind",
    "Wings",
    "Weapon",
    "Facial",
    "Head",
    "Buffbone",
    "Buffbones",
    "RecallTrack",
    "TowerAttack",
    "TowerAttack1",
    "Circular",
    "Run_In_Sheathed",
    "Run_Fast_Sheathed",
    "Idle_In_Sheathed",
    "Idle_In_Base",
    "Idle_Ult_In",
    "Idle_Ult_Base",
    "Spell_Dash_Ult",
    "Spell_Dash_Passive",
    "Ult_Taunt_Into",
    "Death_Idle_Parametric",
    "Wings_Ult",
    "Mask",
};

enum { NUMBERS = 10, CANDIDATE_SIZE = 64 };

/* ---- Stems ---- */

rift_str game_cut_champion(rift_str text, rift_str champion)
{
    if (champion.size == 0 || text.size <= champion.size + 1 || !rift_str_starts_nocase(text, champion) ||
        text.data[champion.size] != '_')
        return text;
    return (rift_str){text.data + champion.size + 1, text.size - champion.size - 1};
}

rift_str game_cut_skin(rift_str text)
{
    static const size_t word = 4;
    if (!rift_str_starts_nocase(text, RIFT_STR("skin")))
        return text;
    size_t at = word;
    while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9')
        at++;
    if (at == word || at + 1 >= text.size || text.data[at] != '_')
        return text;
    return (rift_str){text.data + at + 1, text.size - at - 1};
}

rift_str game_cut_base(rift_str text)
{
    static const size_t word = 5;
    if (!rift_str_starts_nocase(text, RIFT_STR("base_")) || text.size == word)
        return text;
    return (rift_str){text.data + word, text.size - word};
}

rift_str rift_graph_clip_name(const rift_graph_clip *clip,
                              rift_str champion,
                              const rift_names *names,
                              rift_arena *arena)
{
    if (clip->name.size > 0)
        return clip->name;
    rift_asset_path file = clip->file;
    rift_asset_path_resolve(&file, names, arena);
    const rift_str stem = game_cut_skin(game_cut_champion(rift_str_stem(file.name), champion));
    return stem.size > 0 ? stem : rift_arena_printf(arena, "0x%08" PRIx32, clip->hash);
}

/* ---- Guessing ---- */

/* Hashes that want a name, and the names found so far. */
typedef struct wanted {
    rift_map index;
    rift_str *names;
    size_t count;
    const rift_names *tables;
    rift_arena *arena;
} wanted;

static void want(wanted *w, uint32_t hash)
{
    const uint32_t at = (uint32_t)w->count;
    if (hash == 0 || rift_map_add(&w->index, hash, at) != at)
        return;
    w->count++;
    (void)rift_names_lookup(w->tables, RIFT_NAMES_BINHASHES, hash, w->arena, &w->names[at]);
}

static void offer(wanted *w, rift_str name)
{
    if (name.size == 0)
        return;
    const uint32_t at = rift_map_lookup(&w->index, rift_fnv1a(name));
    if (at != RIFT_MAP_NONE && w->names[at].size == 0)
        w->names[at] = rift_arena_copy_str(w->arena, name);
}

/* Action, number and suffix are hashed in pieces; the text is put together only for a hit. */
static void offer_suffixed(wanted *w, const char *action, unsigned number)
{
    char text[CANDIDATE_SIZE];
    if (number > 0) {
        (void)snprintf(text, sizeof text, "%s%u", action, number);
    } else {
        (void)snprintf(text, sizeof text, "%s", action);
    }
    const size_t size = strlen(text);
    const uint32_t start = rift_fnv1a(rift_str_c(text));
    for (size_t s = 0; s < RIFT_COUNT(suffixes); s++) {
        const uint32_t hash = rift_fnv1a_more(start, rift_str_c(suffixes[s]));
        if (rift_map_lookup(&w->index, hash) == RIFT_MAP_NONE)
            continue;
        (void)snprintf(text + size, sizeof text - size, "%s", suffixes[s]);
        offer(w, rift_str_c(text));
    }
}

static void offer_common(wanted *w)
{
    for (size_t i = 0; i < RIFT_COUNT(others); i++)
        offer(w, rift_str_c(others[i]));
    for (size_t a = 0; a < RIFT_COUNT(actions); a++) {
        for (unsigned n = 0; n < NUMBERS; n++)
            offer_suffixed(w, actions[a], n);
    }
}

static void offer_stem(wanted *w, rift_str stem, rift_str champion)
{
    const rift_str bare = game_cut_champion(stem, champion);
    const rift_str no_skin = game_cut_skin(bare);
    offer(w, stem);
    offer(w, bare);
    offer(w, no_skin);
    offer(w, game_cut_base(no_skin));
}

static rift_str name_of(const wanted *w, uint32_t hash)
{
    const uint32_t at = rift_map_lookup(&w->index, hash);
    return at != RIFT_MAP_NONE ? w->names[at] : (rift_str){0};
}

void game_name_graph(rift_graph *graph, rift_str champion, const rift_names *names, rift_arena *arena)
{
    const size_t total = graph->clip_count + graph->track_count + graph->mask_count;
    wanted w = {.names = RIFT_NEW(arena, rift_str, total), .tables = names, .arena = arena};
    rift_map_init(&w.index, arena, total);
    if (arena->failed != RIFT_OK)
        return;
    for (size_t i = 0; i < graph->clip_count; i++)
        want(&w, graph->clips[i].hash);
    for (size_t i = 0; i < graph->track_count; i++)
        want(&w, graph->tracks[i].hash);
    for (size_t i = 0; i < graph->mask_count; i++)
        want(&w, graph->masks[i].hash);
    if (w.count == 0)
        return;
    /* Common names first: their spelling does not depend on how a bin names its files. */
    offer_common(&w);
    for (size_t i = 0; i < graph->clip_count; i++)
        offer_stem(&w, rift_str_stem(graph->clips[i].file.name), champion);
    for (size_t i = 0; i < graph->clip_count; i++)
        graph->clips[i].name = name_of(&w, graph->clips[i].hash);
    for (size_t i = 0; i < graph->track_count; i++)
        graph->tracks[i].name = name_of(&w, graph->tracks[i].hash);
    for (size_t i = 0; i < graph->mask_count; i++)
        graph->masks[i].name = name_of(&w, graph->masks[i].hash);
}

/* ---- Kinds ---- */

static bool is_letter(char c)
{
    c = rift_lower(c);
    return c >= 'a' && c <= 'z';
}

static bool starts_word(rift_str name, size_t at)
{
    if (at == 0 || !is_letter(name.data[at - 1]))
        return true;
    const bool capital = name.data[at] >= 'A' && name.data[at] <= 'Z';
    return capital && name.data[at - 1] >= 'a' && name.data[at - 1] <= 'z';
}

const char *rift_clip_kind_word(rift_str name)
{
    static const struct {
        const char *word, *kind;
    } kinds[] = {
        {"idle", "idle"},   {"run", "run"},       {"attack", "attack"}, {"crit", "attack"},
        {"spell", "spell"}, {"dance", "dance"},   {"taunt", "taunt"},   {"joke", "joke"},
        {"laugh", "laugh"}, {"recall", "recall"}, {"death", "death"},   {"respawn", "respawn"},
    };
    for (size_t at = 0; at < name.size; at++) {
        if (!is_letter(name.data[at]) || !starts_word(name, at))
            continue;
        for (size_t i = 0; i < RIFT_COUNT(kinds); i++) {
            if (rift_str_starts_nocase((rift_str){name.data + at, name.size - at}, rift_str_c(kinds[i].word)))
                return kinds[i].kind;
        }
    }
    return "other";
}
