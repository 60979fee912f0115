/* Files that the build put into the program, as they are: the contract, the viewer's page and its component. They are asked for
 * again each time and cost a 304, so the parts of one version stay together. */
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "compress/compress.h"
#include "embed/embed.h"

enum { SMALLEST_PACKED = 1024, PACKED_MAX = 64 * 1024 * 1024, ZSTD_LEVEL = 9 };

/* No other host, no inline script; compressed meshes are unpacked by WebAssembly, images come out of the GLB as blobs. */
static const char policy[] = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
                             "img-src 'self' blob: data:; connect-src 'self' blob:; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'self'";

typedef struct page_type {
    const char *end, *type;
} page_type;

static const char *type_of(const char *name)
{
    static const page_type types[] = {
        {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},   {".svg", "image/svg+xml"},
        {".ts", "text/plain; charset=utf-8"},  {".yaml", "application/json"},
    };
    const size_t size = strlen(name);
    for (size_t i = 0; i < RIFT_COUNT(types); i++) {
        const size_t end = strlen(types[i].end);
        if (size > end && strcmp(name + size - end, types[i].end) == 0)
            return types[i].type;
    }
    return "application/octet-stream";
}

static void add(rift_api *api, const rift_embedded *file)
{
    RIFT_ASSERT(api->page_count < RIFT_COUNT(api->pages));
    api_page_file *page = &api->pages[api->page_count++];
    const rift_sha256 sha = rift_sha256_of(file->data);
    page->file = file;
    char hex[65];
    rift_sha256_hex(&sha, hex);
    (void)snprintf(page->name, sizeof page->name, "%.32s", hex); /* half of it tells versions apart */
}

void api_pages_open(rift_api *api)
{
    rift_arena_init(&api->packed, PACKED_MAX);
    add(api, &rift_openapi[0]);
    for (size_t i = 0; i < rift_web_count; i++)
        add(api, &rift_web[i]);
}

static api_page_file *find(rift_api *api, rift_str path)
{
    const rift_str name = rift_str_eq(path, RIFT_STR("/")) ? RIFT_STR("index.html")
                          : rift_str_eq(path, RIFT_STR("/openapi.json"))
                              ? RIFT_STR("openapi.yaml")
                              : (rift_str){path.data + 1, path.size - 1};
    for (size_t i = 0; i < api->page_count; i++) {
        if (rift_str_eq(name, rift_str_c(api->pages[i].file->name)))
            return &api->pages[i];
    }
    return NULL;
}

void api_pages_close(rift_api *api)
{
    rift_arena_release(&api->packed);
}

/* Packed once, when somebody first takes it so; without memory it goes as it is. */
static rift_bytes packed_page(rift_api *api, api_page_file *page, rift_encoding encoding)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bytes *packed = &page->packed[encoding];
    if (packed->size > 0)
        return *packed;
    const bool ok = encoding == RIFT_ENCODING_ZSTD
                        ? rift_zstd(packed, page->file->data, ZSTD_LEVEL, &api->packed, &err)
                        : rift_gzip(packed, page->file->data, &api->packed, &err);
    if (!ok)
        *packed = (rift_bytes){0};
    return *packed;
}

static void send_page(rift_api *api, rift_request *req, api_page_file *page)
{
    rift_encoding encoding = api_choose_encoding(req, (1U << RIFT_ENCODING_COUNT) - 1);
    char etag[API_ETAG_SIZE];
    rift_bytes packed = {0};
    if (page->file->data.size > SMALLEST_PACKED && encoding < RIFT_ENCODING_COUNT)
        packed = packed_page(api, page, encoding);
    if (packed.size == 0)
        encoding = RIFT_ENCODING_COUNT;
    const bool unchanged = api_if_none_match(req, page->name, &encoding);
    api_etag(etag, page->name, encoding);
    rift_reply_header_add(req, "ETag", "%s", etag);
    rift_reply_header_add(req, "Vary", "Accept-Encoding");
    req->reply_body = packed.size > 0 ? packed : page->file->data;
    if (unchanged) {
        req->file_size = req->reply_body.size;
        api_send(req, 304);
        return;
    }
    if (packed.size > 0)
        rift_reply_header_add(req, "Content-Encoding", "%s", rift_encoding_word(encoding));
    rift_reply_header_add(req, "Content-Type", "%s", type_of(page->file->name));
    api_send(req, 200);
}

void api_page(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    api_page_file *page = find(api, req->path);
    if (page == NULL) {
        api_fail(req, 404, "no_viewer",
                 "this riftbaked was built without its viewer: that needs Node (tests/npm.sh ../server/web, "
                 "then build again)");
        return;
    }
    const char *type = type_of(page->file->name);
    rift_reply_header_add(req, "Cache-Control", "no-cache");
    if (strncmp(type, "text/html", 9) == 0) {
        rift_reply_header_add(req, "Content-Security-Policy", "%s", policy);
        rift_reply_header_add(req, "Referrer-Policy", "no-referrer");
    }
    send_page(api, req, page);
}
