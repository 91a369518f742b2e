// OpenSSL's TLS, and what Swift cannot import of it: macros, and functions that take casted pointers.
#ifndef STOREHUB_COPENSSL_SHIM_H
#define STOREHUB_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

static inline int copenssl_require_tls12(SSL_CTX *_Nonnull context) {
    return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

// Without renegotiation a write never waits for the peer. Buffers of idle connections are freed, and the buffer of a
// repeated write may have moved.
static inline void copenssl_set_modes(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_ENABLE_PARTIAL_WRITE);
}

// An encrypted key is an error; the default would ask for its passphrase on the terminal.
static inline int copenssl_no_passphrase(char *_Nullable buffer, int size, int writes, void *_Nullable context) {
    (void)buffer, (void)size, (void)writes, (void)context;
    return 0;
}

static inline void copenssl_refuse_encrypted_keys(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_default_passwd_cb(context, copenssl_no_passphrase);
}

// The server's choice: the protocol that the context's data names, in the form of ALPN, or none.
static inline int copenssl_select_protocol(SSL *_Nonnull session, const unsigned char *_Nullable *_Nonnull chosen,
                                           unsigned char *_Nonnull length, const unsigned char *_Nonnull offered,
                                           unsigned int count, void *_Nonnull protocol) {
    (void)session;
    const unsigned char *own = (const unsigned char *)protocol;
    for (unsigned int i = 0; i + 1 <= count && i + 1 + offered[i] <= count; i += offered[i] + 1u)
        if (offered[i] == own[0] && !memcmp(offered + i + 1, own + 1, own[0])) {
            *chosen = offered + i + 1;
            *length = offered[i];
            return SSL_TLSEXT_ERR_OK;
        }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// The protocol must outlive the context.
static inline void copenssl_serve_protocol(SSL_CTX *_Nonnull context, const unsigned char *_Nonnull protocol) {
    SSL_CTX_set_alpn_select_cb(context, copenssl_select_protocol, (void *)protocol);
}

static inline int copenssl_set_server_name(SSL *_Nonnull session, const char *_Nonnull name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline size_t copenssl_pending(BIO *_Nonnull bio) { return BIO_ctrl_pending(bio); }

// A memory BIO that is empty says so, and does not report an end.
static inline BIO *_Nullable copenssl_memory(void) {
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio) BIO_set_mem_eof_return(bio, -1);
    return bio;
}

// The end of a certificate's validity in seconds since 1970; -1 if it cannot be read.
static inline int64_t copenssl_not_after(const X509 *_Nonnull certificate) {
    struct tm time;
    memset(&time, 0, sizeof time);
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return -1;
    return (int64_t)timegm(&time);
}

static inline int copenssl_error_is_verification(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED;
}

#endif
