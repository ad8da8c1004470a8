#ifndef SIMPLEX_ED25519_LANES_H
#define SIMPLEX_ED25519_LANES_H

#include "field.h"

// Four field elements side by side; functions take and return limbs below 2^52. For processors with AVX-512 and its
// multiplication of 52 bits, or with `SIMPLEX_ED25519_PORTABLE` for all: the same steps in plain C.
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

// The three instructions that a processor has to have: multiplications of numbers of 52 bits (higher bits are ignored)
// that add the lower or the upper 52 bits of the product, and a permutation by a variable.
#ifdef SIMPLEX_ED25519_PORTABLE

INLINE lanes add_low_product(lanes sum, lanes f, lanes g) {
  const uint64_t mask = ((uint64_t)1 << 52) - 1;
  for (int i = 0; i < 4; i++) sum[i] += ((f[i] & mask) * (g[i] & mask)) & mask;
  return sum;
}

INLINE lanes add_high_product(lanes sum, lanes f, lanes g) {
  const uint64_t mask = ((uint64_t)1 << 52) - 1;
  for (int i = 0; i < 4; i++) sum[i] += (uint64_t)((unsigned __int128)(f[i] & mask) * (g[i] & mask) >> 52);
  return sum;
}

// Exchanges the first two lanes where `mask` has all bits set.
INLINE lanes exchange_first_two(lanes limb, uint64_t mask) {
  lanes exchanged = __builtin_shufflevector(limb, limb, 1, 0, 2, 3);
  return limb ^ ((limb ^ exchanged) & ((lanes){} + mask));
}

#else

INLINE lanes add_low_product(lanes sum, lanes f, lanes g) {
  return (lanes)_mm256_madd52lo_epu64((__m256i)sum, (__m256i)f, (__m256i)g);
}

INLINE lanes add_high_product(lanes sum, lanes f, lanes g) {
  return (lanes)_mm256_madd52hi_epu64((__m256i)sum, (__m256i)f, (__m256i)g);
}

// Exchanges the first two lanes where `mask` has all bits set.
INLINE lanes exchange_first_two(lanes limb, uint64_t mask) {
  __m256i order = (__m256i)((lanes){0, 1, 2, 3} ^ (((lanes){} + mask) & (lanes){1, 1, 0, 0}));
  return (lanes)_mm256_permutexvar_epi64(order, (__m256i)limb);
}

#endif

// Limbs have 51 bits, so that the upper half of a product counts twice.
INLINE fe4 fe4_product(fe4 f, fe4 g) {
  lanes low[10] = {}, high[10] = {};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      low[i + j] = add_low_product(low[i + j], f.limb[i], g.limb[j]);
      high[i + j + 1] = add_high_product(high[i + j + 1], f.limb[i], g.limb[j]);
    }
  // Sums of at most fifteen numbers of 52 bits, and twenty times that after this.
  fe4 product;
  for (int i = 0; i < 5; i++) {
    lanes over = low[i + 5] + (high[i + 5] << 1);
    product.limb[i] = low[i] + (high[i] << 1) + (over << 4) + (over << 1) + over;
  }
  return fe4_carry(product);
}

INLINE void fe4_multiply(fe4 *products, const fe4 *f, const fe4 *g, int count) {
  EACH(i) products[i] = fe4_product(f[i], g[i]);
}

#endif
