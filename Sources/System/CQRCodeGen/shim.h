#pragma once
#include <qrcodegen/qrcodegen.h>

// The sizes of the library's buffers are macros with a parameter, which Swift does not import.
static inline int simplex_qrcode_buffer_size(void) { return qrcodegen_BUFFER_LEN_MAX; }
