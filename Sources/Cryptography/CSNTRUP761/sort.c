// Sorting by a fixed network: Batcher's merge exchange (Knuth, The Art of Computer Programming, vol. 3, algorithm
// 5.2.2M).
#include "CSNTRUP761.h"
#include "internal.h"

#define KEYS 8 // in a vector

typedef uint32_t keys_vec __attribute__((vector_size(4 * KEYS), aligned(4), may_alias));

// Puts keys i and i + distance in order, for every i below PADDED - distance with i & p = r.
INLINE void pass(uint32_t keys[PADDED], int p, int r, int distance) {
  if (distance < KEYS) {
    for (int i = 0; i < PADDED - distance; i++) {
      if ((i & p) != r) continue;
      uint32_t a = keys[i], b = keys[i + distance];
      uint32_t exchange = (a ^ b) & -(uint32_t)(b < a);
      keys[i] = a ^ exchange;
      keys[i + distance] = b ^ exchange;
    }
    return;
  }
  // Which keys of a vector take part: for p < KEYS some of each, else all or none.
  keys_vec active = {0, 1, 2, 3, 4, 5, 6, 7};
  active = p < KEYS ? (keys_vec)((active & (uint32_t)p) == (uint32_t)r) : ~(keys_vec){0};
  for (int i = 0; i < PADDED - distance; i += KEYS) {
    if (p >= KEYS && (i & p) != r) continue;
    keys_vec a = *(keys_vec *)(keys + i), b = *(keys_vec *)(keys + i + distance);
    keys_vec exchange = (a ^ b) & active & (keys_vec)(b < a);
    *(keys_vec *)(keys + i) = a ^ exchange;
    *(keys_vec *)(keys + i + distance) = b ^ exchange;
  }
}

DISPATCHED void sntrup761_sort(uint32_t keys[P]) {
  uint32_t padded[PADDED + KEYS];
  memset(padded, 0xff, sizeof padded);
  memcpy(padded, keys, P * sizeof *keys);
  for (int p = 512; p > 0; p /= 2) {
    pass(padded, p, 0, p);
    for (int q = 512; q > p; q /= 2) pass(padded, p, p, q - p);
  }
  memcpy(keys, padded, P * sizeof *keys);
  wipe(padded, sizeof padded);
}
