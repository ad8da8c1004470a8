#ifndef SIMPLEX_ED25519_LANES_H
#define SIMPLEX_ED25519_LANES_H

#include <immintrin.h>

#include "field.h"

// Four field elements side by side; functions take and return limbs below 2^52. For processors with AVX-512 and its
// multiplication of 52 bits.
//
// An instruction that depends on the product before it leaves the processor idle for more than half of the time.
// Functions therefore process `count` independent values, one or two, step by step; `count` is a constant at each call.

typedef uint64_t lanes __attribute__((vector_size(32)));

typedef struct {
  lanes limb[5];
} fe4;

#define INLINE __attribute__((always_inline)) static inline
#define EACH(i) _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++)

// Reduces limbs of any size to below 2^51 + 2^18.
INLINE fe4 fe4_carry(fe4 f) {
  lanes carry[5];
  for (int i = 0; i < 5; i++) {
    carry[i] = f.limb[i] >> 51;
    f.limb[i] &= (lanes){} + fe_mask;
  }
  f.limb[0] += (carry[4] << 4) + (carry[4] << 1) + carry[4];
  for (int i = 1; i < 5; i++) f.limb[i] += carry[i - 1];
  return f;
}

// Permutes the lanes.
#define LANES(f, ...)                                                             \
  (fe4){{                                                                         \
      __builtin_shufflevector((f).limb[0], (f).limb[0], __VA_ARGS__),             \
      __builtin_shufflevector((f).limb[1], (f).limb[1], __VA_ARGS__),             \
      __builtin_shufflevector((f).limb[2], (f).limb[2], __VA_ARGS__),             \
      __builtin_shufflevector((f).limb[3], (f).limb[3], __VA_ARGS__),             \
      __builtin_shufflevector((f).limb[4], (f).limb[4], __VA_ARGS__),             \
  }}

// f + g in lanes where `minus` is zero, f - g where it has all bits.
INLINE fe4 fe4_combine(fe4 f, fe4 g, lanes minus) {
  fe4 h;
  for (int i = 0; i < 5; i++) {
    lanes bias = (lanes){} + (i == 0 ? 2 * fe_mask - 36 : 2 * fe_mask);
    h.limb[i] = f.limb[i] + ((g.limb[i] ^ minus) - minus) + (bias & minus);
  }
  return fe4_carry(h);
}

INLINE void fe4_set(fe4 *f, int lane, const fe value) {
  for (int i = 0; i < 5; i++) f->limb[i][lane] = value[i];
}

INLINE void fe4_get(fe value, const fe4 *f, int lane) {
  for (int i = 0; i < 5; i++) value[i] = f->limb[i][lane];
}

// The processor multiplies numbers of 52 bits, and returns the lower or the upper 52 bits of the product. Limbs have 51
// bits, so that the upper half counts twice.
INLINE fe4 fe4_product(fe4 f, fe4 g) {
  __m256i low[10] = {}, high[10] = {};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      low[i + j] = _mm256_madd52lo_epu64(low[i + j], (__m256i)f.limb[i], (__m256i)g.limb[j]);
      high[i + j + 1] = _mm256_madd52hi_epu64(high[i + j + 1], (__m256i)f.limb[i], (__m256i)g.limb[j]);
    }
  // Sums of at most fifteen numbers of 52 bits, and twenty times that after this.
  fe4 product;
  for (int i = 0; i < 5; i++) {
    lanes over = (lanes)low[i + 5] + ((lanes)high[i + 5] << 1);
    product.limb[i] = (lanes)low[i] + ((lanes)high[i] << 1) + (over << 4) + (over << 1) + over;
  }
  return fe4_carry(product);
}

INLINE void fe4_multiply(fe4 *products, const fe4 *f, const fe4 *g, int count) {
  EACH(i) products[i] = fe4_product(f[i], g[i]);
}

#endif
