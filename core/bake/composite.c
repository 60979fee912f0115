/* What is played for a clip that is not a file of its own (decisions 12, B040, B041). A stack of our own walks the
 * children: chains may be as long as the graph, and clips that share children may multiply without end. */
#include <inttypes.h>

#include "bake/bake_internal.h"

/* Steps after which a clip is given up: sequences of empty sequences add no piece, and still cost time. */
enum { MAX_STEPS = 4096 };

typedef struct frame {
    bake_piece piece;
    size_t next; /* child */
} frame;

typedef struct resolver {
    bake_job *job;
    const rift_graph *graph;
    rift_clip_class opened;
    frame *stack;
    size_t depth;
    bake_piece *pieces;
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

/* A clip below the top frame; it has the track and the mask of what it stands for, else its own. */
static void enter(resolver *r, uint32_t clip)
{
    const rift_graph_clip *c = &r->graph->clips[clip];
    const bake_piece above = r->depth > 0 ? r->stack[r->depth - 1].piece : (bake_piece){0};
    r->stack[r->depth++] = (frame){
        .piece = {clip, above.track != 0 ? above.track : c->track, above.mask != 0 ? above.mask : c->mask}};
}

/* The next child of an opened clip; false behind the last one. */
static bool enter_child(resolver *r)
{
    frame *top = &r->stack[r->depth - 1];
    const rift_graph_clip *clip = &r->graph->clips[top->piece.clip];
    if (top->next == clip->child_count)
        return false;
    const size_t at = top->next++;
    if (clip->children[at] == RIFT_GRAPH_MISSING) {
        report_child(r, clip, at);
    } else {
        enter(r, clip->children[at]);
    }
    return true;
}

/* The child that stands for a clip; false once it has been played, or when there is none, which is reported. */
static bool enter_representative(resolver *r)
{
    frame *top = &r->stack[r->depth - 1];
    const rift_graph_clip *clip = &r->graph->clips[top->piece.clip];
    if (top->next++ > 0)
        return false;
    if (clip->representative == RIFT_GRAPH_MISSING) {
        for (size_t i = 0; i < clip->child_count; i++)
            report_child(r, clip, i);
        return false;
    }
    enter(r, clip->representative);
    return true;
}

/* True for what is a piece as it is. A parallel clip of one child is that child. */
static bool is_piece(const resolver *r, uint32_t clip)
{
    const rift_graph_clip *c = &r->graph->clips[clip];
    return c->kind == RIFT_CLIP_ATOMIC || (c->kind == RIFT_CLIP_SEQUENCER && r->opened != c->kind) ||
           (c->kind == RIFT_CLIP_PARALLEL && r->opened != c->kind && c->child_count > 1);
}

/* Enters the next thing to play below the top frame, or leaves the frame. */
static void step(resolver *r)
{
    const frame *top = &r->stack[r->depth - 1];
    const rift_clip_class kind = r->graph->clips[top->piece.clip].kind;
    if (is_piece(r, top->piece.clip)) {
        r->pieces[r->piece_count++] = top->piece;
    } else if (kind == r->opened ? enter_child(r) : enter_representative(r)) {
        return;
    }
    r->depth--;
}

static bool is_full(const resolver *r)
{
    return r->piece_count == RIFT_COMPOSITE_MAX_PIECES && is_piece(r, r->stack[r->depth - 1].piece.clip);
}

bool bake_resolve(bake_job *job,
                  uint32_t clip,
                  rift_clip_class opened,
                  bake_piece **pieces,
                  size_t *piece_count,
                  rift_err *err)
{
    resolver r = {
        .job = job,
        .graph = &job->skin.graph,
        .opened = opened,
        /* Children form no circle, so no clip is on the stack twice. */
        .stack = RIFT_NEW(job->tmp, frame, job->skin.graph.clip_count + 1),
        .pieces =
            RIFT_NEW(job->out, bake_piece,
                     job->skin.graph.clips[clip].kind == RIFT_CLIP_ATOMIC ? 1 : RIFT_COMPOSITE_MAX_PIECES),
    };
    if (r.stack == NULL || r.pieces == NULL)
        return rift_arena_ok(job->tmp, "clips", err) && rift_arena_ok(job->out, "clips", err);
    enter(&r, clip);
    for (size_t steps = 0; r.depth > 0; steps++) {
        if (steps == MAX_STEPS || is_full(&r)) {
            return rift_fail(err, RIFT_ERR_LIMIT, "children", RIFT_NO_OFFSET, "plays more than %d clips",
                             RIFT_COMPOSITE_MAX_PIECES);
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
