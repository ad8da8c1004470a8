// The performance-critical arithmetic of Streamlined NTRU Prime 761: p = 761, q = 4591, R = Z[x]/(x^p - x - 1).
//
// Every function runs in constant time: no branch, address or division depends on a coefficient; loop bounds are fixed.
// Coefficients are in ascending order of degree. In R/q they are centred: -2295...2295; in R/3 they are -1, 0 or 1.
#pragma once
#include <stdint.h>

/// out = a * b in R/q. Coefficients of `b` may be anything of at most 2 in absolute value.
void sntrup761_rq_multiply(int16_t out[761], const int16_t a[761], const int8_t b[761]);

/// out = 1/(3a) in R/q. The ring is a field: only a = 0 has no inverse (out is then 0).
void sntrup761_rq_reciprocal_of_triple(int16_t out[761], const int8_t a[761]);

/// out = 1/a in R/3. Returns 0, or -1 if there is no inverse (out is then meaningless).
int sntrup761_r3_reciprocal(int8_t out[761], const int8_t a[761]);

/// Sorts keys in ascending order.
void sntrup761_sort(uint32_t keys[761]);

/// Returns x while hiding its value from the compiler, so that a mask is not turned back into a branch.
static inline int32_t sntrup761_opaque(int32_t x) {
  __asm__("" : "+r"(x));
  return x;
}
