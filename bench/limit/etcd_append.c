// Appends entries to a log in etcd, one transaction at a time, with nothing but nghttp2 and poll(2): the limit for a client.
// A transaction is "entry N+1 is absent and entry N is present, then put entry N+1". Prints the transactions per second.
//
//   etcd_append PORT SECONDS BYTES PREFIX
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct call {
    uint8_t *request;
    size_t count, sent;
    uint8_t answer[4096];
    size_t answered;
    int status, ended;
};

static struct call call;

static void die(const char *what) {
    fprintf(stderr, "etcd_append: %s\n", what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// MARK: Protocol Buffers

static size_t varint_size(uint64_t value) {
    size_t size = 1;
    while (value >>= 7) size++;
    return size;
}

static uint8_t *varint(uint8_t *end, uint64_t value) {
    for (; value > 127; value >>= 7) *end++ = (uint8_t)(value | 128);
    *end++ = (uint8_t)value;
    return end;
}

static uint8_t *bytes(uint8_t *end, int field, const void *source, size_t count) {
    end = varint(end, (uint64_t)field << 3 | 2);
    end = varint(end, count);
    memcpy(end, source, count);
    return end + count;
}

// The create revision of a key equals (0) or differs from (3) zero.
static uint8_t *condition(uint8_t *end, const char *key, int comparison) {
    uint8_t body[128], *last = body;
    if (comparison) {
        *last++ = 1 << 3;
        *last++ = (uint8_t)comparison;
    }
    *last++ = 2 << 3;
    *last++ = 1;
    last = bytes(last, 3, key, strlen(key));
    return bytes(end, 1, body, (size_t)(last - body));
}

static void transaction(const char *prefix, uint64_t position, const uint8_t *value, size_t count) {
    char key[80], previous[80];
    snprintf(key, sizeof key, "%slog/%016llx", prefix, (unsigned long long)position);
    snprintf(previous, sizeof previous, "%slog/%016llx", prefix, (unsigned long long)position - 1);
    uint8_t *start = call.request + 5, *end = condition(start, key, 0);
    if (position > 1) end = condition(end, previous, 3);
    size_t put = 2 + strlen(key) + 1 + varint_size(count) + count;
    end = varint(end, 2 << 3 | 2);
    end = varint(end, 1 + varint_size(put) + put);
    end = varint(end, 2 << 3 | 2);
    end = varint(end, put);
    end = bytes(end, 1, key, strlen(key));
    end = bytes(end, 2, value, count);
    size_t size = (size_t)(end - start);
    call.request[0] = 0;
    for (int i = 0; i < 4; i++) call.request[1 + i] = (uint8_t)(size >> (24 - 8 * i));
    call.count = size + 5;
}

// Field 2 of the answer: the conditions held.
static int succeeded(void) {
    size_t i = 5;
    while (i < call.answered) {
        uint64_t parts[2] = {0, 0};
        for (int part = 0; part < 2; part++)
            for (int shift = 0; i < call.answered; shift += 7) {
                parts[part] |= (uint64_t)(call.answer[i] & 127) << shift;
                if (call.answer[i++] < 128) break;
            }
        if ((parts[0] & 7) == 0 && parts[0] >> 3 == 2) return parts[1] == 1;
        if ((parts[0] & 7) == 2) i += parts[1];
    }
    return 0;
}

// MARK: HTTP/2

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t count,
                   void *user) {
    (void)session, (void)flags, (void)stream, (void)user;
    if (call.answered + count > sizeof call.answer) die("the answer is too large");
    memcpy(call.answer + call.answered, data, count);
    call.answered += count;
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_count,
                     const uint8_t *value, size_t count, uint8_t flags, void *user) {
    (void)session, (void)frame, (void)flags, (void)user, (void)count;
    if (name_count == 11 && !memcmp(name, "grpc-status", 11)) call.status = atoi((const char *)value);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    (void)session, (void)stream, (void)code, (void)user;
    call.ended = 1;
    return 0;
}

static ssize_t on_read(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t capacity, uint32_t *flags,
                       nghttp2_data_source *source, void *user) {
    (void)session, (void)stream, (void)source, (void)user;
    size_t count = call.count - call.sent < capacity ? call.count - call.sent : capacity;
    memcpy(buffer, call.request + call.sent, count);
    call.sent += count;
    if (call.sent == call.count) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)count;
}

static int connected(int port) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) die("cannot connect");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    return descriptor;
}

static void run(nghttp2_session *session, int descriptor) {
    const uint8_t *output = NULL;
    ssize_t left = 0;
    while (!call.ended) {
        for (;;) {
            if (!left && (left = nghttp2_session_mem_send(session, &output)) <= 0) break;
            ssize_t count = send(descriptor, output, (size_t)left, MSG_NOSIGNAL);
            if (count < 0 && errno == EAGAIN) break;
            if (count < 0) die("the connection has ended");
            output += count;
            left -= count;
        }
        struct pollfd poll_set = {descriptor, (short)(POLLIN | (left > 0 ? POLLOUT : 0)), 0};
        if (poll(&poll_set, 1, 10000) <= 0) die("no answer");
        if (!(poll_set.revents & POLLIN)) continue;
        uint8_t buffer[65536];
        ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
        if (count <= 0 || nghttp2_session_mem_recv(session, buffer, (size_t)count) < 0) die("the connection has ended");
    }
}

int main(int count, char **arguments) {
    if (count != 5) die("usage: etcd_append PORT SECONDS BYTES PREFIX");
    double seconds = atof(arguments[2]);
    size_t size = (size_t)atol(arguments[3]);
    uint8_t *value = malloc(size);
    call.request = malloc(size + 1024);
    memset(value, 'x', size);

    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_client_new(&session, callbacks, NULL);
    nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 8 << 20};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &window, 1);
    int descriptor = connected(atoi(arguments[1]));

#define FIELD(name, value) {(uint8_t *)name, (uint8_t *)value, sizeof name - 1, sizeof value - 1, NGHTTP2_NV_FLAG_NONE}
    nghttp2_nv fields[] = {
        FIELD(":method", "POST"), FIELD(":scheme", "http"), FIELD(":path", "/etcdserverpb.KV/Txn"),
        FIELD(":authority", "127.0.0.1"), FIELD("te", "trailers"), FIELD("content-type", "application/grpc"),
    };
    nghttp2_data_provider provider = {.read_callback = on_read};
    uint64_t position = 0;
    double start = now();
    while (now() - start < seconds) {
        transaction(arguments[4], position + 1, value, size);
        call.sent = call.answered = 0;
        call.status = -1;
        call.ended = 0;
        if (nghttp2_submit_request(session, NULL, fields, 6, &provider, NULL) < 0) die("no request");
        run(session, descriptor);
        if (call.status || !succeeded()) die("the transaction has failed");
        position++;
    }
    printf("%.1f\n", (double)position / (now() - start));
    return 0;
}
