// GNU libmicrohttpd, and what Swift cannot import of it: a function with a variable number of arguments.
#ifndef STOREHUB_CMICROHTTPD_SHIM_H
#define STOREHUB_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>

// A server on a listening socket, which it then owns. It has no thread: whoever polls its descriptor runs it.
static inline struct MHD_Daemon *_Nullable cmhd_start(
    int listening, unsigned connections, unsigned seconds, size_t memory, MHD_AccessHandlerCallback _Nonnull handler,
    MHD_RequestCompletedCallback _Nonnull completed, void *_Nullable context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context, MHD_OPTION_LISTEN_SOCKET, listening,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_END);
}

// Sets a connection's timeout for silence. Without memory for it, the server's timeout remains.
static inline void cmhd_set_timeout(struct MHD_Connection *_Nonnull connection, unsigned seconds) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

static inline int cmhd_descriptor(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

static inline unsigned cmhd_connections(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info ? info->num_connections : 0;
}

// True if its descriptor has events.
static inline bool cmhd_is_readable(struct MHD_Daemon *_Nonnull daemon) {
    struct pollfd descriptor = {.fd = cmhd_descriptor(daemon), .events = POLLIN};
    return poll(&descriptor, 1, 0) > 0;
}

// The milliseconds until it must run without anything to read; -1 for never.
static inline int cmhd_timeout(struct MHD_Daemon *_Nonnull daemon) {
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    return MHD_get_timeout(daemon, &timeout) == MHD_YES ? (timeout > 60000 ? 60000 : (int)timeout) : -1;
}

#endif
