#ifndef SIMPLEX_ED25519_SCALAR_H
#define SIMPLEX_ED25519_SCALAR_H

#include "CEd25519.h"
#include "field.h"

// Points in extended coordinates (X, Y, Z, T), with x = X/Z, y = Y/Z, xy = T/Z, for processors without the vector unit:
// the names of points.h, for one field element at a time. For public points only. Formulas: Hisil, Wong, Carter,
// Dawson, "Twisted Edwards Curves Revisited", 2008, for a = -1; they are complete.
//
// Below, a *product* is a result of `fe_multiply`, `fe_square` or `reduced`: its limbs are below 2^51 + 2^18. All limbs
// stay below the 2^54 that the multiplication accepts.

#define INLINE __attribute__((always_inline)) static inline

// The coordinates of a point, or the four numbers of its form in tables; products.
typedef struct {
  fe part[4];
} fe4;

// One sum is computed at a time: a multiplication has enough independent steps to keep the processor busy.
enum { sum_count = 1 };

static const fe twice_d = {1859910466990425, 932731440258426, 1072319116312658, 1815898335770999, 633789495995903};

// The neutral point, and its form in tables.
static const fe4 zero_point = {{{0}, {1}, {1}, {0}}};
static const fe4 zero_entry = {{{1}, {1}, {2}, {0}}};

INLINE void fe4_set(fe4 *f, int part, const fe value) { memcpy(f->part[part], value, sizeof(fe)); }

INLINE void fe4_get(fe value, const fe4 *f, int part) { memcpy(value, f->part[part], sizeof(fe)); }

// f - g, with 4p added: `g` below 2^53 - 76, so that no limb becomes negative.
INLINE void subtract_sum(fe h, const fe f, const fe g) {
  h[0] = f[0] + (4 * fe_mask - 72) - g[0];
  for (int i = 1; i < 5; i++) h[i] = f[i] + 4 * fe_mask - g[i];
}

// The same number with limbs of a product.
INLINE void reduced(fe h, const fe f) {
  fe carry;
  for (int i = 0; i < 5; i++) carry[i] = f[i] >> 51;
  h[0] = (f[0] & fe_mask) + 19 * carry[4];
  for (int i = 1; i < 5; i++) h[i] = (f[i] & fe_mask) + carry[i - 1];
}

// The point (EF, GH, FG, EH).
INLINE void complete(fe4 *p, const fe e, const fe f, const fe g, const fe h) {
  fe_multiply(p->part[0], e, f);
  fe_multiply(p->part[1], g, h);
  fe_multiply(p->part[2], f, g);
  fe_multiply(p->part[3], e, h);
}

static inline void twice_one(fe4 *p) {
  fe xx, yy, zz, e, f, g, h;
  fe_square(xx, p->part[0]);
  fe_square(yy, p->part[1]);
  fe_square(zz, p->part[2]);
  fe_add(e, p->part[0], p->part[1]);
  fe_square(e, e);
  // 2XY, 2ZZ + XX - YY, YY - XX, XX + YY: all signs of the point are flipped, which yields the same point.
  fe_add(h, xx, yy);        // below 2^52 + 2^19
  subtract_sum(e, e, h);    // below 2^53 + 2^52
  fe_subtract(g, yy, xx);   // below 2^52 + 2^52
  fe_add(zz, zz, zz);       // below 2^52 + 2^19
  fe_subtract(f, xx, yy);   // below 2^53
  fe_add(f, f, zz);         // below 2^53 + 2^52 + 2^19
  complete(p, e, f, g, h);
}

// Adds a point in the form of tables.
static inline void add_one(fe4 *p, const fe4 *q) {
  fe a, b, c, d, e, f, g, h;
  // A = (Y - X)(Y' - X'), B = (Y + X)(Y' + X'), D = 2ZZ', C = 2dTT'
  fe_subtract(a, p->part[1], p->part[0]);
  fe_multiply(a, a, q->part[0]);
  fe_add(b, p->part[1], p->part[0]);
  fe_multiply(b, b, q->part[1]);
  fe_multiply(d, p->part[2], q->part[2]);
  fe_multiply(c, p->part[3], q->part[3]);
  // B - A, D - C, D + C, B + A
  fe_subtract(e, b, a);
  fe_subtract(f, d, c);
  fe_add(g, d, c);
  fe_add(h, b, a);
  complete(p, e, f, g, h);
}

// Doubles points.
INLINE void twice(fe4 *p, int count) {
  for (int i = 0; i < count; i++) twice_one(p + i);
}

// Adds points in the form of tables.
INLINE void add(fe4 *p, const fe4 *q, int count) {
  for (int i = 0; i < count; i++) add_one(p + i, q + i);
}

// The form of a point in tables: Y - X, Y + X, 2Z, 2dT.
static inline fe4 table_form(fe4 p) {
  fe4 entry;
  fe number;
  fe_subtract(number, p.part[1], p.part[0]);
  reduced(entry.part[0], number);
  fe_add(number, p.part[1], p.part[0]);
  reduced(entry.part[1], number);
  fe_add(number, p.part[2], p.part[2]);
  reduced(entry.part[2], number);
  fe_multiply(entry.part[3], p.part[3], twice_d);
  return entry;
}

// The negative point in the form of tables where `sign` has all bits set: the first two numbers exchanged, the last one
// negated, which is then below 2^52.
INLINE fe4 negative_where(fe4 q, uint64_t sign) {
  static const fe zero = {0};
  if (sign == 0) return q;
  fe4 negative;
  fe4_set(&negative, 0, q.part[1]);
  fe4_set(&negative, 1, q.part[0]);
  fe4_set(&negative, 2, q.part[2]);
  fe_subtract(negative.part[3], zero, q.part[3]);
  return negative;
}

#endif
