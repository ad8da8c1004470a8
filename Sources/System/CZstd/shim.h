#pragma once
#include <zstd.h>

// The two values that mean "no size" are function-like macros, which Swift does not import: both become all ones.
static inline unsigned long long simplex_zstd_content_size(const void *frame, size_t count) {
  unsigned long long size = ZSTD_getFrameContentSize(frame, count);
  return size == ZSTD_CONTENTSIZE_ERROR ? ZSTD_CONTENTSIZE_UNKNOWN : size;
}
