// libsystemd; memfd_create(2), which is declared only with _GNU_SOURCE; and descriptors in messages of a socket
// (unix(7)), which need the macros of cmsg(3).
#ifndef STOREHUB_CSYSTEMD_SHIM_H
#define STOREHUB_CSYSTEMD_SHIM_H

// Without it the header turns the journal's functions into macros, which Swift cannot import.
#define SD_JOURNAL_SUPPRESS_LOCATION 1

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

int memfd_create(const char *_Nonnull name, unsigned int flags);

// Stores a byte after everything that was stored before.
static inline void csystemd_store(uint8_t *_Nonnull byte, uint8_t value) {
    __atomic_store_n(byte, value, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// The kernel's SCM_MAX_FD.
enum { csystemd_descriptors_per_message = 253 };

// Sends descriptors in one message; 0, or -1 with errno.
static inline int csystemd_send_descriptors(int socket, const int *_Nonnull descriptors, int count) {
    char byte = 0;
    struct iovec bytes = {&byte, 1};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * csystemd_descriptors_per_message)];
    struct msghdr message = {0};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    memset(control, 0, sizeof control);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(head), descriptors, sizeof(int) * count);
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

// Receives the descriptors of one message; how many, or -1 when there is no further message.
static inline int csystemd_receive_descriptors(int socket, int *_Nonnull descriptors) {
    char byte;
    struct iovec bytes = {&byte, 1};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * csystemd_descriptors_per_message)];
    struct msghdr message = {0};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0) return -1;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) return 0;
    int count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(descriptors, CMSG_DATA(head), sizeof(int) * count);
    return count;
}

#endif
