#ifndef SIMPLEX_ED25519_FIELD_H
#define SIMPLEX_ED25519_FIELD_H

#include <stdint.h>
#include <string.h>

// Integers modulo p = 2^255 - 19, in five limbs of 51 bits. Functions return limbs below 2^51 + 2^18, and accept limbs
// below 2^54.

typedef uint64_t fe[5];

static const uint64_t fe_mask = ((uint64_t)1 << 51) - 1;

// Carries all limbs at once, twice: a sequential carry chain would take longer.
static inline void fe_carry(fe h, const unsigned __int128 r[5]) {
  uint64_t limb[5], carry[5];
  for (int i = 0; i < 5; i++) {
    limb[i] = (uint64_t)r[i] & fe_mask;
    // Less than 2^64 for factors below 2^54, and 19 times the last one too.
    carry[i] = (uint64_t)(r[i] >> 51);
  }
  limb[0] += 19 * carry[4];
  for (int i = 1; i < 5; i++) limb[i] += carry[i - 1];
  h[0] = (limb[0] & fe_mask) + 19 * (limb[4] >> 51);
  for (int i = 1; i < 5; i++) h[i] = (limb[i] & fe_mask) + (limb[i - 1] >> 51);
}

static inline void fe_multiply(fe h, const fe f, const fe g) {
  typedef unsigned __int128 wide;
  uint64_t f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], f4 = f[4];
  uint64_t g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3], g4 = g[4];
  uint64_t g1_19 = 19 * g1, g2_19 = 19 * g2, g3_19 = 19 * g3, g4_19 = 19 * g4;
  wide r[5] = {
    (wide)f0 * g0 + (wide)f1 * g4_19 + (wide)f2 * g3_19 + (wide)f3 * g2_19 + (wide)f4 * g1_19,
    (wide)f0 * g1 + (wide)f1 * g0 + (wide)f2 * g4_19 + (wide)f3 * g3_19 + (wide)f4 * g2_19,
    (wide)f0 * g2 + (wide)f1 * g1 + (wide)f2 * g0 + (wide)f3 * g4_19 + (wide)f4 * g3_19,
    (wide)f0 * g3 + (wide)f1 * g2 + (wide)f2 * g1 + (wide)f3 * g0 + (wide)f4 * g4_19,
    (wide)f0 * g4 + (wide)f1 * g3 + (wide)f2 * g2 + (wide)f3 * g1 + (wide)f4 * g0,
  };
  fe_carry(h, r);
}

static inline void fe_square(fe h, const fe f) {
  typedef unsigned __int128 wide;
  uint64_t f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], f4 = f[4];
  uint64_t f0_2 = 2 * f0, f1_2 = 2 * f1, f3_19 = 19 * f3, f4_19 = 19 * f4;
  wide r[5] = {
    (wide)f0 * f0 + (wide)f1_2 * f4_19 + (wide)(2 * f2) * f3_19,
    (wide)f0_2 * f1 + (wide)(2 * f2) * f4_19 + (wide)f3 * f3_19,
    (wide)f0_2 * f2 + (wide)f1 * f1 + (wide)(2 * f3) * f4_19,
    (wide)f0_2 * f3 + (wide)f1_2 * f2 + (wide)f4 * f4_19,
    (wide)f0_2 * f4 + (wide)f1_2 * f3 + (wide)f2 * f2,
  };
  fe_carry(h, r);
}

static inline void fe_add(fe h, const fe f, const fe g) {
  for (int i = 0; i < 5; i++) h[i] = f[i] + g[i];
}

// `g` below 2^52.
static inline void fe_subtract(fe h, const fe f, const fe g) {
  // 2 p
  h[0] = f[0] + (2 * fe_mask - 36) - g[0];
  for (int i = 1; i < 5; i++) h[i] = f[i] + 2 * fe_mask - g[i];
}

static inline uint64_t load64(const uint8_t *bytes) {
  uint64_t word = 0;
  for (int i = 7; i >= 0; i--) word = word << 8 | bytes[i];
  return word;
}

static inline void store64(uint8_t *bytes, uint64_t word) {
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(word >> (8 * i));
}

// The number in 32 bytes, without the highest bit.
static inline void fe_decode(fe h, const uint8_t bytes[32]) {
  uint64_t w0 = load64(bytes), w1 = load64(bytes + 8), w2 = load64(bytes + 16), w3 = load64(bytes + 24);
  h[0] = w0 & fe_mask;
  h[1] = (w0 >> 51 | w1 << 13) & fe_mask;
  h[2] = (w1 >> 38 | w2 << 26) & fe_mask;
  h[3] = (w2 >> 25 | w3 << 39) & fe_mask;
  h[4] = w3 >> 12 & fe_mask;
}

// The canonical encoding, below p.
static inline void fe_encode(uint8_t bytes[32], const fe f) {
  fe h;
  memcpy(h, f, sizeof h);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 4; i++) {
      h[i + 1] += h[i] >> 51;
      h[i] &= fe_mask;
    }
    h[0] += 19 * (h[4] >> 51);
    h[4] &= fe_mask;
  }
  // Now below 2^255 + 19; plus 19, bit 255 is set if it is p or more, and is then dropped.
  uint64_t carry = h[0] + 19;
  for (int i = 1; i < 5; i++) carry = h[i] + (carry >> 51);
  h[0] += 19 * (carry >> 51);
  for (int i = 0; i < 4; i++) {
    h[i + 1] += h[i] >> 51;
    h[i] &= fe_mask;
  }
  h[4] &= fe_mask;
  store64(bytes, h[0] | h[1] << 51);
  store64(bytes + 8, h[1] >> 13 | h[2] << 38);
  store64(bytes + 16, h[2] >> 26 | h[3] << 25);
  store64(bytes + 24, h[3] >> 39 | h[4] << 12);
}

static inline int fe_equal(const fe f, const fe g) {
  uint8_t left[32], right[32];
  fe_encode(left, f);
  fe_encode(right, g);
  return memcmp(left, right, 32) == 0;
}

static inline int fe_is_zero(const fe f) { return fe_equal(f, (fe){0}); }

static inline void fe_squares(fe h, const fe f, int count) {
  fe_square(h, f);
  for (int i = 1; i < count; i++) fe_square(h, h);
}

// f^(2^250 - 1), with f^11 as a by-product.
static inline void fe_power_250(fe h, fe power_11, const fe f) {
  fe t, u, v;
  fe_square(t, f);
  fe_squares(u, t, 2);
  fe_multiply(u, u, f);
  fe_multiply(power_11, u, t);
  fe_square(t, power_11);
  fe_multiply(t, t, u);  // 2^5 - 1
  fe_squares(u, t, 5);
  fe_multiply(t, u, t);  // 2^10 - 1
  fe_squares(u, t, 10);
  fe_multiply(u, u, t);  // 2^20 - 1
  fe_squares(v, u, 20);
  fe_multiply(u, v, u);  // 2^40 - 1
  fe_squares(u, u, 10);
  fe_multiply(t, u, t);  // 2^50 - 1
  fe_squares(u, t, 50);
  fe_multiply(u, u, t);  // 2^100 - 1
  fe_squares(v, u, 100);
  fe_multiply(u, v, u);  // 2^200 - 1
  fe_squares(u, u, 50);
  fe_multiply(h, u, t);
}

// f^(p - 2)
static inline void fe_invert(fe h, const fe f) {
  fe t, power_11;
  fe_power_250(t, power_11, f);
  fe_squares(t, t, 5);
  fe_multiply(h, t, power_11);
}

// f^((p - 5) / 8)
static inline void fe_root_power(fe h, const fe f) {
  fe t, power_11;
  fe_power_250(t, power_11, f);
  fe_squares(t, t, 2);
  fe_multiply(h, t, f);
}

#endif
