#include "COpenSSLSetup.h"
#include <openssl/crypto.h>

// OpenSSL takes itself down when the process calls exit(), while event loops and tasks may still use it: a program that
// ends, or a host of the C library, could then crash. The first use of OpenSSL decides whether it does, so this comes
// before all others; the system takes the memory back anyway.
__attribute__((constructor)) static void keep_openssl_until_the_end(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
