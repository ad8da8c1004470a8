#include "CEd25519.h"

#if defined(__x86_64__) && defined(__clang__)

#include <stdbool.h>

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512ifma"))), apply_to = function)

#include "points.h"

static const fe curve_d = {
  929955233495203, 466365720129213, 1662059464998953, 2033849074728123, 1442794654840575,
};
static const fe root_of_minus_one = {
  1718705420411056, 234908883556509, 2233514472574048, 2117202627021982, 765476049583133,
};
// The order of the group: 2^252 and a bit.
static const uint64_t order[4] = {0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000};

// Whether the point multiplied by 8 is zero.
static bool has_small_order(const fe x, const fe y) {
  fe values[3] = {{0}, {0}, {1}};
  memcpy(values[0], x, sizeof(fe));
  memcpy(values[1], y, sizeof(fe));
  for (int i = 0; i < 3; i++) {
    // As `twice`: 2XY, 2ZZ + XX - YY, YY - XX, XX + YY
    fe xx, yy, e, f, g, h, difference;
    fe_square(xx, values[0]);
    fe_square(yy, values[1]);
    fe_square(f, values[2]);
    fe_multiply(e, values[0], values[1]);
    fe_add(e, e, e);
    fe_subtract(difference, xx, yy);
    fe_add(f, f, f);
    fe_add(f, f, difference);
    fe_subtract(g, yy, xx);
    fe_add(h, xx, yy);
    fe_multiply(values[0], e, f);
    fe_multiply(values[1], g, h);
    fe_multiply(values[2], f, g);
  }
  return fe_is_zero(values[0]) && fe_equal(values[1], values[2]);
}

// False where the bytes are no point, or not its shortest encoding.
static bool decode(fe x, fe y, const uint8_t bytes[32]) {
  static const fe one = {1}, zero = {0};
  uint8_t encoded[32];
  fe u, v, v3, root, check, negative;
  fe_decode(y, bytes);
  fe_encode(encoded, y);
  encoded[31] |= bytes[31] & 0x80;
  if (memcmp(encoded, bytes, 32) != 0) return false;
  // x^2 = u/v, with u = y^2 - 1 and v = d y^2 + 1; the root is u v^3 (u v^7)^((p - 5)/8), or that times a root of -1.
  fe_square(u, y);
  fe_multiply(v, u, curve_d);
  fe_subtract(u, u, one);
  fe_add(v, v, one);
  fe_square(v3, v);
  fe_multiply(v3, v3, v);
  fe_square(root, v3);
  fe_multiply(root, root, v);
  fe_multiply(root, root, u);
  fe_root_power(root, root);
  fe_multiply(root, root, v3);
  fe_multiply(x, root, u);
  fe_square(check, x);
  fe_multiply(check, check, v);
  if (!fe_equal(check, u)) {
    fe_subtract(negative, zero, check);
    if (!fe_equal(negative, u)) return false;
    fe_multiply(x, x, root_of_minus_one);
  }
  fe_encode(encoded, x);
  if ((encoded[0] & 1) != bytes[31] >> 7) {
    fe_subtract(negative, zero, x);
    // A product again has limbs below 2^52.
    fe_multiply(x, negative, one);
  }
  return true;
}

// Odd digits below 2^(width - 1), with at least width - 1 zeros after each.
static void split(digits result, const uint8_t scalar[32], int width) {
  memset(result, 0, sizeof(digits));
  for (int part = 0; part < 4; part++) {
    unsigned __int128 rest = load64(scalar + 8 * part);
    for (int place = 0; rest != 0; place++, rest >>= 1) {
      if ((rest & 1) == 0) continue;
      int digit = (int)(rest & ((1u << width) - 1));
      if (digit >= 1 << (width - 1)) digit -= 1 << width;
      result[part][place] = (int8_t)digit;
      rest -= (unsigned __int128)(__int128)digit;
    }
  }
}

static bool is_in_range(const uint8_t scalar[32]) {
  for (int i = 3; i >= 0; i--) {
    uint64_t word = load64(scalar + 8 * i);
    if (word != order[i]) return word < order[i];
  }
  return false;
}

size_t simplex_ed25519_table_size(int width) { return sizeof(fe4) * 4 * ((size_t)1 << (width - 2)); }

int simplex_ed25519_fill_table(simplex_ed25519_table *table, int width, const uint8_t bytes[32]) {
  static const fe one = {1};
  fe x, y, t;
  fe4 point;
  if (!decode(x, y, bytes) || has_small_order(x, y)) return 0;
  fe_multiply(t, x, y);
  fe4_set(&point, 0, x);
  fe4_set(&point, 1, y);
  fe4_set(&point, 2, one);
  fe4_set(&point, 3, t);
  fill((fe4 *)table, width, &point);
  return 1;
}

int simplex_ed25519_is_valid(
    const uint8_t bytes[32], const uint8_t scalar[32], const uint8_t hash[32], const simplex_ed25519_table *key,
    const simplex_ed25519_table *base) {
  if (!is_in_range(scalar)) return 0;
  digits s, h;
  split(s, scalar, SIMPLEX_ED25519_BASE_WIDTH);
  split(h, hash, SIMPLEX_ED25519_KEY_WIDTH);
  fe4 sum;
  combine(&sum, s, (const fe4 *)base, h, (const fe4 *)key);
  fe x, y, z, inverse;
  fe4_get(x, &sum, 0);
  fe4_get(y, &sum, 1);
  fe4_get(z, &sum, 2);
  fe_invert(inverse, z);
  fe_multiply(x, x, inverse);
  fe_multiply(y, y, inverse);
  uint8_t encoded[32], sign[32];
  fe_encode(encoded, y);
  fe_encode(sign, x);
  encoded[31] |= (uint8_t)(sign[0] << 7);
  return memcmp(encoded, bytes, 32) == 0 && !has_small_order(x, y);
}

#pragma clang attribute pop

int simplex_ed25519_is_supported(void) {
  return __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vl");
}

#else

size_t simplex_ed25519_table_size(int width) {
  (void)width;
  return 0;
}

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

int simplex_ed25519_is_supported(void) { return 0; }

#endif
