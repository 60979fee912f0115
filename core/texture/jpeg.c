/* JPEG by libjpeg-turbo's own interface, which takes its scratch from the system, not from the arena, and tells failures by
 * its return value. */
#include <turbojpeg.h>

#include "texture/texture.h"

enum { QUALITY = 95 }; /* with full colour resolution 42 dB, a third to a half of PNG */

bool rift_jpeg_write(
    rift_bytes *out, const rift_pixels *pixels, rift_arena *arena, rift_arena *tmp, rift_err *err)
{
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    const int width = (int)pixels->width;
    const int height = (int)pixels->height;
    /* The largest that it may become: the library need not ask for more. */
    uint8_t *file = RIFT_NEW(tmp, uint8_t, tjBufSize(width, height, TJSAMP_444));
    if (file == NULL)
        return rift_arena_ok(tmp, "JPEG", err);
    tjhandle tj = tjInitCompress();
    unsigned char *data = file;
    unsigned long size = 0;
    const bool ok =
        tj != NULL && tjCompress2(tj, pixels->rgba, width, 0, height, TJPF_RGBX, &data, &size, TJSAMP_444,
                                  QUALITY, TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT) == 0;
    if (tj != NULL)
        (void)tjDestroy(tj);
    const rift_bytes copy = ok ? rift_arena_copy_bytes(arena, (rift_bytes){file, size}) : (rift_bytes){0};
    rift_arena_rewind(tmp, mark);
    if (!ok)
        return rift_fail(err, RIFT_ERR_NOMEM, "JPEG", RIFT_NO_OFFSET, "the JPEG library found no memory");
    if (!rift_arena_ok(arena, "JPEG", err))
        return false;
    *out = copy;
    return true;
}
