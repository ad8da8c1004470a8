#ifndef SIMPLEX_ED25519_SIGNING_H
#define SIMPLEX_ED25519_SIGNING_H

#include "points.h"

// Signing; the functions of CEd25519.h for the path that `PATH` names. Nothing here may branch on a scalar, or use a
// part of it as an address: scripts/check-constant-time looks at that.

enum { byte_count = 32, multiples = 8 };

// The base point; its y is 4/5 (RFC 8032, 5.1).
static const fe4 base_point = {{
    {1738742601995546, 1801439850948184, 1, 1841354044333475},
    {1146398526822698, 1351079888211148, 0, 16398895984059},
    {2070867633025821, 450359962737049, 0, 755974180946558},
    {562264141797630, 900719925474099, 0, 900171276175154},
    {587772402128613, 1801439850948198, 0, 1821297809914039},
}};

void PATH(fill_multiples)(simplex_ed25519_table *table) {
  fe4 p = base_point;
  for (int place = 0; place < byte_count; place++) {
    fe4 *entries = (fe4 *)table + multiples * place;
    fe4 multiple = p, step = table_form(p);
    entries[0] = step;
    for (int i = 1; i < multiples; i++) {
      add(&multiple, &step, 1);
      entries[i] = table_form(multiple);
    }
    for (int i = 0; i < 8; i++) twice(&p, 1);
  }
}

// All bits where both are equal, in a way that the compiler makes no branch of.
static inline uint64_t equality_mask(uint64_t left, uint64_t right) {
  uint64_t mask = (uint64_t)0 - (((left ^ right) - 1) >> 63);
  __asm__("" : "+r"(mask));
  return mask;
}

// The multiple that a digit from -8 to 8 says. It looks at all of them, whatever the digit is.
static inline fe4 entry(const fe4 *entries, int64_t digit) {
  uint64_t is_negative = (uint64_t)(digit >> 63);
  uint64_t size = ((uint64_t)digit ^ is_negative) - is_negative;
  __asm__("" : "+r"(is_negative), "+r"(size));
  fe4 chosen = zero_entry;
  for (uint64_t i = 0; i < multiples; i++) {
    lanes mask = (lanes){} + equality_mask(size, i + 1);
    for (int j = 0; j < 5; j++) chosen.limb[j] ^= (chosen.limb[j] ^ entries[i].limb[j]) & mask;
  }
  return negative_where(chosen, is_negative);
}

void PATH(multiply_base)(
    uint8_t bytes[32], const uint8_t scalar[32], const simplex_ed25519_table *table) {
  struct {
    int8_t digits[2 * byte_count];
    // Of even and of odd digits.
    fe4 sums[2], chosen[2];
    fe x, y, z, inverse;
  } secret;
  // Digits to the base 16 from -8 to 7.
  int carry = 0;
  for (int i = 0; i < 2 * byte_count; i++) {
    int digit = (scalar[i / 2] >> (4 * (i % 2)) & 15) + carry;
    carry = (digit + 8) >> 4;
    secret.digits[i] = (int8_t)(digit - (carry << 4));
  }
  // The table has multiples for every second digit; the others are added up for themselves, at the same time.
  secret.sums[0] = secret.sums[1] = zero_point;
  for (int place = 0; place < byte_count; place++) {
    const fe4 *entries = (const fe4 *)table + multiples * place;
    for (int i = 0; i < 2; i++) secret.chosen[i] = entry(entries, secret.digits[2 * place + i]);
    add(secret.sums, secret.chosen, 2);
  }
  for (int i = 0; i < 4; i++) twice(&secret.sums[1], 1);
  secret.chosen[0] = table_form(secret.sums[1]);
  add(secret.sums, secret.chosen, 1);

  fe4_get(secret.x, secret.sums, 0);
  fe4_get(secret.y, secret.sums, 1);
  fe4_get(secret.z, secret.sums, 2);
  fe_invert(secret.inverse, secret.z);
  fe_multiply(secret.x, secret.x, secret.inverse);
  fe_multiply(secret.y, secret.y, secret.inverse);
  uint8_t sign[32];
  fe_encode(bytes, secret.y);
  fe_encode(sign, secret.x);
  bytes[31] |= (uint8_t)(sign[0] << 7);
  // Through a volatile pointer, so that it is wiped although nobody looks at it again.
  volatile uint8_t *wiped = (volatile uint8_t *)&secret;
  for (size_t i = 0; i < sizeof secret; i++) wiped[i] = 0;
}

#endif
