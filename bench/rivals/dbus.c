// D-Bus: a service owns the value; the writer calls its method, and each change is a signal to the subscribers.
// `dbus serve ADDRESS` is the service.
#define SERVES
#include "rival.h"
#include <sys/epoll.h>
#include <systemd/sd-bus.h>

#define CHECK(call) do { int r_ = (call); if (r_ < 0) { fprintf(stderr, "%s: %s\n", #call, strerror(-r_)); exit(1); } } while (0)

static sd_bus *bus;
static uint64_t count;

static sd_bus *dial(const char *place) {
    sd_bus *one;
    CHECK(sd_bus_new(&one));
    CHECK(sd_bus_set_address(one, place));
    CHECK(sd_bus_set_bus_client(one, 1));
    CHECK(sd_bus_start(one));
    return one;
}

static int increment(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)context, (void)error;
    CHECK(sd_bus_emit_signal(bus, "/hub", "x.Hub", "Changed", "t", ++count));
    CHECK(sd_bus_reply_method_return(message, "t", count));
    return 1;
}

static const sd_bus_vtable vtable[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_METHOD("Increment", "", "t", increment, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_SIGNAL("Changed", "t", 0), SD_BUS_VTABLE_END};

static void serve(const char *place) {
    bus = dial(place);
    CHECK(sd_bus_add_object_vtable(bus, NULL, "/hub", "x.Hub", vtable, NULL));
    CHECK(sd_bus_request_name(bus, "x.Hub", 0));
    for (int r;;) {
        CHECK(r = sd_bus_process(bus, NULL));
        if (!r) CHECK(sd_bus_wait(bus, UINT64_MAX));
    }
}

static int changed(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)error;
    uint64_t value;
    CHECK(sd_bus_message_read(message, "t", &value));
    received((unsigned)(uintptr_t)context, value);
    return 0;
}

static void open_subscribers(void) {
    static sd_bus *all[1024];
    struct epoll_event events[64];
    int set = epoll_create1(0);
    for (unsigned index = 0; index < subscribers; index++) {
        all[index] = dial(address);
        CHECK(sd_bus_match_signal(all[index], NULL, NULL, "/hub", "x.Hub", "Changed", changed, (void *)(uintptr_t)index));
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
        epoll_ctl(set, EPOLL_CTL_ADD, sd_bus_get_fd(all[index]), &event);
        while (sd_bus_process(all[index], NULL) > 0) {}
    }
    subscribed();
    for (;;) {
        int ready = epoll_wait(set, events, 64, -1);
        for (int each = 0; each < ready; each++)
            for (int r = 1; r > 0;) CHECK(r = sd_bus_process(all[events[each].data.u32], NULL));
    }
}

static void open_writer(void) { bus = dial(address); }

static void act(uint64_t value) {
    sd_bus_message *reply;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    uint64_t result;
    if (sd_bus_call_method(bus, "x.Hub", "/hub", "x.Hub", "Increment", &error, &reply, "") < 0) die(error.message);
    CHECK(sd_bus_message_read(reply, "t", &result));
    if (result != value) die("another value than expected");
    sd_bus_message_unref(reply);
}
