#ifndef SIMPLEX_ED25519_CHECKING_H
#define SIMPLEX_ED25519_CHECKING_H

#include <stdbool.h>

#include "combining.h"
#include "inverse.h"

// Checking signatures; the functions of CEd25519.h for the path that `PATH` names.

static const fe curve_d = {
  929955233495203, 466365720129213, 1662059464998953, 2033849074728123, 1442794654840575,
};
static const fe root_of_minus_one = {
  1718705420411056, 234908883556509, 2233514472574048, 2117202627021982, 765476049583133,
};
// The order of the group: 2^252 and a bit.
static const uint64_t order[4] = {0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000};

// Whether the shortest encoding of a point is that of a point of order 1, 2, 4 or 8: they are all with these y (0, 1
// and -1, and two of order 8), whatever the sign of x.
static bool has_small_order(const uint8_t bytes[32]) {
  static const uint64_t values[5][4] = {
    {0, 0, 0, 0},
    {1, 0, 0, 0},
    {0xffffffffffffffec, 0xffffffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff},
    {0x4fd84d3d706a17c7, 0x0f67100d760b3cba, 0xc6cc392cfa53202a, 0x7a03ac9277fdc74e},
    {0xb027b2c28f95e826, 0xf098eff289f4c345, 0x3933c6d305acdfd5, 0x05fc536d880238b1},
  };
  for (int i = 0; i < 5; i++) {
    uint64_t difference = (load64(bytes + 24) & INT64_MAX) ^ values[i][3];
    for (int j = 0; j < 3; j++) difference |= load64(bytes + 8 * j) ^ values[i][j];
    if (difference == 0) return true;
  }
  return false;
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

static bool is_in_range(const uint8_t scalar[32]) {
  for (int i = 3; i >= 0; i--) {
    uint64_t word = load64(scalar + 8 * i);
    if (word != order[i]) return word < order[i];
  }
  return false;
}

int PATH(fill_table)(simplex_ed25519_table *table, int width, const uint8_t bytes[32]) {
  static const fe one = {1};
  fe x, y, t;
  fe4 point = zero_point;
  if (has_small_order(bytes) || !decode(x, y, bytes)) return 0;
  fe_multiply(t, x, y);
  fe4_set(&point, 0, x);
  fe4_set(&point, 1, y);
  fe4_set(&point, 2, one);
  fe4_set(&point, 3, t);
  fill((fe4 *)table, width, point);
  return 1;
}

int PATH(is_valid)(
    const uint8_t bytes[32], const uint8_t scalar[32], const uint8_t hash[32], const simplex_ed25519_table *key,
    const simplex_ed25519_table *base) {
  if (!is_in_range(scalar) || has_small_order(bytes)) return 0;
  term_lists lists;
  memset(lists.counts, 0, sizeof lists.counts);
  append(&lists, (const fe4 *)base, SIMPLEX_ED25519_BASE_WIDTH, scalar, 0);
  append(&lists, (const fe4 *)key, SIMPLEX_ED25519_KEY_WIDTH, hash, UINT64_MAX);
  fe4 sum = combine(&lists);
  fe x, y, z, inverse;
  fe4_get(x, &sum, 0);
  fe4_get(y, &sum, 1);
  fe4_get(z, &sum, 2);
  fe_invert_public(inverse, z);
  fe_multiply(x, x, inverse);
  fe_multiply(y, y, inverse);
  uint8_t encoded[32], sign[32];
  fe_encode(encoded, y);
  fe_encode(sign, x);
  encoded[31] |= (uint8_t)(sign[0] << 7);
  return memcmp(encoded, bytes, 32) == 0;
}

#endif
