#pragma once
#include <stddef.h>
#include <stdint.h>

// Encrypts or decrypts with Salsa20 (20 rounds) as much of `input` as comes in groups of 16 blocks of 64 bytes, from
// block number `block` of the key stream on. `output` may be the same memory.
//
// Returns how many bytes were done, a multiple of 1,024: all whole groups on processors with AVX-512, none on others.
// Time depends on `count` alone.
size_t simplex_salsa20_xor_groups(
    uint8_t *output, const uint8_t *input, size_t count, const uint8_t nonce[8], uint64_t block,
    const uint8_t key[32]);
