// Multiplication in R/q by number-theoretic transform over F_q itself.
//
// q - 1 = 4590 = 2 * 27 * 85, so F_q has roots of unity of order 54. A polynomial in x is cut into blocks of 29
// coefficients and read as a polynomial in y = x^29 whose coefficients are blocks. A product has degree 1520 < 54 * 29,
// so it can be had modulo y^54 - 1: transform both operands, multiply block by block, transform back. Vectors run along
// a block, so that all their lanes share one multiplier.
#include "CSNTRUP761.h"
#include "internal.h"

#define BLOCK 29
#define POINTS 54
#define WIDTH 32         // lanes of a block
#define PRODUCT_WIDTH 64 // lanes of a product of two blocks

#define ONE 1262        // 2^16 mod q: multiplying by it only reduces
#define INVERSE_SIZE 77 // 2^32 / 54 mod q: undoes a Montgomery product and divides by the size of the transform

// roots[i] = w^i * 2^16 mod q for w = 634, an element of order 54.
static const int16_t roots[POINTS] = {
    1262,  1274,  -300, -1969, 406,  308,  -2141, 1542, -255,  -985,  -114,  1180,  -213, -1903,
    931,   -1985, -556, 1003,  -2247, -1388, 1480, 1756, 2282,  623,   156,   -2098, 1258,
    -1262, -1274, 300,  1969,  -406, -308, 2141,  -1542, 255,  985,   114,   -1180, 213,  1903,
    -931,  1985,  556,  -1003, 2247, 1388, -1480, -1756, -2282, -623, -156,  2098,  -1258,
};

// One node of the transform: reduces modulo y^size - w^e to the moduli y^part - w^(e_j), j < radix, where part = size /
// radix and e_j = (e + 54 j) / radix.
INLINE void split(int16_t *rows, int width, int radix, int part, int e) {
  factor factors[3][3];
  for (int j = 0; j < radix; j++)
    for (int k = 1; k < radix; k++) {
      int16_t root = roots[k * ((e + POINTS * j) / radix) % POINTS];
      factors[j][k] = FACTOR(root);
    }
  int stride = part * width;
  for (int i = 0; i < stride; i += LANES) {
    RELOAD(factors);
    vec in[3];
    for (int k = 0; k < radix; k++) in[k] = *(vec *)(rows + i + k * stride);
    for (int j = 0; j < radix; j++) {
      vec sum = in[0];
      for (int k = 1; k < radix; k++) sum += TIMES(in[k], factors[j][k]);
      *(vec *)(rows + i + j * stride) = sum;
    }
  }
}

// Evaluates at all 54 roots: row t of the result is the value at w^exponents[t].
//
// Nothing is reduced on the way: a step adds at most radix - 1 Montgomery products to a coefficient. From 2295 the
// bound goes to 7049, 12137, 17581, 20494; from 10664 (see multiply_blocks) to 16006, 21722, 27838, 31110 < 2^15.
INLINE void transform(int16_t *rows, int width, uint8_t exponents[POINTS]) {
  static const int radices[] = {3, 3, 3, 2};
  exponents[0] = 0;
  for (int level = 0, size = POINTS; level < 4; level++) {
    int radix = radices[level], part = size / radix;
    for (int start = 0; start < POINTS; start += size) {
      int e = exponents[start];
      if (radix == 3)
        split(rows + start * width, width, 3, part, e);
      else
        split(rows + start * width, width, 2, part, e);
      for (int j = 0; j < radix; j++) exponents[start + j * part] = (uint8_t)((e + POINTS * j) / radix);
    }
    size = part;
  }
}

// out = a * b / 54. Eight products, of at most 2393 each, are added before the sum is reduced to at most 2666; a
// coefficient of the result is the sum of at most four of these: 10664.
INLINE void multiply_blocks(int16_t out[PRODUCT_WIDTH], const int16_t a[WIDTH], const int16_t b[WIDTH]) {
  int16_t reduced_a[WIDTH], padded_b[WIDTH + WIDTH + LANES] = {0};
  vec *sums = (vec *)out;
  for (int i = 0; i < WIDTH; i += LANES) {
    *(vec *)(reduced_a + i) = TIMES(*(vec *)(a + i), FACTOR(ONE));
    *(vec *)(padded_b + WIDTH + i) = TIMES(*(vec *)(b + i), FACTOR(INVERSE_SIZE));
  }
  memset(out, 0, PRODUCT_WIDTH * sizeof *out);
  for (int group = 0; group < WIDTH; group += 8) {
    int first = group / LANES; // of the three vectors that a[group...group + 7] * b can reach
    vec partial[3] = {{0}, {0}, {0}};
    for (int i = group; i < group + 8; i++) {
      factor multiplier = FACTOR(reduced_a[i]);
      for (int v = 0; v < 3; v++) partial[v] += TIMES(*(vec *)(padded_b + WIDTH + (first + v) * LANES - i), multiplier);
    }
    for (int v = 0; v < 3; v++) sums[first + v] += TIMES(partial[v], FACTOR(ONE));
  }
}

// Cuts a polynomial into rows of blocks; the rows above it stay zero.
#define LOAD(rows, polynomial) \
  for (int i = 0; i < P; i++) (rows)[i / BLOCK * WIDTH + i % BLOCK] = (polynomial)[i]

DISPATCHED void sntrup761_rq_multiply(int16_t out[P], const int16_t a[P], const int8_t b[P]) {
  int16_t rows_a[POINTS * WIDTH] = {0}, rows_b[POINTS * WIDTH] = {0}, product[POINTS * PRODUCT_WIDTH];
  uint8_t exponents[POINTS];
  LOAD(rows_a, a);
  LOAD(rows_b, b);
  transform(rows_a, WIDTH, exponents);
  transform(rows_b, WIDTH, exponents);
  for (int t = 0; t < POINTS; t++)
    multiply_blocks(product + exponents[t] * PRODUCT_WIDTH, rows_a + t * WIDTH, rows_b + t * WIDTH);
  // The inverse transform is the transform with w^-1 for w: row t now belongs at -exponents[t].
  transform(product, PRODUCT_WIDTH, exponents);

  int32_t sums[POINTS * BLOCK + PRODUCT_WIDTH] = {0};
  for (int t = 0; t < POINTS; t++) {
    int32_t *target = sums + (POINTS - exponents[t]) % POINTS * BLOCK;
    for (int i = 0; i < PRODUCT_WIDTH; i++) target[i] += product[t * PRODUCT_WIDTH + i];
  }
  // x^(p + i) = x^(i + 1) + x^i
  out[0] = (int16_t)freeze(sums[0] + sums[P]);
  for (int i = 1; i < P; i++) out[i] = (int16_t)freeze(sums[i] + sums[P + i] + sums[P + i - 1]);

  wipe(rows_a, sizeof rows_a);
  wipe(rows_b, sizeof rows_b);
  wipe(product, sizeof product);
  wipe(sums, sizeof sums);
}
