// libwebsockets, and what Swift cannot import of it: macros, and structures that must be zeroed and filled in C.
#ifndef STOREHUB_CWEBSOCKETS_SHIM_H
#define STOREHUB_CWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <string.h>

// The bytes that must be free before those that are sent.
static const size_t cws_headroom = LWS_PRE;

struct cws_settings {
    // The libuv loop, on which everything runs.
    void *_Nullable loop;
    lws_callback_function *_Nullable callback;
    // It must outlive the server.
    const char *_Nullable subprotocol;
    // In PEM; without them there is no TLS.
    const char *_Nullable certificate;
    const char *_Nullable key;
    unsigned connections;
    unsigned header_bytes;
    unsigned header_seconds;
    unsigned ping_seconds;
    unsigned buffer_bytes;
};

// The memory that libwebsockets refers to. It must not move.
struct cws_server {
    struct lws_context *_Nullable context;
    struct lws_vhost *_Nullable vhost;
    struct lws_protocols protocols[3];
    lws_retry_bo_t retry;
    void *_Nullable loops[1];
};

// Starts a server that does not listen: its owner gives it connections. It installs no handlers of signals, and speaks
// HTTP/1.1 only, because a WebSocket in HTTP/2 shares its connection with others.
static inline bool cws_start(struct cws_server *_Nonnull server, const struct cws_settings *_Nonnull settings) {
    memset(server, 0, sizeof *server);
    server->loops[0] = settings->loop;
    // A peer that has sent nothing since the last ping gets another one, and is closed if it does not answer that.
    server->retry.secs_since_valid_ping = (uint16_t)settings->ping_seconds;
    server->retry.secs_since_valid_hangup = (uint16_t)(settings->ping_seconds * 2);
    // Requests without WebSockets are the first protocol's.
    server->protocols[0].name = "http";
    server->protocols[0].callback = settings->callback;
    server->protocols[1].name = settings->subprotocol;
    server->protocols[1].callback = settings->callback;
    server->protocols[1].rx_buffer_size = settings->buffer_bytes;

    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    info.foreign_loops = server->loops;
    info.retry_and_idle_policy = &server->retry;
    info.uid = info.gid = -1;
    info.timeout_secs = settings->header_seconds;
    info.pt_serv_buf_size = settings->buffer_bytes;
    info.max_http_header_data = (unsigned short)settings->header_bytes;
    info.max_http_header_pool = (unsigned short)settings->connections;
    server->context = lws_create_context(&info);
    if (!server->context) return false;

    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.protocols = server->protocols;
    info.vhost_name = "gateway";
    info.alpn = "http/1.1";
    info.retry_and_idle_policy = &server->retry;
    info.keepalive_timeout = (int)settings->header_seconds;
    info.timeout_secs_ah_idle = settings->header_seconds;
    if (settings->certificate) {
        info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = settings->certificate;
        info.ssl_private_key_filepath = settings->key;
        info.ssl_options_set = SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_RENEGOTIATION;
    }
    server->vhost = lws_create_vhost(server->context, &info);
    return server->vhost != NULL;
}

// Closes a connection in a later turn of the loop, without another byte.
static inline void cws_abort(struct lws *_Nonnull connection) {
    lws_set_timeout(connection, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

// Sends the close frame of lws_close_reason, and ends the connection after the peer's. A callback that returns a failure
// instead, when the connection is writable, would end it without the frame.
static inline void cws_close(struct lws *_Nonnull connection) {
    lws_set_timeout(connection, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}

// Closes a connection if it still exists after a time.
static inline void cws_limit(struct lws *_Nonnull connection, int seconds) {
    lws_set_timeout(connection, PENDING_TIMEOUT_CLOSE_SEND, seconds);
}

#endif
