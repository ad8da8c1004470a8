// The function-like macros of libssl and X.509 that the transport uses.
#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline int simplex_SSL_CTX_only_TLS13(SSL_CTX *ctx) {
  return SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) == 1 && SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1;
}

static inline int simplex_SSL_CTX_from_TLS12(SSL_CTX *ctx) {
  return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1 && SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1;
}

static inline int simplex_SSL_CTX_set_groups(SSL_CTX *ctx, const char *list) { return (int)SSL_CTX_set1_groups_list(ctx, list); }

static inline int simplex_SSL_CTX_set_sigalgs(SSL_CTX *ctx, const char *list) { return (int)SSL_CTX_set1_sigalgs_list(ctx, list); }

// No resumption of any kind, no renegotiation, and no idle buffers.
static inline void simplex_SSL_CTX_set_stateless(SSL_CTX *ctx) {
  SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(ctx, 0);
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

// The context takes its own reference to the certificate.
static inline int simplex_SSL_CTX_add_chain_certificate(SSL_CTX *ctx, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(ctx, certificate);
}

static inline int simplex_SSL_set_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

static inline void simplex_BIO_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void simplex_BIO_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline void simplex_SSL_CTX_set_server_name_callback(SSL_CTX *ctx, int (*callback)(SSL *, int *, void *), void *argument) {
  SSL_CTX_set_tlsext_servername_callback(ctx, callback);
  SSL_CTX_set_tlsext_servername_arg(ctx, argument);
}
