#include "CSalsa20.h"

#include <string.h>

#if defined(__x86_64__) && defined(__clang__)

// Each vector holds one word of the state of 16 blocks.
typedef uint32_t words __attribute__((vector_size(64)));

enum { group_size = 16 * 64 };

#define AVX512 __attribute__((target("avx512f"), always_inline)) static inline

#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define QUARTER(a, b, c, d) \
  b ^= ROTATE(a + d, 7);    \
  c ^= ROTATE(b + a, 9);    \
  d ^= ROTATE(c + b, 13);   \
  a ^= ROTATE(d + c, 18);

#define LOW32(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH32(a, b) \
  __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW64(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH64(a, b) \
  __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
// Quarters of 128 bits: both low, both high, the even and the odd ones of two vectors.
#define LOW128(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define HIGH128(a, b) \
  __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#define EVEN128(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD128(a, b) \
  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)

AVX512 uint32_t load32(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, 4);
  return word;
}

// In a way that the compiler does not leave out although nobody looks at the memory again.
AVX512 void wipe(void *memory, size_t count) {
  memset(memory, 0, count);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

AVX512 void xor_block(uint8_t *output, const uint8_t *input, words stream) {
  words text;
  memcpy(&text, input, 64);
  text ^= stream;
  memcpy(output, &text, 64);
}

// Four blocks, `first`, `first + 4`, `first + 8` and `first + 12`, of which each vector has a quarter.
AVX512 void xor_blocks(uint8_t *output, const uint8_t *input, size_t first, words a, words b, words c, words d) {
  words low_ab = LOW128(a, b), low_cd = LOW128(c, d), high_ab = HIGH128(a, b), high_cd = HIGH128(c, d);
  output += 64 * first;
  input += 64 * first;
  xor_block(output, input, EVEN128(low_ab, low_cd));
  xor_block(output + 256, input + 256, ODD128(low_ab, low_cd));
  xor_block(output + 512, input + 512, EVEN128(high_ab, high_cd));
  xor_block(output + 768, input + 768, ODD128(high_ab, high_cd));
}

__attribute__((target("avx512f"))) static void xor_group(
    uint8_t *output, const uint8_t *input, const words state[16]) {
  words x[16];
  for (int i = 0; i < 16; i++) x[i] = state[i];
  for (int round = 0; round < 20; round += 2) {
    QUARTER(x[0], x[4], x[8], x[12])
    QUARTER(x[5], x[9], x[13], x[1])
    QUARTER(x[10], x[14], x[2], x[6])
    QUARTER(x[15], x[3], x[7], x[11])
    QUARTER(x[0], x[1], x[2], x[3])
    QUARTER(x[5], x[6], x[7], x[4])
    QUARTER(x[10], x[11], x[8], x[9])
    QUARTER(x[15], x[12], x[13], x[14])
  }
  // From one word of 16 blocks to four words of four blocks in each vector.
  for (int i = 0; i < 16; i += 4) {
    words a = x[i] + state[i], b = x[i + 1] + state[i + 1], c = x[i + 2] + state[i + 2], d = x[i + 3] + state[i + 3];
    words low_ab = LOW32(a, b), low_cd = LOW32(c, d), high_ab = HIGH32(a, b), high_cd = HIGH32(c, d);
    x[i] = LOW64(low_ab, low_cd);
    x[i + 1] = HIGH64(low_ab, low_cd);
    x[i + 2] = LOW64(high_ab, high_cd);
    x[i + 3] = HIGH64(high_ab, high_cd);
  }
  for (size_t i = 0; i < 4; i++) xor_blocks(output, input, i, x[i], x[i + 4], x[i + 8], x[i + 12]);
}

__attribute__((target("avx512f"))) static void xor_text(
    uint8_t *output, const uint8_t *input, size_t count, const uint8_t nonce[8], uint64_t block,
    const uint8_t key[32]) {
  static const char constant[] = "expand 32-byte k";
  static const words lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  words state[16];
  for (int i = 0; i < 4; i++) {
    state[5 * i] = (words){} + load32((const uint8_t *)constant + 4 * i);
    state[1 + i] = (words){} + load32(key + 4 * i);
    state[11 + i] = (words){} + load32(key + 16 + 4 * i);
  }
  state[6] = (words){} + load32(nonce);
  state[7] = (words){} + load32(nonce + 4);
  uint8_t last[group_size];
  while (count > 0) {
    state[8] = lane_numbers + (uint32_t)block;
    // A carry into the upper half of the number is -1 in its lane.
    state[9] = (words){} + (uint32_t)(block >> 32) - (words)(state[8] < (uint32_t)block);
    block += 16;
    if (count < group_size) {
      memcpy(last, input, count);
      xor_group(last, last, state);
      memcpy(output, last, count);
      wipe(last, sizeof last);
      break;
    }
    xor_group(output, input, state);
    output += group_size;
    input += group_size;
    count -= group_size;
  }
  wipe(state, sizeof state);
}

int simplex_salsa20_xor(
    uint8_t *output, const uint8_t *input, size_t count, const uint8_t nonce[8], uint64_t block,
    const uint8_t key[32]) {
  if (!__builtin_cpu_supports("avx512f")) return 0;
  xor_text(output, input, count, nonce, block, key);
  return 1;
}

#else

int simplex_salsa20_xor(
    uint8_t *output, const uint8_t *input, size_t count, const uint8_t nonce[8], uint64_t block,
    const uint8_t key[32]) {
  (void)output, (void)input, (void)count, (void)nonce, (void)block, (void)key;
  return 0;
}

#endif
