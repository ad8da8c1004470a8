#ifndef SIMPLEX_ED25519_INVERSE_H
#define SIMPLEX_ED25519_INVERSE_H

#include "field.h"

// Inverses of public numbers: two fifths of the time of `fe_invert`, but not constant-time.
//
// Bernstein, Yang, "Fast constant-time gcd computation and modular inversion", 2019: division steps on the lower 62
// bits of two numbers yield a matrix, which is then applied to the whole numbers and to their cofactors. Steps that
// only halve are combined, and so are those in which multiples of the odd number make several zeros at once.

// Five digits to the base 2^62, the highest with a sign.
typedef int64_t inverse_number[5];

typedef struct {
  int64_t u, v, q, r;
} inverse_matrix;

static const uint64_t inverse_mask = UINT64_MAX >> 2;

// 62 division steps on `f`, which is odd, and `g`. `delta` is minus the paper's.
static inline int64_t inverse_steps(int64_t delta, uint64_t f, uint64_t g, inverse_matrix *matrix) {
  uint64_t u = 1, v = 0, q = 0, r = 1;
  for (int left = 62;;) {
    // The set bit stops the count after the last step.
    int zeros = __builtin_ctzll(g | UINT64_MAX << left);
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    delta -= zeros;
    left -= zeros;
    if (left == 0) break;
    uint64_t multiple;
    if (delta < 0) {
      uint64_t old_f = f, old_u = u, old_v = v;
      delta = -delta;
      f = g, g = 0 - old_f;
      u = q, q = 0 - old_u;
      v = r, r = 0 - old_v;
      // Up to six zeros: f (f f - 2) is minus the inverse of f modulo 64.
      int count = delta + 1 < left ? (int)delta + 1 : left;
      multiple = f * g * (f * f - 2) & (UINT64_MAX >> (64 - count)) & 63;
    } else {
      // Often there are fewer steps until the next exchange: up to four zeros.
      int count = delta + 1 < left ? (int)delta + 1 : left;
      multiple = (0 - (f + (((f + 1) & 4) << 1))) * g & (UINT64_MAX >> (64 - count)) & 15;
    }
    g += f * multiple;
    q += u * multiple;
    r += v * multiple;
  }
  *matrix = (inverse_matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
  return delta;
}

// Multiplies both numbers by the matrix and divides them by 2^62, which leaves no remainder.
static inline void inverse_reduce(inverse_number f, inverse_number g, const inverse_matrix *m, int count) {
  __int128 a = (__int128)m->u * f[0] + (__int128)m->v * g[0];
  __int128 b = (__int128)m->q * f[0] + (__int128)m->r * g[0];
  for (int i = 1; i < count; i++) {
    a = (a >> 62) + (__int128)m->u * f[i] + (__int128)m->v * g[i];
    b = (b >> 62) + (__int128)m->q * f[i] + (__int128)m->r * g[i];
    f[i - 1] = (int64_t)((uint64_t)a & inverse_mask);
    g[i - 1] = (int64_t)((uint64_t)b & inverse_mask);
  }
  f[count - 1] = (int64_t)(a >> 62);
  g[count - 1] = (int64_t)(b >> 62);
}

// The same modulo p; numbers are between -2p and p before and after it.
static inline void inverse_reduce_modulo(inverse_number d, inverse_number e, const inverse_matrix *m) {
  // Modulo 2^62; p is 2^255 - 19, which is 128 in the highest digit and -19 in the lowest.
  const uint64_t inverse_of_p = 0x39435e50d79435e5;
  int64_t d_sign = d[4] >> 63, e_sign = e[4] >> 63;
  // The multiple of p to add: makes the result positive and its lowest digit zero.
  int64_t d_count = (m->u & d_sign) + (m->v & e_sign), e_count = (m->q & d_sign) + (m->r & e_sign);
  __int128 a = (__int128)m->u * d[0] + (__int128)m->v * e[0];
  __int128 b = (__int128)m->q * d[0] + (__int128)m->r * e[0];
  d_count -= (int64_t)((inverse_of_p * (uint64_t)a + (uint64_t)d_count) & inverse_mask);
  e_count -= (int64_t)((inverse_of_p * (uint64_t)b + (uint64_t)e_count) & inverse_mask);
  a -= (__int128)d_count * 19;
  b -= (__int128)e_count * 19;
  for (int i = 1; i < 5; i++) {
    a = (a >> 62) + (__int128)m->u * d[i] + (__int128)m->v * e[i];
    b = (b >> 62) + (__int128)m->q * d[i] + (__int128)m->r * e[i];
    if (i == 4) {
      a += (__int128)d_count * 128;
      b += (__int128)e_count * 128;
    }
    d[i - 1] = (int64_t)((uint64_t)a & inverse_mask);
    e[i - 1] = (int64_t)((uint64_t)b & inverse_mask);
  }
  d[4] = (int64_t)(a >> 62);
  e[4] = (int64_t)(b >> 62);
}

// Carries signs upwards, after `times_p` times p was added.
static inline void inverse_carry(inverse_number d, int64_t times_p) {
  d[0] -= 19 * times_p;
  d[4] += 128 * times_p;
  for (int i = 0; i < 4; i++) {
    d[i + 1] += d[i] >> 62;
    d[i] &= (int64_t)inverse_mask;
  }
}

// The inverse modulo p of a public number; 0 for 0.
static inline void fe_invert_public(fe h, const fe value) {
  uint8_t bytes[32];
  fe_encode(bytes, value);
  uint64_t w0 = load64(bytes), w1 = load64(bytes + 8), w2 = load64(bytes + 16), w3 = load64(bytes + 24);
  inverse_number f = {-19, 0, 0, 0, 128};
  inverse_number g = {
    (int64_t)(w0 & inverse_mask), (int64_t)((w0 >> 62 | w1 << 2) & inverse_mask),
    (int64_t)((w1 >> 60 | w2 << 4) & inverse_mask), (int64_t)((w2 >> 58 | w3 << 6) & inverse_mask),
    (int64_t)(w3 >> 56),
  };
  // Invariant: d times the value is f, and e times it g, modulo p and up to a power of two that cancels out.
  inverse_number d = {0}, e = {1};
  int64_t delta = -1;
  int count = 5;
  while ((g[0] | g[1] | g[2] | g[3] | g[4]) != 0) {
    inverse_matrix matrix;
    delta = inverse_steps(delta, (uint64_t)f[0] | (uint64_t)f[1] << 62, (uint64_t)g[0] | (uint64_t)g[1] << 62, &matrix);
    inverse_reduce_modulo(d, e, &matrix);
    inverse_reduce(f, g, &matrix, count);
    // Both shrink: a highest digit that is only a sign is folded into the one below.
    while (count > 1 && (f[count - 1] ^ f[count - 1] >> 63) == 0 && (g[count - 1] ^ g[count - 1] >> 63) == 0) {
      count--;
      f[count - 1] |= (int64_t)((uint64_t)f[count] << 62);
      g[count - 1] |= (int64_t)((uint64_t)g[count] << 62);
      f[count] = g[count] = 0;
    }
  }
  // Now f is 1 or -1 (p for the value 0), and d between -2p and p.
  inverse_carry(d, d[4] < 0 ? 1 : 0);
  if (f[count - 1] < 0) {
    for (int i = 0; i < 5; i++) d[i] = -d[i];
    inverse_carry(d, 0);
  }
  inverse_carry(d, d[4] < 0 ? 1 : 0);
  store64(bytes, (uint64_t)d[0] | (uint64_t)d[1] << 62);
  store64(bytes + 8, (uint64_t)d[1] >> 2 | (uint64_t)d[2] << 60);
  store64(bytes + 16, (uint64_t)d[2] >> 4 | (uint64_t)d[3] << 58);
  store64(bytes + 24, (uint64_t)d[3] >> 6 | (uint64_t)d[4] << 56);
  fe_decode(h, bytes);
}

#endif
