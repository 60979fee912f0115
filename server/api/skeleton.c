/* GET /v1/skins/{id}/skeleton: the joints as compute.c keeps them. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"

static bool
run_skeleton(rift_bytes *bytes, const api_run *in, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    return rift_describe_skeleton(bytes, in->result, in->request, out, tmp, err);
}

static void reply_skeleton(api_result *result, rift_request *req)
{
    rift_reply_header_add(req, "Content-Type", "application/json");
    req->reply_body = rift_arena_copy_bytes(&req->arena, result->bytes);
    api_result_release(result);
    if (api_has_memory(req))
        api_send(req, 200);
}

void api_skin_skeleton(rift_api *api, rift_request *req, rift_str id)
{
    static const api_task task = {run_skeleton, reply_skeleton};
    rift_skin_ref skin;
    if (!api_skin(api, req, id, &skin) || !api_takes_no_query(req) || !api_accepts(req, "application/json"))
        return;
    if (memchr(id.data, '/', id.size) != NULL && skin.id != 0)
        rift_reply_header_add(req, "Content-Location", "/v1/skins/%u/skeleton", skin.id);
    const api_question question = {
        .task = &task,
        .spec = rift_jobs_spec(api->config.jobs, &skin, RIFT_STR("skeleton"), &req->arena),
        .options = rift_options_default()};
    api_compute(api, req, &question);
}
