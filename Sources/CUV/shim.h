// What Swift cannot import of libuv, libdispatch and socket(7): struct ucred, and the two functions by which libdispatch lets another loop drain the main queue (its own CoreFoundation uses them).
#ifndef STOREHUB_CUV_SHIM_H
#define STOREHUB_CUV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <uv.h>

int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *_Nullable message);

// struct ucred needs _GNU_SOURCE, which a header cannot turn on after the first system header.
struct cuv_credentials {
    int32_t process;
    uint32_t user;
    uint32_t group;
};

#ifndef SO_PEERCRED
#define SO_PEERCRED 17
#endif

static inline int cuv_peer_credentials(int descriptor, struct cuv_credentials *_Nonnull credentials) {
    socklen_t length = sizeof *credentials;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, &length) ? -errno : 0;
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

// The supplementary groups of the peer when it connected; returns their number, or a negative errno.
// With -ERANGE, `capacity` is too small.
static inline int cuv_peer_groups(int descriptor, uint32_t *_Nonnull groups, int capacity) {
    socklen_t length = (socklen_t)capacity * sizeof *groups;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length)) return -errno;
    return (int)(length / sizeof *groups);
}

// accept4(2) is declared only with _GNU_SOURCE.
int accept4(int descriptor, struct sockaddr *_Nullable address, socklen_t *_Nullable length, int flags);
static inline int cuv_accept(int descriptor) {
    return accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Stores a byte before any later access to memory that the compiler could move in front of it.
static inline void cuv_store(uint8_t *_Nonnull byte, uint8_t value) {
    __atomic_store_n(byte, value, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// A timer of a clock as a descriptor; returns a negative errno on failure.
static inline int cuv_timer_create(clockid_t clock) {
    int descriptor = timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

// Makes the timer readable from a time of its clock in nanoseconds on; 0 disarms it. A new setting makes it unreadable.
static inline void cuv_timer_set(int descriptor, uint64_t time) {
    struct itimerspec setting = {.it_value = {time / 1000000000, time % 1000000000}};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &setting, NULL);
}

// fcntl(2) takes a variable number of arguments.
static inline int cuv_make_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

#endif
