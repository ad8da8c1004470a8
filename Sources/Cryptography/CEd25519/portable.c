#include "CEd25519.h"

// The vector path with a vector unit of plain C. Programs use the scalar path, and the library for signing, which are
// faster; tests and scripts/check-constant-time use this path, on every processor with numbers of 128 bits.

// How vectors are passed does not matter: all functions with them are part of their callers.
#pragma clang diagnostic ignored "-Wpsabi"

#define SIMPLEX_ED25519_PORTABLE
#define PATH(function) simplex_ed25519_portable_##function

#include "checking.h"
#include "signing.h"

_Static_assert(sizeof(fe4) == SIMPLEX_ED25519_POINT_SIZE, "the size of a point in tables");
_Static_assert(byte_count * multiples == SIMPLEX_ED25519_MULTIPLES, "the number of multiples for signing");

size_t simplex_ed25519_table_size(int width) {
  return (size_t)SIMPLEX_ED25519_POINT_SIZE * SIMPLEX_ED25519_PARTS << (width - 2);
}

size_t simplex_ed25519_multiples_size(void) { return SIMPLEX_ED25519_POINT_SIZE * SIMPLEX_ED25519_MULTIPLES; }
