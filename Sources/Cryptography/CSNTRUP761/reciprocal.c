// Inversion in R/q and R/3: constant-time extended Euclid by division steps (Bernstein and Yang, "Fast constant-time
// gcd computation and modular inversion", 2019), 2p - 1 steps whatever the input.
//
// f starts as x^p - x - 1 and g as the input, both with their coefficients in reverse order; a step cancels the
// constant term of g and divides g by x. (v, r) undergoes the same combinations; v is multiplied by x instead, so that
// it ends as the inverse in reverse order. It is therefore stored in ascending order here, and both g and v move down
// one place in each step. A step swaps (f, g) and (v, r) if delta > 0 and g(0) != 0. That g is negated where the roles
// are not swapped back, and that Montgomery products bring in powers of 2^-16, scales f and v, or g and r, alike: the
// final division by f(0) removes it all.
#include "CSNTRUP761.h"
#include "internal.h"

#define STEPS (2 * P - 1)

// The mask -1 if delta > 0 and `nonzero` is -1, else 0; and delta after the step.
INLINE int32_t swap_mask(int32_t *delta, int32_t nonzero) {
  int32_t swap = sntrup761_opaque((-*delta >> 31) & nonzero);
  *delta = ((*delta ^ swap) - swap) + 1;
  return swap;
}

// --- R/q: sixteen coefficients in a vector

typedef struct {
  factor f0, g0;
  vec swap;
} q_step;

// a = swap ? b : a; b = f0 * b - g0 * a, in the vectors from...to-1; results are stored `a_shift`, `b_shift` places
// lower. Coefficients stay below 5700: 2 * (5700 * 2296 / 2^16 + q/2 + 1) < 5700.
INLINE void combine(int16_t *a, int a_shift, int16_t *b, int b_shift, int from, int to, q_step *step) {
  for (int i = from; i < to; i += LANES) {
    RELOAD(*step);
    vec old_a = *(vec *)(a + i), old_b = *(vec *)(b + i);
    *(vec *)(a + i - a_shift) = old_a ^ (step->swap & (old_a ^ old_b));
    *(vec *)(b + i - b_shift) = TIMES(old_b, step->f0) - TIMES(old_a, step->g0);
  }
}

// 1/x mod q, as x^(q - 2); 0 for 0.
INLINE int32_t scalar_reciprocal(int32_t x) {
  int32_t power = 1;
  for (int bit = 12; bit >= 0; bit--) {
    power = freeze(power * power);
    if ((Q - 2) >> bit & 1) power = freeze(power * x);
  }
  return power;
}

DISPATCHED void sntrup761_rq_reciprocal_of_triple(int16_t out[P], const int8_t a[P]) {
  _Alignas(64) int16_t memory[4][2 * LANES + PADDED] = {{0}}; // the vectors before take what moves below 0
  int16_t *f = memory[0] + 2 * LANES, *g = memory[1] + 2 * LANES, *v = memory[2] + 2 * LANES, *r = memory[3] + 2 * LANES;
  f[0] = 1;
  f[P - 1] = f[P] = -1;
  for (int i = 0; i < P; i++) g[P - 1 - i] = a[i];
  r[P] = -1530; // 1/3 mod q

  int32_t delta = 1;
  for (int step = 0; step < STEPS; step++) {
    int32_t f0 = freeze(f[0]), g0 = freeze(g[0]);
    int32_t swap = swap_mask(&delta, -(g0 & 0xffff) >> 31);
    q_step now = {FACTOR(f0), FACTOR(g0), FILL(swap)};
    // The steps left can only look at as many coefficients of f and g; v and r have grown by one coefficient in each
    // step.
    int left = STEPS - step + 1, grown = P - 1 - step;
    combine(f, 0, g, 1, 0, left < PADDED ? left : PADDED, &now);
    combine(v, 1, r, 0, grown > 0 ? grown & -LANES : 0, PADDED, &now);
  }

  int32_t scale = scalar_reciprocal(freeze(f[0]));
  for (int i = 0; i < P; i++) out[i] = (int16_t)freeze(scale * v[i]);
  wipe(memory, sizeof memory);
}

// --- R/3: one coefficient in a bit of two planes

#define WORDS 12

// Bit i says of coefficient i whether it is nonzero, and whether it is -1. The word above stays zero.
typedef struct {
  uint64_t nonzero[WORDS + 1], negative[WORDS + 1];
} planes;

INLINE void set(planes *x, int i, int value) {
  x->nonzero[i / 64] |= (uint64_t)(value & 1) << i % 64;
  x->negative[i / 64] |= (uint64_t)(value >> 1 & 1) << i % 64;
}

INLINE int get(const planes *x, int i) {
  return (int)(x->nonzero[i / 64] >> i % 64 & 1) - 2 * (int)(x->negative[i / 64] >> i % 64 & 1);
}

// -1 if the lowest bit is set, else 0.
INLINE int32_t mask(uint64_t word) { return sntrup761_opaque(-(int32_t)(word & 1)); }

typedef struct {
  uint64_t swap, nonzero, negative;
} r3_step;

// a = swap ? b : a; b = b + c * a, where c is given by the masks nonzero and negative.
INLINE void combine_planes(planes *a, planes *b, r3_step c) {
  for (int i = 0; i < WORDS; i++) {
    uint64_t a0 = a->nonzero[i], a1 = a->negative[i], b0 = b->nonzero[i], b1 = b->negative[i];
    a->nonzero[i] = a0 ^ (c.swap & (a0 ^ b0));
    a->negative[i] = a1 ^ (c.swap & (a1 ^ b1));
    uint64_t c0 = a0 & c.nonzero, c1 = (a1 ^ c.negative) & c0;
    uint64_t s = b0 ^ c1, t = b1 ^ c0;
    b->nonzero[i] = (b0 ^ c0) | (t ^ c1);
    b->negative[i] = s & t;
  }
}

INLINE void move_down(planes *x) {
  for (int i = 0; i < WORDS; i++) x->nonzero[i] = x->nonzero[i] >> 1 | x->nonzero[i + 1] << 63;
  for (int i = 0; i < WORDS; i++) x->negative[i] = x->negative[i] >> 1 | x->negative[i + 1] << 63;
}

DISPATCHED int sntrup761_r3_reciprocal(int8_t out[P], const int8_t a[P]) {
  planes memory[4] = {{{0}, {0}}};
  planes *f = &memory[0], *g = &memory[1], *v = &memory[2], *r = &memory[3];
  set(f, 0, 1);
  set(f, P - 1, -1);
  set(f, P, -1);
  for (int i = 0; i < P; i++) set(g, P - 1 - i, a[i]);
  set(r, P, 1);

  int32_t delta = 1;
  for (int step = 0; step < STEPS; step++) {
    int32_t nonzero = mask(g->nonzero[0]);
    int32_t negative = mask(~(f->negative[0] ^ g->negative[0])); // c = -f(0) * g(0)
    int32_t swap = swap_mask(&delta, nonzero);
    r3_step now = {(uint64_t)(int64_t)swap, (uint64_t)(int64_t)nonzero, (uint64_t)(int64_t)negative};
    combine_planes(f, g, now);
    combine_planes(v, r, now);
    move_down(g);
    move_down(v);
  }

  int sign = get(f, 0);
  for (int i = 0; i < P; i++) out[i] = (int8_t)(sign * get(v, i));
  wipe(memory, sizeof memory);
  // delta is 0 exactly if f has become a constant; |delta| < 2^11.
  return (delta | -delta) >> 31;
}
