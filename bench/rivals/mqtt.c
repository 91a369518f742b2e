// MQTT 3.1.1 over TCP on this machine, as mosquitto serves it: the writer publishes with QoS 1 and waits for PUBACK; the
// subscribers have QoS 1 too, and acknowledge each message. The broker keeps no value of its own.
#include "rival.h"
#include "tcp.h"
#include <sys/epoll.h>

static int writer;

// Connects a client with a clean session.
static int open_client(unsigned number) {
    char name[24];
    uint8_t packet[64] = {0x10, 0, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0}, answer[4];
    size_t length = (size_t)snprintf(name, sizeof name, "client%u", number);
    int one = dial(address);
    packet[1] = (uint8_t)(12 + length);
    packet[13] = (uint8_t)length;
    memcpy(packet + 14, name, length);
    write_all(one, packet, 14 + length);
    read_all(one, answer, 4);
    if (answer[0] != 0x20 || answer[3]) die("the broker refused the client");
    return one;
}

static void open_subscribers(void) {
    static struct { int socket; uint8_t bytes[65536]; size_t count; } all[1024];
    struct epoll_event events[64];
    int set = epoll_create1(0);
    for (unsigned index = 0; index < subscribers; index++) {
        uint8_t request[] = {0x82, 6, 0, 1, 0, 1, 'v', 1}, answer[5];
        all[index].socket = open_client(index);
        write_all(all[index].socket, request, sizeof request);
        read_all(all[index].socket, answer, 5);
        if (answer[0] != 0x90 || answer[4] != 1) die("the broker refused the subscription");
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
        epoll_ctl(set, EPOLL_CTL_ADD, all[index].socket, &event);
    }
    subscribed();
    for (;;) {
        int ready = epoll_wait(set, events, 64, -1);
        for (int each = 0; each < ready; each++) {
            unsigned index = events[each].data.u32;
            uint8_t *bytes = all[index].bytes;
            ssize_t got = read(all[index].socket, bytes + all[index].count, sizeof all[index].bytes - all[index].count);
            if (got <= 0) die("the broker closed a subscriber");
            size_t end = all[index].count + (size_t)got, place = 0;
            // PUBLISH: its kind, the length, the topic "v" behind its length, the number of the packet, eight bytes.
            for (; end - place >= 2 && end - place >= 2u + bytes[place + 1]; place += 2u + bytes[place + 1]) {
                if (bytes[place] >> 4 != 3) continue;
                uint64_t value;
                memcpy(&value, bytes + place + 7, 8);
                received(index, value);
                write_all(all[index].socket, (uint8_t[]){0x40, 2, bytes[place + 5], bytes[place + 6]}, 4);
            }
            all[index].count = end - place;
            memmove(bytes, bytes + place, end - place);
        }
    }
}

static void open_writer(void) { writer = open_client(subscribers); }

static void act(uint64_t value) {
    uint16_t number = (uint16_t)(value % 65535 + 1);
    uint8_t packet[15] = {0x32, 13, 0, 1, 'v', (uint8_t)(number >> 8), (uint8_t)number}, answer[4];
    memcpy(packet + 7, &value, 8);
    write_all(writer, packet, sizeof packet);
    read_all(writer, answer, 4);
    if (answer[0] != 0x40 || answer[2] != packet[5] || answer[3] != packet[6]) die("not the PUBACK of the message");
}
