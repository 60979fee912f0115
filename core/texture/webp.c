/* WebP by libwebp, which takes its scratch from the system, not from the arena. */
#include <webp/encode.h>

#include "base/buf.h"
#include "texture/texture.h"

enum { EFFORT = 6 }; /* 0 … 9; files of 9 are a few per cent smaller and take many times as long */
/* Seven times smaller than lossless; effort 6 saves 4 % of that and takes seven times as long. */
enum { LOSSY_QUALITY = 90, LOSSY_EFFORT = 2 };

static int take(const uint8_t *data, size_t size, const WebPPicture *picture)
{
    rift_buf *buf = picture->custom_ptr;
    rift_buf_put(buf, data, size);
    return !buf->failed;
}

static bool fail(const WebPPicture *picture, const rift_buf *buf, rift_err *err)
{
    if (!rift_buf_ok(buf, "webp", err))
        return false;
    const rift_status code =
        picture->error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ? RIFT_ERR_NOMEM : RIFT_ERR_INTERNAL;
    return rift_fail(err, code, "webp", RIFT_NO_OFFSET, "libwebp's error %d", (int)picture->error_code);
}

static bool configure(WebPConfig *config, bool lossless)
{
    if (lossless)
        return WebPConfigInit(config) && WebPConfigLosslessPreset(config, EFFORT);
    if (!WebPConfigPreset(config, WEBP_PRESET_DEFAULT, LOSSY_QUALITY))
        return false;
    config->method = LOSSY_EFFORT;
    return true;
}

bool rift_webp_write(rift_bytes *out,
                     const rift_pixels *pixels,
                     bool with_alpha,
                     bool lossless,
                     rift_arena *arena,
                     rift_err *err)
{
    if (pixels->width > RIFT_WEBP_MAX_SIDE || pixels->height > RIFT_WEBP_MAX_SIDE) {
        return rift_fail(err, RIFT_ERR_LIMIT, "webp", RIFT_NO_OFFSET, "%u x %u is over %d pixels a side",
                         pixels->width, pixels->height, RIFT_WEBP_MAX_SIDE);
    }
    WebPConfig config;
    WebPPicture picture;
    rift_buf buf;
    rift_buf_init(&buf, arena, (size_t)pixels->width * pixels->height * 5 + 4096);
    if (!configure(&config, lossless) || !WebPPictureInit(&picture))
        return rift_fail(err, RIFT_ERR_INTERNAL, "webp", RIFT_NO_OFFSET, "another version of libwebp");
    config.exact = 1; /* colours below alpha 0 too */
    picture.use_argb = lossless;
    picture.width = (int)pixels->width;
    picture.height = (int)pixels->height;
    picture.writer = take;
    picture.custom_ptr = &buf;
    const int stride = (int)pixels->width * 4;
    const bool ok = (with_alpha ? WebPPictureImportRGBA(&picture, pixels->rgba, stride)
                                : WebPPictureImportRGBX(&picture, pixels->rgba, stride)) &&
                    WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    if (!ok || buf.failed)
        return fail(&picture, &buf, err);
    *out = rift_buf_bytes(&buf);
    return true;
}
