/* keys=dense: the source's value on a grid, which all moving channels of a clip share (G40). */
#include <math.h>

#include "anim/anim_internal.h"

/* Reads a curve at rising times. */
typedef struct reading {
    const rift_work_channel *ch;
    const rift_loaded *keys;
    size_t at; /* piece, or key */
} reading;

static void read_spline(double out[4], reading *r, double t)
{
    const rift_work_channel *ch = r->ch;
    while (r->at + 1 < ch->piece_count && t >= ch->pieces[r->at + 1].t1)
        r->at++;
    rift_piece_eval(out, &ch->pieces[r->at], rift_is_rotation(ch->component), t);
}

static void read_linear(double out[4], reading *r, double t)
{
    while (r->at + 1 < r->keys->count && t >= r->keys->times[r->at + 1])
        r->at++;
    rift_keys_between(out, r->keys, r->at, t, rift_is_rotation(r->ch->component));
}

static void put(rift_work_channel *ch, const rift_keys_job *job, reading *r, double t)
{
    rift_work_key key = {.t = rift_to_f32(t), .is_flat = true};
    const double at = (double)key.t + job->start; /* the time as it is written */
    double v[4];
    if (ch->piece_count > 0) {
        read_spline(v, r, at);
    } else {
        read_linear(v, r, at);
    }
    rift_work_value(key.v, v);
    if (ch->key_count == 0 || key.t > ch->keys[ch->key_count - 1].t)
        ch->keys[ch->key_count++] = key;
}

bool rift_keys_dense(rift_work_channel *ch, const rift_keys_job *job, const rift_loaded *keys)
{
    const double length = job->end - job->start;
    const size_t steps = (size_t)ceil(length * job->in->dense_fps);
    reading r = {.ch = ch, .keys = keys};
    if (job->in->anm->basis != RIFT_ANM_LINEAR && !rift_keys_pieces(ch, job, keys))
        return false;
    ch->keys = RIFT_NEW(job->tmp, rift_work_key, steps + 2);
    if (ch->keys == NULL)
        return false;
    for (size_t i = 0; i < steps; i++)
        put(ch, job, &r, fmin((double)i / job->in->dense_fps, length));
    /* A step that would end within float32's reach of the length is the length. */
    put(ch, job, &r, length);
    ch->pieces = NULL;
    return true;
}
