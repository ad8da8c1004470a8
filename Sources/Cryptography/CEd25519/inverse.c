#include "CEd25519.h"

#include "inverse.h"

// The functions of inverse.h for any processor: so they are tested everywhere.
void simplex_ed25519_invert(uint8_t inverse[32], const uint8_t number[32]) {
  fe value;
  fe_decode(value, number);
  fe_invert_public(value, value);
  fe_encode(inverse, value);
}
