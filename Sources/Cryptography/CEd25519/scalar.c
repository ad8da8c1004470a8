#include "CEd25519.h"

// The path for processors without the vector unit, in plain C: checking only. Signing would have to be constant-time,
// and there the library is as fast.

#if defined(__SIZEOF_INT128__)

#define SIMPLEX_ED25519_SCALAR
#define PATH(function) simplex_ed25519_scalar_##function

#include "checking.h"

int simplex_ed25519_scalar_is_supported(void) { return 1; }

#else

int simplex_ed25519_scalar_is_supported(void) { return 0; }

int simplex_ed25519_scalar_fill_table(simplex_ed25519_table *table, int width, const uint8_t point[32]) {
  (void)table, (void)width, (void)point;
  return 0;
}

int simplex_ed25519_scalar_is_valid(
    const uint8_t point[32], const uint8_t scalar[32], const uint8_t hash[32], const simplex_ed25519_table *key,
    const simplex_ed25519_table *base) {
  (void)point, (void)scalar, (void)hash, (void)key, (void)base;
  return 0;
}

#endif
