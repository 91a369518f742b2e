// ZeroMQ over Unix sockets: a server owns the value; the writer's REQ is answered, and each change is published.
// `zeromq serve PATH` is the server.
#define SERVES
#include "rival.h"
#include <zmq.h>

static void *writer;

static void *open_socket(void *context, int type, const char *path, const char *suffix, int binds) {
    char place[256];
    snprintf(place, sizeof place, "ipc://%s%s", path, suffix);
    void *one = zmq_socket(context, type);
    // Nothing is dropped: the default drops what exceeds 1,000 messages for a subscriber.
    int limit = 0;
    zmq_setsockopt(one, ZMQ_SNDHWM, &limit, sizeof limit);
    zmq_setsockopt(one, ZMQ_RCVHWM, &limit, sizeof limit);
    if (binds ? zmq_bind(one, place) : zmq_connect(one, place)) die(zmq_strerror(zmq_errno()));
    return one;
}

static void serve(const char *place) {
    void *context = zmq_ctx_new(), *changes = open_socket(context, ZMQ_PUB, place, ".changes", 1);
    void *actions = open_socket(context, ZMQ_REP, place, "", 1);
    for (uint64_t count = 1;; count++) {
        char request[8];
        if (zmq_recv(actions, request, sizeof request, 0) < 0) die(zmq_strerror(zmq_errno()));
        zmq_send(changes, &count, sizeof count, 0);
        zmq_send(actions, &count, sizeof count, 0);
    }
}

static void open_subscribers(void) {
    static zmq_pollitem_t items[1024];
    void *context = zmq_ctx_new();
    zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 2048);
    for (unsigned index = 0; index < subscribers; index++) {
        items[index] = (zmq_pollitem_t){.socket = open_socket(context, ZMQ_SUB, address, ".changes", 0), .events = ZMQ_POLLIN};
        zmq_setsockopt(items[index].socket, ZMQ_SUBSCRIBE, "", 0);
    }
    // Nothing acknowledges a subscription.
    usleep(500000);
    subscribed();
    for (;;) {
        zmq_poll(items, (int)subscribers, -1);
        for (unsigned index = 0; index < subscribers; index++) {
            uint64_t value;
            if (!(items[index].revents & ZMQ_POLLIN)) continue;
            while (zmq_recv(items[index].socket, &value, sizeof value, ZMQ_DONTWAIT) == sizeof value) received(index, value);
        }
    }
}

static void open_writer(void) { writer = open_socket(zmq_ctx_new(), ZMQ_REQ, address, "", 0); }

static void act(uint64_t value) {
    uint64_t result;
    zmq_send(writer, &value, 1, 0);
    if (zmq_recv(writer, &result, sizeof result, 0) != sizeof result || result != value) die("another value than expected");
}
