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
/* One request of a client at `now_ms`. False: not now; *retry_after_s (at least 1) says when it would pass. */
bool rift_rates_take(rift_rates *rates, uint64_t client, int64_t now_ms, unsigned *retry_after_s);

/* An address, of IPv6 its network of 64 bits. */
uint64_t rift_client_key(const struct sockaddr *address);

#endif
