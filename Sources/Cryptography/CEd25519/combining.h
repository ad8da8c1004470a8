#ifndef SIMPLEX_ED25519_COMBINING_H
#define SIMPLEX_ED25519_COMBINING_H

#ifdef SIMPLEX_ED25519_SCALAR
#include "scalar.h"
#else
#include "points.h"
#endif

// Sums of multiples of two points by public scalars.
//
// A scalar is split into parts of a few bits each; the table has multiples of the point, of 2^part_bits times the
// point, and so on, so that `part_bits` doublings suffice. Each part is written as odd digits with zeros between them.
enum {
  parts = SIMPLEX_ED25519_PARTS,
  part_bits = 256 / parts,
  // A carry may go beyond the last bit.
  places = part_bits + 1,
};

// The terms to be added, in the order of their positions.
typedef struct {
  const fe4 *entry;
  uint64_t sign;
} term;

typedef struct {
  uint8_t counts[places];
  // One of each part of both scalars, and one to make the number even.
  term terms[places][2 * parts + 1];
} term_lists;

// The number of entries of a table for each part: the odd multiples below 2^(width - 1).
static inline int entry_count(int width) { return 1 << (width - 2); }

// Fills a table.
static inline void fill(fe4 *table, int width, fe4 point) {
  int count = entry_count(width);
  fe4 odd[parts];
  for (int part = 0; part < parts; part++) {
    odd[part] = point;
    for (int i = 0; i < part_bits && part < parts - 1; i++) twice(&point, 1);
  }
  for (int part = 0; part < parts; part += 2) {
    fe4 *p = odd + part, *low = table + part * count, *high = low + count, step[2] = {p[0], p[1]};
    twice(step, 2);
    for (int i = 0; i < 2; i++) step[i] = table_form(step[i]);
    for (int i = 0;; i++) {
      low[i] = table_form(p[0]);
      high[i] = table_form(p[1]);
      if (i == count - 1) break;
      add(p, step, 2);
    }
  }
}

// Appends the terms of the multiple by a scalar, negated where `sign` has all bits set.
static inline void append(term_lists *lists, const fe4 *table, int width, const uint8_t scalar[32], uint64_t sign) {
  for (int part = 0; part < parts; part++, table += entry_count(width)) {
    uint64_t rest = load64(scalar + 8 * (part * part_bits / 64)) >> (part * part_bits % 64);
    rest &= ((uint64_t)1 << part_bits) - 1;
    for (int place = 0; rest != 0; place++, rest >>= 1) {
      int zeros = __builtin_ctzll(rest);
      rest >>= zeros;
      place += zeros;
      // Odd, and below 2^(width - 1) with its sign; the remainder has at least width - 1 zeros.
      int64_t digit = (int64_t)(rest & ((1u << width) - 1));
      digit -= (digit >> (width - 1)) << width;
      rest -= (uint64_t)digit;
      uint64_t digit_sign = (uint64_t)(digit >> 63);
      uint64_t size = ((uint64_t)digit ^ digit_sign) - digit_sign;
      lists->terms[place][lists->counts[place]++] = (term){table + size / 2, digit_sign ^ sign};
    }
  }
}

// The sum of all terms.
static inline fe4 combine(term_lists *lists) {
  // As many sums as the processor can add to while other additions are in flight.
  fe4 p[sum_count], q[sum_count];
  for (int j = 0; j < sum_count; j++) p[j] = zero_point;
  for (int place = places - 1; place >= 0; place--) {
    if (place < places - 1) twice(p, sum_count);
    term *terms = lists->terms[place];
    int count = lists->counts[place];
    terms[count] = (term){&zero_entry, 0};
    for (int i = 0; i < count; i += sum_count) {
      for (int j = 0; j < sum_count; j++) q[j] = negative_where(*terms[i + j].entry, terms[i + j].sign);
      add(p, q, sum_count);
    }
  }
  for (int j = 1; j < sum_count; j++) {
    q[0] = table_form(p[j]);
    add(p, q, 1);
  }
  return p[0];
}

#endif
