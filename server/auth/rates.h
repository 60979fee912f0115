/* rates.h - how many requests a client may make: so many a second in the long run, so many at once.
 *
 * Shape   clients are known by a key of 64 bits (rift_client_key). Memory is fixed; when there are more clients than places, those that are furthest from their limit
 *         are forgotten, which only ever lets a request pass.
 * Source  the generic cell rate algorithm: one time per client, when its bucket would be full again. */
#ifndef RIFT_AUTH_RATES_H
#define RIFT_AUTH_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct rift_rates rift_rates;

/* NULL when memory is out. */
rift_rates *rift_rates_open(size_t clients);
void rift_rates_close(rift_rates *rates);
/* a_second 0: everything passes. */
void rift_rates_set(rift_rates *rates, uint64_t a_second, uint64_t burst);
/* Where a client stands, as the fields RateLimit and RateLimit-Policy tell it. */
typedef struct rift_rate {
    uint64_t quota; /* requests at once, and in a window; 0: there is no limit, and the rest is 0 too */
    uint64_t window_s;
    uint64_t remaining;     /* that would pass now */
    uint64_t reset_s;       /* until it is the quota again */
    unsigned retry_after_s; /* of one that does not pass, until it would; else 0 */
} rift_rate;

/* One request of a client at `now_ms`, and where it stands then. False: not now. */
bool rift_rates_take(rift_rates *rates, uint64_t client, int64_t now_ms, rift_rate *out);

/* An address, of IPv6 its network of 64 bits. */
uint64_t rift_client_key(const struct sockaddr *address);

#endif
