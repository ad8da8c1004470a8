// Shared by the kernels: vectors of coefficients, arithmetic modulo q, dispatch on the processor, wiping.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define P 761
#define Q 4591
#define Q_INVERSE 15631 // 1/q mod 2^16
#define PADDED 768      // p, rounded up to whole vectors
#define LANES 16

#define INLINE static inline __attribute__((always_inline))

// Compiles a function twice, for any x86-64 and for AVX2, and selects one at load time. It needs an indirect function,
// which only glibc has, and which a sanitizer's own startup does not survive. Elsewhere the baseline (SSE2, NEON) is
// used.
#if defined(__x86_64__) && defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define DISPATCHED __attribute__((target_clones("avx2", "default")))
#else
#define DISPATCHED
#endif

// Sixteen coefficients; the compiler splits them where registers are shorter.
typedef int16_t vec __attribute__((vector_size(2 * LANES), aligned(2), may_alias));
typedef int32_t wide __attribute__((vector_size(4 * LANES)));

// Macros, because a function may not take or return a vector wider than the baseline's registers.
#define WIDEN(a) __builtin_convertvector(a, wide)
#define HIGH_HALF(a, b) __builtin_convertvector((WIDEN(a) * WIDEN(b)) >> 16, vec)
#define FILL(x) ((vec){0} + (int16_t)(x))

// A multiplier and itself times 1/q mod 2^16.
typedef struct {
  vec value, scaled;
} factor;

#define FACTOR(x) ((factor){FILL(x), FILL((x) * Q_INVERSE)})

// Montgomery product a * f / 2^16 mod q, of absolute value at most |a * f| / 2^16 + q/2 + 1.
#define TIMES(a, f) (HIGH_HALF(a, (f).value) - HIGH_HALF((a) * (f).scaled, FILL(Q)))

// Makes the compiler load factors again where they are used. Hoisted out of a loop they would arrive there already
// widened, and SSE2 would multiply 32-bit lanes piecemeal instead of taking the high half of a 16-bit product in one
// instruction.
#define RELOAD(factors) __asm__("" : "+m"(factors))

// x mod q, centred.
// x
//  < 2^24. The first estimate of x/q is off by at most 8, the second is exact.
INLINE int32_t freeze(int32_t x) {
  x -= Q * ((57 * x) >> 18);
  return x - Q * ((29235 * x + (1 << 26)) >> 27);
}

// Clears memory; the barrier keeps the compiler from dropping the store as dead.
INLINE void wipe(void *memory, size_t size) {
  memset(memory, 0, size);
  __asm__ volatile("" : : "r"(memory) : "memory");
}
