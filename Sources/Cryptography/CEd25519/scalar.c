#include "CEd25519.h"

// The path for processors without the vector unit, in plain C: checking only. Signing would have to be constant-time,
// and there the library is as fast.

#define SIMPLEX_ED25519_SCALAR
#define PATH(function) simplex_ed25519_scalar_##function

#include "checking.h"
