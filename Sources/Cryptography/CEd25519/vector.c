#include "CEd25519.h"

// The path for processors with AVX-512 and its multiplication of 52 bits.

#if defined(__x86_64__) && defined(__clang__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512ifma"))), apply_to = function)

#define PATH(function) simplex_ed25519_##function

#include "checking.h"
#include "signing.h"

#pragma clang attribute pop

int simplex_ed25519_is_supported(void) {
  return __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vl");
}

#else

int simplex_ed25519_is_supported(void) { return 0; }

int simplex_ed25519_fill_table(simplex_ed25519_table *table, int width, const uint8_t point[32]) {
  (void)table, (void)width, (void)point;
  return 0;
}

int simplex_ed25519_is_valid(
    const uint8_t point[32], const uint8_t scalar[32], const uint8_t hash[32], const simplex_ed25519_table *key,
    const simplex_ed25519_table *base) {
  (void)point, (void)scalar, (void)hash, (void)key, (void)base;
  return 0;
}

void simplex_ed25519_fill_multiples(simplex_ed25519_table *table) { (void)table; }

void simplex_ed25519_multiply_base(
    uint8_t point[32], const uint8_t scalar[32], const simplex_ed25519_table *table) {
  (void)point, (void)scalar, (void)table;
}

#endif
