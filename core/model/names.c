#include "base/str.h"
#include "model/model_internal.h"

rift_str rift_model_utf8(rift_str raw, rift_arena *arena)
{
    if (rift_str_is_utf8(raw))
        return rift_arena_copy_str(arena, raw);
    size_t size = 0;
    for (size_t i = 0; i < raw.size; i++)
        size += (uint8_t)raw.data[i] < 0x80 ? 1 : 2;
    char *text = RIFT_NEW(arena, char, size + 1);
    if (text == NULL)
        return (rift_str){0};
    char *to = text;
    for (size_t i = 0; i < raw.size; i++) {
        const uint8_t c = (uint8_t)raw.data[i];
        if (c < 0x80) {
            *to++ = (char)c;
        } else {
            *to++ = (char)(0xC0 | c >> 6);
            *to++ = (char)(0x80 | (c & 0x3F));
        }
    }
    return (rift_str){text, size};
}

/* Bytes of the control character at p, or 0. */
static size_t control_length(const char *p, size_t left)
{
    const uint8_t c = (uint8_t)p[0];
    if (c < 0x20 || c == 0x7F)
        return 1;
    return c == 0xC2 && left > 1 && (uint8_t)p[1] < 0xA0 ? 2 : 0;
}

bool rift_model_has_control(rift_str utf8)
{
    for (size_t i = 0; i < utf8.size; i++) {
        if (control_length(utf8.data + i, utf8.size - i) > 0)
            return true;
    }
    return false;
}

rift_str rift_model_clean_name(rift_str utf8, rift_arena *arena)
{
    if (!rift_model_has_control(utf8))
        return utf8;
    char *text = RIFT_NEW(arena, char, utf8.size + 1);
    if (text == NULL)
        return (rift_str){0};
    size_t size = 0;
    for (size_t i = 0; i < utf8.size;) {
        const size_t control = control_length(utf8.data + i, utf8.size - i);
        text[size++] = utf8.data[i];
        if (control > 0)
            text[size - 1] = '_';
        i += control > 0 ? control : 1;
    }
    return (rift_str){text, size};
}
