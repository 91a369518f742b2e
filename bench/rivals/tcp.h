// A connection to a port of this machine.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static int dial(const char *port) {
    struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (connect(one, (struct sockaddr *)&place, sizeof place)) die("cannot connect");
    setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return one;
}

static void write_all(int socket, const uint8_t *bytes, size_t count) {
    for (ssize_t done; count; bytes += done, count -= (size_t)done)
        if ((done = write(socket, bytes, count)) <= 0) die("cannot write to the server");
}

__attribute__((unused)) static void read_all(int socket, uint8_t *bytes, size_t count) {
    for (ssize_t done; count; bytes += done, count -= (size_t)done)
        if ((done = read(socket, bytes, count)) <= 0) die("the server closed the connection");
}
