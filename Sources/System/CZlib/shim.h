#pragma once
#include <zlib.h>

// The functions that begin a stream are macros in zlib.h, which Swift does not import. Both streams have no header of
// their own, as archives require.
static inline int simplex_deflate_init(z_stream *stream) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

static inline int simplex_inflate_init(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }
