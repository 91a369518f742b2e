// etcd: the writer puts a key and waits for the answer, which comes when the value is on disk; the subscribers watch the
// key. gRPC over HTTP/2 with sockets only; header fields of answers are not read, only their ends.
#include "rival.h"
#include "tcp.h"
#include <sys/epoll.h>

// Before the digits of each value, so that it is found in any answer.
#define MARK "@value="
enum { DATA, HEADERS, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8, END_STREAM = 1, END_HEADERS = 4, ACK = 1 };
static int writer;
static uint32_t stream = 1;

static uint8_t *frame(uint8_t *end, size_t length, int kind, int flags, uint32_t number) {
    uint8_t head[9] = {(uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length, (uint8_t)kind, (uint8_t)flags,
                       (uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    memcpy(end, head, 9);
    return end + 9;
}

static uint8_t *text(uint8_t *end, const char *string) {
    *end++ = (uint8_t)strlen(string);
    return (uint8_t *)memcpy(end, string, strlen(string)) + strlen(string);
}

// Opens a connection on which the server may send without limits.
static int open_client(void) {
    uint8_t begin[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", frames[64], *end = frame(frames, 6, SETTINGS, 0, 0);
    memcpy(end, "\0\4\x7f\xff\xff\xff", 6);
    end = frame(end + 6, 4, WINDOW_UPDATE, 0, 0);
    memcpy(end, "\x7f\xfe\xff\xff", 4);
    int one = dial(address);
    write_all(one, begin, sizeof begin - 1);
    write_all(one, frames, (size_t)(end + 4 - frames));
    return one;
}

// Begins a call with one message of at most 127 bytes.
static void call(int socket, uint32_t number, const char *path, const uint8_t *message, size_t count, int ends) {
    uint8_t fields[256], frames[512], *field = fields, *end;
    *field++ = 0x83; // :method POST
    *field++ = 0x86; // :scheme http
    *field++ = 0x04, field = text(field, path);
    *field++ = 0x01, field = text(field, "127.0.0.1");
    *field++ = 0x0f, *field++ = 0x10, field = text(field, "application/grpc"); // content-type
    *field++ = 0x00, field = text(text(field, "te"), "trailers");
    end = frame(frames, (size_t)(field - fields), HEADERS, END_HEADERS, number);
    memcpy(end, fields, (size_t)(field - fields));
    end = frame(end + (field - fields), count + 5, DATA, ends ? END_STREAM : 0, number);
    memcpy(end, (uint8_t[]){0, 0, 0, 0, (uint8_t)count}, 5);
    memcpy(end + 5, message, count);
    write_all(socket, frames, (size_t)(end + 5 + count - frames));
}

// What arrives on a connection.
struct input { int socket; uint8_t bytes[1 << 17]; size_t count; };

// Reads once, and calls `handle` with each frame of a call.
static void read_frames(struct input *input, void (*handle)(void *, int, int, const uint8_t *, size_t), void *context) {
    ssize_t got = read(input->socket, input->bytes + input->count, sizeof input->bytes - input->count);
    if (got <= 0) die("etcd closed the connection");
    size_t end = input->count + (size_t)got, place = 0;
    while (end - place >= 9) {
        uint8_t *head = input->bytes + place, answer[32];
        size_t length = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        if (end - place < 9 + length) break;
        if (head[3] == GOAWAY) die("etcd ended the connection");
        if (head[3] == SETTINGS && !(head[4] & ACK))
            write_all(input->socket, answer, (size_t)(frame(answer, 0, SETTINGS, ACK, 0) - answer));
        if (head[3] == PING && !(head[4] & ACK)) {
            memcpy(frame(answer, 8, PING, ACK, 0), head + 9, 8);
            write_all(input->socket, answer, 17);
        }
        if (head[3] == DATA || head[3] == HEADERS) handle(context, head[3], head[4], head + 9, length);
        place += 9 + length;
    }
    input->count = end - place;
    memmove(input->bytes, input->bytes + place, end - place);
}

static unsigned begun;
static void changed(void *context, int kind, int flags, const uint8_t *bytes, size_t count) {
    (void)flags;
    if (kind != DATA) return;
    begun++; // The first message says that the watch was created.
    for (const uint8_t *end = bytes + count, *at = bytes; (at = memmem(at, (size_t)(end - at), MARK, 7)); at += 7)
        received((unsigned)(uintptr_t)context, strtoull((const char *)at + 7, NULL, 10));
}

static void open_subscribers(void) {
    // WatchRequest.create_request = { key = "v" }
    static const uint8_t message[] = {0x0a, 3, 0x0a, 1, 'v'};
    struct input *all = calloc(subscribers, sizeof *all);
    struct epoll_event events[64];
    int set = epoll_create1(0);
    for (unsigned index = 0; index < subscribers; index++) {
        all[index].socket = open_client();
        call(all[index].socket, 1, "/etcdserverpb.Watch/Watch", message, sizeof message, 0);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
        epoll_ctl(set, EPOLL_CTL_ADD, all[index].socket, &event);
        for (begun = 0; !begun;) read_frames(&all[index], changed, (void *)(uintptr_t)index);
    }
    subscribed();
    for (;;) {
        int ready = epoll_wait(set, events, 64, -1);
        for (int each = 0; each < ready; each++)
            read_frames(&all[events[each].data.u32], changed, (void *)(uintptr_t)events[each].data.u32);
    }
}

static void open_writer(void) { writer = open_client(); }

static int has_answer, has_ended;
static void answered(void *context, int kind, int flags, const uint8_t *bytes, size_t count) {
    (void)context, (void)bytes;
    if (kind == DATA && count > 5) has_answer = 1;
    if (flags & END_STREAM) has_ended = 1;
}

static void act(uint64_t value) {
    static struct input input;
    uint8_t message[64] = {0x0a, 1, 'v', 0x12}; // PutRequest = { key = "v", value }
    int count = snprintf((char *)message + 5, 40, MARK "%lu ", value);
    message[4] = (uint8_t)count;
    input.socket = writer;
    has_answer = has_ended = 0;
    call(writer, stream, "/etcdserverpb.KV/Put", message, 5 + (size_t)count, 1);
    stream += 2;
    while (!has_ended) read_frames(&input, answered, NULL);
    if (!has_answer) die("etcd refused a put");
}
