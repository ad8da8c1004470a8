#pragma once
#include <stddef.h>
#include <stdint.h>

// Encrypts or decrypts `count` bytes with Salsa20 (20 rounds) from block number `block` of the key stream on. `output`
// may be the same memory as `input`. An incomplete group of 16 blocks of 64 bytes takes as long as a complete one.
//
// Returns 1, or 0 where nothing was done: on processors without AVX-512. The time depends on `count` alone.
int simplex_salsa20_xor(
    uint8_t *output, const uint8_t *input, size_t count, const uint8_t nonce[8], uint64_t block,
    const uint8_t key[32]);
