// GNU libmicrohttpd, and what Swift cannot import of it: a function with a variable number of arguments.
#ifndef STOREHUB_CMICROHTTPD_SHIM_H
#define STOREHUB_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

// A server on a listening socket, which it then owns. It has no thread: whoever polls its descriptor runs it.
static inline struct MHD_Daemon *_Nullable cmhd_start(
    int listening, MHD_AccessHandlerCallback _Nonnull handler, void *_Nullable context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, handler, context, MHD_OPTION_LISTEN_SOCKET, listening,
        MHD_OPTION_CONNECTION_LIMIT, 16u, MHD_OPTION_CONNECTION_TIMEOUT, 5u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)32768, MHD_OPTION_END);
}

static inline int cmhd_descriptor(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// Answers a request with a copy of some text.
static inline enum MHD_Result cmhd_answer(
    struct MHD_Connection *_Nonnull connection, unsigned status, const void *_Nullable body, size_t count) {
    struct MHD_Response *response = MHD_create_response_from_buffer(count, (void *)body, MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

// The milliseconds until it must run without anything to read; -1 for never.
static inline int cmhd_timeout(struct MHD_Daemon *_Nonnull daemon) {
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    return MHD_get_timeout(daemon, &timeout) == MHD_YES ? (timeout > 60000 ? 60000 : (int)timeout) : -1;
}

#endif
