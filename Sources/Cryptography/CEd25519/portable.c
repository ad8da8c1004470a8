#include "CEd25519.h"

// The same functions with a vector unit of plain C. Programs use the library instead, which is faster; tests and
// scripts/check-constant-time use this path, on every processor.

// How vectors are passed does not matter: all functions with them are part of their callers.
#pragma clang diagnostic ignored "-Wpsabi"

#define SIMPLEX_ED25519_PORTABLE
#define PATH(function) simplex_ed25519_portable_##function

#include "checking.h"
#include "signing.h"

size_t simplex_ed25519_table_size(int width) { return sizeof(fe4) * parts * (size_t)entry_count(width); }

size_t simplex_ed25519_multiples_size(void) { return sizeof(fe4) * byte_count * multiples; }
