/* What is played for a clip that is not a file of its own (decisions 12, B040, B041). A stack of our own walks the
 * children: chains may be as long as the graph, and clips that share children may multiply without end. */
#include <inttypes.h>

#include "bake/bake_internal.h"

/* Steps after which a clip is given up: sequences of empty sequences add no piece, and still cost time. */
enum { MAX_STEPS = 4096 };

typedef struct frame {
    uint32_t clip;
    size_t next; /* child */
} frame;

typedef struct resolver {
    bake_job *job;
    const rift_graph *graph;
    frame *stack;
    size_t depth;
    uint32_t *pieces;
    size_t piece_count;
} resolver;

/* Says why a child is not played: the graph has cut it (a circle), or there is none of that name. */
static void report_child(const resolver *r, const rift_graph_clip *clip, size_t child)
{
    const uint32_t hash = clip->child_hashes[child];
    const bool cut = rift_graph_clip_index(r->graph, hash) != RIFT_GRAPH_MISSING;
    if (cut) {
        rift_report_add(&r->job->result->report, "composite_cycle",
                        "0x%08" PRIx32 " leads back to 0x%08" PRIx32, clip->hash, hash);
    } else {
        rift_report_add(&r->job->result->report, "composite_child_missing", "0x%08" PRIx32 " of 0x%08" PRIx32,
                        hash, clip->hash);
    }
}

/* Enters the next thing to play below the top frame, or leaves the frame. */
static void step(resolver *r)
{
    frame *top = &r->stack[r->depth - 1];
    const rift_graph_clip *clip = &r->graph->clips[top->clip];
    uint32_t child = RIFT_GRAPH_MISSING;
    if (clip->kind == RIFT_CLIP_ATOMIC) {
        r->pieces[r->piece_count++] = top->clip;
    } else if (clip->kind == RIFT_CLIP_SEQUENCER) {
        if (top->next < clip->child_count) {
            const size_t at = top->next++;
            child = clip->children[at];
            if (child == RIFT_GRAPH_MISSING) {
                report_child(r, clip, at);
            } else {
                r->stack[r->depth++] = (frame){.clip = child};
            }
            return;
        }
    } else if (top->next == 0 && clip->representative != RIFT_GRAPH_MISSING) {
        if (clip->kind == RIFT_CLIP_PARALLEL) {
            rift_report_add(&r->job->result->report, "parallel_first_child",
                            "0x%08" PRIx32 " of %zu children", clip->hash, clip->child_count);
        }
        top->next = 1;
        r->stack[r->depth++] = (frame){.clip = clip->representative};
        return;
    } else if (top->next == 0) {
        for (size_t i = 0; i < clip->child_count; i++)
            report_child(r, clip, i);
    }
    r->depth--;
}

bool bake_resolve(bake_job *job, uint32_t clip, uint32_t **pieces, size_t *piece_count, rift_err *err)
{
    resolver r = {
        .job = job,
        .graph = &job->skin.graph,
        /* Children form no circle, so no clip is on the stack twice. */
        .stack = RIFT_NEW(job->tmp, frame, job->skin.graph.clip_count + 1),
        .pieces =
            RIFT_NEW(job->out, uint32_t,
                     job->skin.graph.clips[clip].kind == RIFT_CLIP_ATOMIC ? 1 : RIFT_COMPOSITE_MAX_PIECES),
    };
    if (r.stack == NULL || r.pieces == NULL)
        return rift_arena_ok(job->tmp, "clips", err) && rift_arena_ok(job->out, "clips", err);
    r.stack[r.depth++] = (frame){.clip = clip};
    for (size_t steps = 0; r.depth > 0; steps++) {
        const bool full = r.piece_count == RIFT_COMPOSITE_MAX_PIECES;
        if (steps == MAX_STEPS ||
            (full && r.graph->clips[r.stack[r.depth - 1].clip].kind == RIFT_CLIP_ATOMIC)) {
            return rift_fail(err, RIFT_ERR_LIMIT, "children", RIFT_NO_OFFSET,
                             "plays more than %d clips one after another", RIFT_COMPOSITE_MAX_PIECES);
        }
        step(&r);
    }
    if (r.piece_count == 0) {
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "children", RIFT_NO_OFFSET,
                         "a %s clip without a clip to play", rift_clip_class_word(r.graph->clips[clip].kind));
    }
    *pieces = r.pieces;
    *piece_count = r.piece_count;
    return true;
}
