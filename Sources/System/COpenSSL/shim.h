// The interface of OpenSSL 3 for Swift. Function-like macros are not imported: wrap them here as static inline
// functions.
#pragma once
#include <openssl/evp.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// SHA-512 with its state in memory of the caller. OpenSSL marks these functions deprecated in favour of EVP, whose
// state cannot be copied without an allocation; key derivation by HMAC is more than twice as fast with them.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline void simplex_sha512_init(SHA512_CTX *state) { SHA512_Init(state); }
static inline void simplex_sha512_update(SHA512_CTX *state, const void *bytes, size_t count) {
  SHA512_Update(state, bytes, count);
}
static inline void simplex_sha512_final(SHA512_CTX *state, unsigned char *digest) { SHA512_Final(digest, state); }
#pragma clang diagnostic pop

// Creates a key object from both halves of a key pair, without computing one from the other; null if OpenSSL refuses.
static inline EVP_PKEY *simplex_evp_pkey_of_pair(
    const char *algorithm, const unsigned char *private_key, const unsigned char *public_key, size_t size) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, algorithm, NULL);
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)private_key, size),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)public_key, size),
      OSSL_PARAM_construct_end()};
  if (context != NULL && EVP_PKEY_fromdata_init(context) == 1) {
    EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters);
  }
  EVP_PKEY_CTX_free(context);
  return key;
}
