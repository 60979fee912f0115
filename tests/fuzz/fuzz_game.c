/* Any bytes as a loose skin bin: the skin, the look of its parts and the graph keep the promises of their
 * headers, and every event can be written as JSON. */
#include <math.h>

#include "base/json.h"
#include "base/str.h"
#include "fuzz_check.h"
#include "game/skin.h"

enum { JSON_LIMIT = 4 * 1024 * 1024, MAX_LOOKS = 8, MAX_EVENTS = 64 };

static void check_event(const rift_graph_event *event)
{
    fuzz_require(event->object != NULL);
    fuzz_require(isfinite(event->start_frame) && isfinite(event->end_frame));
    for (size_t i = 0; i < RIFT_COUNT(event->offset); i++)
        fuzz_require(isfinite(event->offset[i]));
    for (size_t i = 0; i < event->show_count; i++)
        fuzz_require(event->show[i] != 0);
    for (size_t i = 0; i < event->hide_count; i++)
        fuzz_require(event->hide[i] != 0);
}

static void write_events(const rift_graph_clip *clip, rift_arena *arena)
{
    rift_buf buf;
    rift_json j;
    rift_buf_init(&buf, arena, JSON_LIMIT);
    rift_json_init(&j, &buf);
    rift_json_array(&j);
    for (size_t i = 0; i < clip->event_count && i < MAX_EVENTS; i++)
        rift_graph_event_json(&j, &clip->events[i], NULL, NULL, arena);
    rift_json_array_end(&j);
}

static void check_clip(const rift_graph *graph, size_t index, rift_arena *arena)
{
    const rift_graph_clip *clip = &graph->clips[index];
    fuzz_require(isfinite(clip->tick) && isfinite(clip->start_frame) && isfinite(clip->end_frame));
    fuzz_require(clip->kind <= RIFT_CLIP_UNKNOWN);
    bool among_children = clip->representative == RIFT_GRAPH_MISSING;
    for (size_t i = 0; i < clip->child_count; i++) {
        fuzz_require(clip->children[i] < graph->clip_count || clip->children[i] == RIFT_GRAPH_MISSING);
        fuzz_require(clip->children[i] != index);
        fuzz_require(isfinite(clip->child_values[i]));
        among_children |= clip->children[i] == clip->representative;
    }
    fuzz_require(among_children);
    const uint32_t atomic = rift_graph_atomic_of(graph, (uint32_t)index);
    fuzz_require(atomic == RIFT_GRAPH_MISSING || graph->clips[atomic].kind == RIFT_CLIP_ATOMIC);
    const rift_str name = rift_graph_clip_name(clip, RIFT_STR("lux"), NULL, arena);
    fuzz_require(name.size > 0 || arena->failed != RIFT_OK);
    for (size_t i = 0; i < clip->event_count; i++)
        check_event(&clip->events[i]);
    write_events(clip, arena);
}

static void check_graph(const rift_graph *graph, rift_arena *arena)
{
    for (size_t i = 0; i < graph->clip_count; i++)
        check_clip(graph, i, arena);
    for (size_t i = 0; i < graph->track_count; i++)
        fuzz_require(isfinite(graph->tracks[i].blend_weight));
    for (size_t i = 0; i < graph->mask_count; i++)
        for (size_t k = 0; k < graph->masks[i].weight_count; k++)
            fuzz_require(isfinite(graph->masks[i].weights[k]));
}

static void check_look(const rift_look *look)
{
    fuzz_require(look->reason.size > 0);
    fuzz_require((look->texture.hash == 0) == rift_str_eq(look->reason, RIFT_STR("none")));
    if (!look->has_material)
        return;
    const rift_material_def *m = &look->material;
    fuzz_require(m->opacity >= 0.0F && m->opacity <= 1.0F);
    fuzz_require(!m->alpha_test || (isfinite(m->alpha_cutoff) && m->alpha_cutoff > 0.0F));
    fuzz_require(isfinite(m->uv_scale[0]) && isfinite(m->uv_scale[1]));
    for (size_t i = 0; i < RIFT_COUNT(m->tint); i++)
        fuzz_require(isfinite(m->tint[i]));
}

static void check_looks(const rift_skin *skin, fuzz_job *job)
{
    for (size_t i = 0; i <= skin->override_count && i < MAX_LOOKS; i++) {
        const rift_str part = i < skin->override_count ? skin->overrides[i].submesh : RIFT_STR("Body");
        rift_look look;
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        const bool ok = rift_skin_look(&look, skin, part, NULL, &job->arena, &job->report, &err);
        fuzz_check_result(ok, &err, 0);
        if (ok)
            check_look(&look);
    }
    for (size_t i = 0; i < skin->hidden_count; i++)
        fuzz_require(skin->hidden[i].size > 0 && rift_skin_hides(skin, skin->hidden[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    fuzz_begin(&job);
    rift_skin skin;
    const bool ok = rift_skin_from_bin(&skin, (rift_bytes){data, size}, NULL, NULL, &job.arena, NULL,
                                       &job.report, &job.err);
    fuzz_check_result(ok, &job.err, size);
    if (ok) {
        fuzz_require(skin.bin_count == 1 && isfinite(skin.scale));
        check_looks(&skin, &job);
        check_graph(&skin.graph, &job.arena);
    }
    rift_arena_release(&job.arena);
    return 0;
}
