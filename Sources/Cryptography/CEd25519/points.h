#ifndef SIMPLEX_ED25519_POINTS_H
#define SIMPLEX_ED25519_POINTS_H

#include "CEd25519.h"
#include "lanes.h"

// Points in extended coordinates (X, Y, Z, T), one in each lane of the vectors, with x = X/Z, y = Y/Z, xy = T/Z.
// Formulas: Hisil, Wong, Carter, Dawson, "Twisted Edwards Curves Revisited", 2008, for a = -1; arranged so that four
// products are computed at a time.

// Two sums are computed at the same time: the processor adds to one while the other addition is in flight.
enum { sum_count = 2 };

// 1, 1, 2, 2d
static const fe4 table_factors = {{
    {1, 1, 2, 1859910466990425},
    {0, 0, 0, 932731440258426},
    {0, 0, 0, 1072319116312658},
    {0, 0, 0, 1815898335770999},
    {0, 0, 0, 633789495995903},
}};

// The neutral point, and its form in tables.
static const fe4 zero_point = {{{0, 1, 1, 0}}};
static const fe4 zero_entry = {{{1, 1, 2, 0}}};

// From the lanes (E, F, G, H) to the points (EF, GH, FG, EH).
INLINE void complete(fe4 *p, const fe4 *efgh, int count) {
  fe4 left[2], right[2];
  EACH(i) left[i] = LANES(efgh[i], 0, 2, 1, 0), right[i] = LANES(efgh[i], 1, 3, 2, 3);
  fe4_multiply(p, left, right, count);
}

// Doubles points.
INLINE void twice(fe4 *p, int count) {
  // X X, Y Y, Z Z, X Y
  fe4 left[2], right[2], s[2];
  EACH(i) left[i] = LANES(p[i], 0, 1, 2, 0), right[i] = LANES(p[i], 0, 1, 2, 1);
  fe4_multiply(s, left, right, count);
  // 2XY, 2ZZ + XX - YY, YY - XX, XX + YY: all signs of the point are flipped, which yields the same point.
  lanes first_two = {-1, -1, 0, 0}, not_first = {0, -1, -1, -1}, middle = {0, -1, -1, 0};
  EACH(i) {
    fe4 doubled = LANES(s[i], 3, 2, 3, 3), plus = LANES(s[i], 0, 0, 1, 0), minus = LANES(s[i], 0, 1, 0, 1);
    for (int j = 0; j < 5; j++) {
      plus.limb[j] = (plus.limb[j] & not_first) + ((doubled.limb[j] << 1) & first_two);
      minus.limb[j] &= not_first;
    }
    s[i] = fe4_combine(plus, minus, middle);
  }
  complete(p, s, count);
}

// Y - X, Y + X, Z, T
INLINE fe4 differences(fe4 p) {
  fe4 left = LANES(p, 1, 1, 2, 3), right = LANES(p, 0, 0, 2, 3);
  lanes first = {-1, 0, 0, 0}, first_two = {-1, -1, 0, 0};
  for (int i = 0; i < 5; i++) right.limb[i] &= first_two;
  return fe4_combine(left, right, first);
}

// The form of a point in tables: Y - X, Y + X, 2Z, 2dT.
INLINE fe4 table_form(fe4 p) { return fe4_product(differences(p), table_factors); }

// Adds points in the form of tables.
INLINE void add(fe4 *p, const fe4 *q, int count) {
  // A = (Y - X)(Y' - X'), B = (Y + X)(Y' + X'), D = 2ZZ', C = 2dTT'
  fe4 s[2];
  EACH(i) s[i] = differences(p[i]);
  fe4_multiply(s, s, q, count);
  // B - A, D - C, D + C, B + A
  lanes first_two = {-1, -1, 0, 0};
  EACH(i) s[i] = fe4_combine(LANES(s[i], 1, 2, 2, 1), LANES(s[i], 0, 3, 3, 0), first_two);
  complete(p, s, count);
}

// The negative point in the form of tables where `sign` has all bits set: the first two lanes exchanged, the last one
// negated. No carry is needed, since the input is below 2^51 + 2^18.
INLINE fe4 negative_where(fe4 q, uint64_t sign) {
  lanes all = (lanes){} + sign, last = all & (lanes){0, 0, 0, -1};
  for (int i = 0; i < 5; i++) {
    lanes bias = (lanes){} + (i == 0 ? 2 * fe_mask - 36 : 2 * fe_mask);
    lanes limb = exchange_first_two(q.limb[i], sign);
    q.limb[i] = ((limb ^ last) - last) + (bias & last);
  }
  return q;
}

#endif
