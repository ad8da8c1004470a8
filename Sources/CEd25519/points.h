#ifndef SIMPLEX_ED25519_POINTS_H
#define SIMPLEX_ED25519_POINTS_H

#include "CEd25519.h"
#include "lanes.h"

// Points are in extended coordinates (X, Y, Z, T), one in each lane of the vectors, with x = X/Z, y = Y/Z, xy = T/Z.
// Formulas: Hisil, Wong, Carter, Dawson, "Twisted Edwards Curves Revisited", 2008, for a = -1; arranged so that four
// products are made at a time.

// 1, 1, 2, 2d
static const fe4 table_factors = {{
    {1, 1, 2, 1859910466990425},
    {0, 0, 0, 932731440258426},
    {0, 0, 0, 1072319116312658},
    {0, 0, 0, 1815898335770999},
    {0, 0, 0, 633789495995903},
}};

// The neutral point.
static const fe4 zero_point = {{{0, 1, 1, 0}}};

// From the lanes (E, F, G, H) to the point (EF, GH, FG, EH).
static inline fe4 complete(fe4 efgh) {
  fe4 left = LANES(efgh, 0, 2, 1, 0), right = LANES(efgh, 1, 3, 2, 3);
  return fe4_multiply(left, right);
}

static inline fe4 twice(fe4 p) {
  // X X, Y Y, Z Z, X Y
  fe4 left = LANES(p, 0, 1, 2, 0), right = LANES(p, 0, 1, 2, 1);
  fe4 s = fe4_multiply(left, right);
  // 2XY, 2ZZ + XX - YY, YY - XX, XX + YY: all signs of the point turned, which gives the same point.
  fe4 doubled = LANES(s, 3, 2, 3, 3), plus = LANES(s, 0, 0, 1, 0), minus = LANES(s, 0, 1, 0, 1);
  lanes first_two = {-1, -1, 0, 0}, not_first = {0, -1, -1, -1}, middle = {0, -1, -1, 0};
  for (int i = 0; i < 5; i++) {
    plus.limb[i] = (plus.limb[i] & not_first) + ((doubled.limb[i] << 1) & first_two);
    minus.limb[i] &= not_first;
  }
  return complete(fe4_combine(plus, minus, &middle));
}

// Y - X, Y + X, Z, T
static inline fe4 differences(fe4 p) {
  fe4 left = LANES(p, 1, 1, 2, 3), right = LANES(p, 0, 0, 2, 3);
  lanes first = {-1, 0, 0, 0}, first_two = {-1, -1, 0, 0};
  for (int i = 0; i < 5; i++) right.limb[i] &= first_two;
  return fe4_combine(left, right, &first);
}

// The form of points in tables: Y - X, Y + X, 2Z, 2dT.
static inline fe4 table_form(fe4 p) { return fe4_multiply(differences(p), table_factors); }

// Adds a point in the form of tables.
static inline fe4 add(fe4 p, fe4 q) {
  // A = (Y - X)(Y' - X'), B = (Y + X)(Y' + X'), D = 2ZZ', C = 2dTT'
  fe4 s = fe4_multiply(differences(p), q);
  // B - A, D - C, D + C, B + A
  fe4 plus = LANES(s, 1, 2, 2, 1), minus = LANES(s, 0, 3, 3, 0);
  lanes first_two = {-1, -1, 0, 0};
  return complete(fe4_combine(plus, minus, &first_two));
}

// The form of tables of the negative point.
static inline fe4 negative(fe4 q) {
  fe4 plus = LANES(q, 1, 0, 2, 3), minus = plus;
  lanes last = {0, 0, 0, -1};
  for (int i = 0; i < 5; i++) {
    plus.limb[i] &= ~last;
    minus.limb[i] &= last;
  }
  return fe4_combine(plus, minus, &last);
}

// Four parts of 64 bits of a number, each as odd digits with zeros between them.
typedef int8_t digits[4][65];

// Fills a table with the odd multiples of a point, of 2^64 times the point, and so on.
static inline void fill(fe4 *table, int width, const fe4 *point) {
  fe4 p = *point;
  int count = 1 << (width - 2);
  for (int part = 0; part < 4; part++) {
    fe4 *entries = table + part * count;
    fe4 odd = p, step = table_form(twice(p));
    entries[0] = table_form(p);
    for (int i = 1; i < count; i++) {
      odd = add(odd, step);
      entries[i] = table_form(odd);
    }
    for (int i = 0; i < 64 && part < 3; i++) p = twice(p);
  }
}

// Adds the multiples of a table that the digits of one place say, or with a negative sign subtracts them.
static inline fe4 add_digits(fe4 p, const fe4 *table, int width, const digits digits, int place, int sign) {
  for (int part = 0; part < 4; part++) {
    int digit = digits[part][place] * sign;
    if (digit == 0) continue;
    const fe4 *entries = table + part * (1 << (width - 2));
    p = add(p, digit > 0 ? entries[digit / 2] : negative(entries[-digit / 2]));
  }
  return p;
}

// s B - h K
static inline void combine(fe4 *sum, const digits s, const fe4 *base, const digits h, const fe4 *key) {
  fe4 p = zero_point;
  for (int place = 64; place >= 0; place--) {
    p = twice(p);
    p = add_digits(p, key, SIMPLEX_ED25519_KEY_WIDTH, h, place, -1);
    p = add_digits(p, base, SIMPLEX_ED25519_BASE_WIDTH, s, place, 1);
  }
  *sum = p;
}

#endif
