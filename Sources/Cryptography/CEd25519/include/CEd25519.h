#ifndef SIMPLEX_ED25519_H
#define SIMPLEX_ED25519_H

#include <stddef.h>
#include <stdint.h>

// The group of Ed25519 (RFC 8032), three times, of mostly the same sources: for processors with AVX-512 and its
// multiplication of 52 bits (IFMA) (vector.c); with the prefix `simplex_ed25519_scalar` in plain C (scalar.c), which
// checks only; and with the prefix `simplex_ed25519_portable` as the vector path with a simulated vector unit
// (portable.c), for tests. All functions except those that multiply the base point are for public values only: their
// running time depends on the values.

#if !defined(__SIZEOF_INT128__)
#error "integers of 128 bits are needed, which compilers have for all 64-bit processors"
#endif

// Whether this processor supports the vector path. Its functions may be called only if it does.
int simplex_ed25519_is_supported(void);

// The windows of scalars: a scalar is split into parts, each read in windows of a width. A table has 2^(width - 2)
// points of 160 bytes for each part. More parts need fewer doublings in a check, and wider windows fewer additions.
enum {
  SIMPLEX_ED25519_PARTS = 8,
  SIMPLEX_ED25519_KEY_WIDTH = 4,
  SIMPLEX_ED25519_BASE_WIDTH = 7,
  SIMPLEX_ED25519_POINT_SIZE = 160,
  // Of the base point, for signing.
  SIMPLEX_ED25519_MULTIPLES = 256,
};

// Multiples of a point, from which multiples by any scalar are added up. A table is used by the path that filled it:
// they have the same content in the vector path and the portable one, and another order in the scalar path.
typedef struct simplex_ed25519_table simplex_ed25519_table;

// The number of bytes of a table; it is aligned to 32 bytes.
size_t simplex_ed25519_table_size(int width);

// Fills a table with the multiples of a point. 0 where the bytes do not encode a point, are not its canonical encoding,
// or where the order of the point is 8 or less.
int simplex_ed25519_fill_table(simplex_ed25519_table *table, int width, const uint8_t point[32]);
int simplex_ed25519_portable_fill_table(simplex_ed25519_table *table, int width, const uint8_t point[32]);
int simplex_ed25519_scalar_fill_table(simplex_ed25519_table *table, int width, const uint8_t point[32]);

// Whether a signature (R, s) is valid: `scalar` is in range, and R is the encoding of s B - h K and has an order of
// more than 8. `hash` is h, reduced to less than the order of the group; the tables are those of K and B.
int simplex_ed25519_is_valid(
    const uint8_t point[32], const uint8_t scalar[32], const uint8_t hash[32], const simplex_ed25519_table *key,
    const simplex_ed25519_table *base);
int simplex_ed25519_portable_is_valid(
    const uint8_t point[32], const uint8_t scalar[32], const uint8_t hash[32], const simplex_ed25519_table *key,
    const simplex_ed25519_table *base);
int simplex_ed25519_scalar_is_valid(
    const uint8_t point[32], const uint8_t scalar[32], const uint8_t hash[32], const simplex_ed25519_table *key,
    const simplex_ed25519_table *base);

// The inverse of a number modulo 2^255 - 19, both in 32 bytes; 0 for 0.
void simplex_ed25519_invert(uint8_t inverse[32], const uint8_t number[32]);

// Multiplies the base point by a scalar below 2^253, in constant time and with the same memory accesses for all
// scalars: for signing. The table is that of `simplex_ed25519_fill_multiples`, of `simplex_ed25519_multiples_size`
// bytes, aligned to 32 bytes.
void simplex_ed25519_multiply_base(
    uint8_t point[32], const uint8_t scalar[32], const simplex_ed25519_table *table);
void simplex_ed25519_portable_multiply_base(
    uint8_t point[32], const uint8_t scalar[32], const simplex_ed25519_table *table);
size_t simplex_ed25519_multiples_size(void);
void simplex_ed25519_fill_multiples(simplex_ed25519_table *table);
void simplex_ed25519_portable_fill_multiples(simplex_ed25519_table *table);

#endif
