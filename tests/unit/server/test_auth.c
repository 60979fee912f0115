#include <arpa/inet.h>
#include <netinet/in.h>

#include "auth/auth.h"
#include "auth/rates.h"
#include "base/str.h"
#include "metrics/metrics.h"
#include "support/check.h"

/* sha256sum of "secret-token" and of "other". */
#define SECRET "930bbdc51b6aed5c2a5678fd6e28dee7a05e8a4b643cfc0b4427c3efb86c0d94"
#define OTHER "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"

static rift_auth auth;
static rift_arena arena;

static bool tokens(const char *text, rift_err *err)
{
    auth = (rift_auth){0};
    *err = check_err();
    return rift_auth_add_tokens(&auth, rift_str_c(text), err);
}

static void knows_tokens_by_their_digest(void)
{
    static const struct {
        const char *header;
        rift_scope scope;
    } rows[] = {
        {"Bearer secret-token", RIFT_SCOPE_SUBMIT},
        {"bearer secret-token", RIFT_SCOPE_SUBMIT},
        {"Bearer other", RIFT_SCOPE_READ},
        {"Bearer secret-token ", RIFT_SCOPE_NONE},
        {"Bearer Secret-token", RIFT_SCOPE_NONE},
        {"Bearer secret-toke", RIFT_SCOPE_NONE},
        {"Bearer " SECRET, RIFT_SCOPE_NONE}, /* the digest is no token */
        {"Bearer ", RIFT_SCOPE_NONE},
        {"Basic secret-token", RIFT_SCOPE_NONE},
        {"secret-token", RIFT_SCOPE_NONE},
        {"", RIFT_SCOPE_NONE},
    };
    rift_err err;
    CHECK_OK(tokens("# who\n\n  " SECRET "  submit  build machine\r\n" OTHER " read", &err), &err);
    CHECK(auth.on);
    CHECK_U64(auth.token_count, 2);
    CHECK_STR(rift_str_c(auth.tokens[0].name), RIFT_STR("build"));
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].header);
        const rift_token *t = rift_auth_bearer(&auth, rift_str_c(rows[i].header));
        CHECK_U64(t != NULL ? t->scope : RIFT_SCOPE_NONE, rows[i].scope);
    }
}

static void refuses_files_without_sense(void)
{
    static const char *const rows[] = {
        "",
        "# nothing\n",
        "secret-token admin",
        SECRET,
        SECRET " root",
        SECRET " none",
        "9" SECRET " read",
        "0x0bbdc51b6aed5c2a5678fd6e28dee7a05e8a4b643cfc0b4427c3efb86c0d94 read",
        "zz0bbdc51b6aed5c2a5678fd6e28dee7a05e8a4b643cfc0b4427c3efb86c0d94 read",
        OTHER " read\n" SECRET " everything",
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_err err;
        check_row("%s", rows[i]);
        CHECK(!tokens(rows[i], &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK(strstr(err.text, "secret") == NULL);
        CHECK(!auth.on && auth.token_count == 0);
    }
    static const char *const keys[] = {"", "short", "0123456789abcdef\n0123456789abcdeg\n0123456789abcdeh"};
    for (size_t i = 0; i < RIFT_COUNT(keys); i++) {
        rift_err err = check_err();
        auth = (rift_auth){0};
        check_row("keys %zu", i);
        CHECK(!rift_auth_add_keys(&auth, rift_str_c(keys[i]), &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_U64(auth.key_count, 0);
    }
}

/* printf '%s' '/v1/skins/1.glb?max_texture=512&exp=1000' | openssl dgst -sha256 -hmac 0123456789abcdef */
#define NEW_SIG "17abe991c16b017d009e91a73aa9b25ed81a0b74f1b00c9fbeba83e2deacebc6"

static rift_signature judge(const char *target, int64_t now, const char *rest)
{
    rift_str query;
    const rift_signature s = rift_auth_signed(&auth, rift_str_c(target), now, &arena, &query);
    if (rest != NULL)
        CHECK_STR(query, rift_str_c(rest));
    return s;
}

static void judges_signed_urls(void)
{
    rift_err err = check_err();
    char sig[65], target[256];
    auth = (rift_auth){0};
    CHECK_OK(rift_auth_add_keys(&auth, RIFT_STR("0123456789abcdef\nthe former one, still taken\n"), &err),
             &err);
    rift_auth_sign(&auth.keys[0], RIFT_STR("/v1/skins/1.glb?max_texture=512&exp=1000"), sig);
    CHECK_STR(rift_str_c(sig), RIFT_STR(NEW_SIG));
    CHECK_U64(judge("/v1/skins/1.glb?max_texture=512&exp=1000&sig=" NEW_SIG, 1000, "max_texture=512"),
              RIFT_SIGNATURE_GOOD);
    CHECK_U64(judge("/v1/skins/1.glb?max_texture=512&exp=1000&sig=" NEW_SIG, 1001, NULL),
              RIFT_SIGNATURE_EXPIRED);
    CHECK_U64(judge("/v1/skins/1.glb?max_texture=512", 1, "max_texture=512"), RIFT_SIGNATURE_NONE);
    CHECK_U64(judge("/v1/skins/1.glb", 1, ""), RIFT_SIGNATURE_NONE);
    /* Forged: another path, option, time, digit, order, and parts that are missing. */
    static const char *const forged[] = {
        "/v1/skins/2.glb?max_texture=512&exp=1000&sig=" NEW_SIG,
        "/v1/skins/1.glb?max_texture=513&exp=1000&sig=" NEW_SIG,
        "/v1/skins/1.glb?max_texture=512&exp=9000&sig=" NEW_SIG,
        "/v1/skins/1.glb?exp=1000&max_texture=512&sig=" NEW_SIG,
        "/v1/skins/1.glb?max_texture=512&exp=1000&sig=" NEW_SIG "&content=rig",
        "/v1/skins/1.glb?sig=" NEW_SIG "&max_texture=512&exp=1000",
        "/v1/skins/1.glb?max_texture=512&exp=1000&sig=",
        "/v1/skins/1.glb?max_texture=512&exp=1000&sig=00000000000000000000000000000000",
    };
    for (size_t i = 0; i < RIFT_COUNT(forged); i++) {
        check_row("%s", forged[i]);
        CHECK_U64(judge(forged[i], 1, NULL), RIFT_SIGNATURE_BAD);
    }
    /* Signed by us, but without one time. */
    static const char *const timeless[] = {"/a?b=1", "/a?exp=1&exp=2", "/a?exp=", "/a?exp=-1", "/a?exp=x"};
    for (size_t i = 0; i < RIFT_COUNT(timeless); i++) {
        check_row("%s", timeless[i]);
        rift_auth_sign(&auth.keys[0], rift_str_c(timeless[i]), sig);
        (void)snprintf(target, sizeof target, "%s&sig=%s", timeless[i], sig);
        CHECK_U64(judge(target, 0, NULL), RIFT_SIGNATURE_BAD);
    }
    /* The older key is taken until it is gone. */
    rift_auth_sign(&auth.keys[1], RIFT_STR("/a?exp=7"), sig);
    (void)snprintf(target, sizeof target, "/a?exp=7&sig=%s", sig);
    CHECK_U64(judge(target, 7, ""), RIFT_SIGNATURE_GOOD);
    auth.key_count = 1;
    CHECK_U64(judge(target, 7, NULL), RIFT_SIGNATURE_BAD);
}

static void keeps_clients_to_their_rate(void)
{
    rift_rate rate;
    rift_rates *rates = rift_rates_open(64);
    CHECK_FATAL(CHECK(rates != NULL));
    CHECK(rift_rates_take(rates, 1, 0, &rate)); /* no limit yet */
    CHECK(rate.quota == 0 && rate.window_s == 0 && rate.remaining == 0);
    rift_rates_set(rates, 2, 3);
    for (int i = 0; i < 3; i++)
        CHECK(rift_rates_take(rates, 1, 1000, &rate));
    CHECK(!rift_rates_take(rates, 1, 1000, &rate));
    CHECK_U64(rate.retry_after_s, 1);
    /* 3 at once, 2 a second: full again after a second and a half. */
    CHECK(rate.quota == 3 && rate.window_s == 2 && rate.remaining == 0 && rate.reset_s == 2);
    CHECK(rift_rates_take(rates, 2, 1000, &rate)); /* somebody else */
    CHECK(rate.remaining == 2 && rate.reset_s == 1 && rate.retry_after_s == 0);
    CHECK(!rift_rates_take(rates, 1, 1499, &rate));
    CHECK(rift_rates_take(rates, 1, 1500, &rate)); /* half a second is one request */
    CHECK(!rift_rates_take(rates, 1, 1500, &rate));
    for (int i = 0; i < 3; i++)
        CHECK(rift_rates_take(rates, 1, 60000, &rate));
    CHECK(!rift_rates_take(rates, 1, 60000, &rate));
    /* Many clients never stop one that is new. */
    for (uint64_t c = 100; c < 10000; c++)
        CHECK(rift_rates_take(rates, c, 60000, &rate));
    rift_rates_close(rates);
    rift_rates_close(NULL);
}

static uint64_t key_of(const char *text)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        return rift_client_key((const struct sockaddr *)&v6);
    CHECK(inet_pton(AF_INET, text, &v4.sin_addr) == 1);
    return rift_client_key((const struct sockaddr *)&v4);
}

static void tells_clients_apart(void)
{
    CHECK(key_of("10.0.0.1") != key_of("10.0.0.2"));
    CHECK(key_of("2001:db8:1:2::1") == key_of("2001:db8:1:2:ffff::9")); /* one network of a customer */
    CHECK(key_of("2001:db8:1:2::1") != key_of("2001:db8:1:3::1"));
}

static void counts_for_prometheus(void)
{
    rift_histogram h = {0};
    rift_histogram_add(&h, 250);
    rift_histogram_add(&h, 251);
    rift_histogram_add(&h, 1500000);
    rift_histogram_add(&h, INT64_C(500000000));
    CHECK_U64(rift_histogram_count(&h), 4);
    rift_buf b;
    rift_buf_init(&b, &arena, 65536);
    rift_prom_family(&b, "x_seconds", "histogram", "Some time.");
    rift_prom_histogram(&b, "x_seconds", "phase=\"mesh\"", &h);
    rift_buf_u8(&b, 0);
    const char *text = (const char *)b.data;
    static const char *const want[] = {
        "# HELP x_seconds Some time.\n# TYPE x_seconds histogram\nx_seconds_bucket{",
        "{phase=\"mesh\",le=\"0.00025\"} 1\n",
        "le=\"0.001\"} 2\n",
        "le=\"1\"} 2\n",
        "le=\"2.5\"} 3\n",
        "le=\"120\"} 3\n",
        "le=\"+Inf\"} 4\n",
        "x_seconds_sum{phase=\"mesh\"} 501.500501\nx_seconds_count{phase=\"mesh\"} 4\n",
    };
    for (size_t i = 0; i < RIFT_COUNT(want); i++) {
        check_row("%s", want[i]);
        CHECK(strstr(text, want[i]) != NULL);
    }
    rift_codes codes = {0};
    static const unsigned statuses[] = {200, 200, 404, 418, 504};
    for (size_t i = 0; i < RIFT_COUNT(statuses); i++)
        rift_codes_add(&codes, statuses[i]);
    for (size_t i = 0; i < RIFT_CODE_COUNT; i++) {
        const unsigned c = rift_code_at(i);
        check_row("%u", c);
        CHECK_U64(codes.counts[i], c == 200 ? 2 : c == 404 || c == 499 || c == 599 ? 1 : 0);
    }
    const rift_process p = rift_process_look();
    CHECK(p.resident_bytes > 100000 && p.open_files >= 3 && p.threads >= 1);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 1 << 20);
    RUN(knows_tokens_by_their_digest);
    RUN(refuses_files_without_sense);
    RUN(judges_signed_urls);
    RUN(keeps_clients_to_their_rate);
    RUN(tells_clients_apart);
    RUN(counts_for_prometheus);
    rift_arena_release(&arena);
    return check_finish();
}
