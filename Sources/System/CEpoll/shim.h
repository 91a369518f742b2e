// epoll(7), which the Glibc module does not have, with waits shorter than a millisecond.
#ifndef STOREHUB_CEPOLL_SHIM_H
#define STOREHUB_CEPOLL_SHIM_H

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <time.h>

static inline int cepoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// operation: 1 adds, 2 removes, 3 changes.
static inline int cepoll_change(int set, int operation, int descriptor, int reads, int writes, uint64_t data) {
    struct epoll_event event = {0};
    event.events = (reads ? EPOLLIN : 0u) | (writes ? EPOLLOUT : 0u);
    event.data.u64 = data;
    return epoll_ctl(set, operation, descriptor, &event);
}

static inline int cepoll_wait(int set, struct epoll_event *events, int count, int64_t nanoseconds) {
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int ready = epoll_pwait2(set, events, count, &time, NULL);
    // Kernels before 5.11.
    if (ready < 0 && errno == ENOSYS) ready = epoll_wait(set, events, count, (int)((nanoseconds + 999999) / 1000000));
    return ready;
}

static inline uint64_t cepoll_data(const struct epoll_event *event) { return event->data.u64; }
static inline int cepoll_is_writable(const struct epoll_event *event) { return (event->events & EPOLLOUT) != 0; }
static inline int cepoll_is_readable(const struct epoll_event *event) {
    return (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
}

#endif
