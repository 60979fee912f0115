#include "base/str.h"
#include "render/render.h"

enum { DEFAULT_SIZE = 256, MAX_TURN = 360 };

rift_view rift_view_default(void)
{
    return (rift_view){.size = DEFAULT_SIZE};
}

static bool set_size(rift_view *view, rift_str value, rift_err *err)
{
    uint64_t size;
    if (!rift_str_u64(value, RIFT_VIEW_MAX_SIZE, &size) || size < RIFT_VIEW_MIN_SIZE) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "size", RIFT_NO_OFFSET, "is not a number from %d to %d",
                         RIFT_VIEW_MIN_SIZE, RIFT_VIEW_MAX_SIZE);
    }
    view->size = (uint32_t)size;
    return true;
}

static bool set_turn(rift_view *view, rift_str value, rift_err *err)
{
    const bool back = value.size > 0 && value.data[0] == '-';
    uint64_t turn;
    if (!rift_str_u64((rift_str){value.data + back, value.size - back}, MAX_TURN, &turn)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "turn", RIFT_NO_OFFSET,
                         "is not whole degrees from -%d to %d", MAX_TURN, MAX_TURN);
    }
    view->turn = (back ? 360 - (int)turn : (int)turn) % 360;
    return true;
}

static bool set_background(rift_view *view, rift_str value, rift_err *err)
{
    uint64_t color;
    if (value.size != 6 || rift_lower(value.data[1]) == 'x' || !rift_str_hex(value, &color)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "background", RIFT_NO_OFFSET,
                         "is not six hexadecimal digits");
    }
    for (size_t i = 0; i < 3; i++)
        view->background[i] = (uint8_t)(color >> (16 - 8 * i));
    view->background[3] = 255;
    return true;
}

bool rift_view_set(rift_view *view, rift_str name, rift_str value, rift_err *err)
{
    if (rift_str_eq(name, RIFT_STR("size")))
        return set_size(view, value, err);
    if (rift_str_eq(name, RIFT_STR("turn")))
        return set_turn(view, value, err);
    if (rift_str_eq(name, RIFT_STR("background")))
        return set_background(view, value, err);
    return rift_fail(err, RIFT_ERR_NOT_FOUND, "view", RIFT_NO_OFFSET, "nothing is called \"%.*s\"",
                     name.size > 40 ? 40 : (int)name.size, name.data ? name.data : "");
}
