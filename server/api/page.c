/* Files that the build put into the program, as they are: the contract, the viewer's page and its component. They are asked for
 * again each time and cost a 304, so the parts of one version stay together. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "embed/embed.h"
#include "http/fields.h"

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
    page->etag[0] = '"';
    rift_sha256_hex(&sha, page->etag + 1);
    memcpy(page->etag + 33, "\"", 2); /* half of it tells versions apart */
}

void api_pages_open(rift_api *api)
{
    add(api, &rift_openapi[0]);
    for (size_t i = 0; i < rift_web_count; i++)
        add(api, &rift_web[i]);
}

static const api_page_file *find(const rift_api *api, rift_str path)
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

void api_page(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    const api_page_file *page = find(api, req->path);
    if (page == NULL) {
        api_fail(req, 404, "no_viewer",
                 "this riftbaked was built without its viewer: that needs Node (tests/npm.sh ../server/web, "
                 "then build again)");
        return;
    }
    const char *type = type_of(page->file->name);
    rift_reply_header_add(req, "ETag", "%s", page->etag);
    rift_reply_header_add(req, "Cache-Control", "no-cache");
    if (strncmp(type, "text/html", 9) == 0) {
        rift_reply_header_add(req, "Content-Security-Policy", "%s", policy);
        rift_reply_header_add(req, "Referrer-Policy", "no-referrer");
    }
    if (rift_etag_in_list(rift_request_header(req, "If-None-Match"), rift_str_c(page->etag))) {
        req->file_size = page->file->data.size;
        api_send(req, 304);
        return;
    }
    rift_reply_header_add(req, "Content-Type", "%s", type);
    req->reply_body = page->file->data;
    api_send(req, 200);
}
