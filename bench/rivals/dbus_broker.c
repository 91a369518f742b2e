// Starts dbus-broker on a socket: dbus_broker PATH.
//
// The broker has no listener of its own: its controller, usually dbus-broker-launch, passes one. The launcher needs a
// systemd that runs; this is the least controller, which lets everybody do everything. The policy has the form of
// dbus-broker 33; with another one the broker closes the connection.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define CHECK(call) do { int r_ = (call); if (r_ < 0) { fprintf(stderr, "%s: %s\n", #call, strerror(-r_)); exit(1); } } while (0)
#define RULES "bta(btbs)a(btssssuutt)a(btssssuutt)"
#define BY_USER "a(u(" RULES "))"
#define BY_GROUP "a(buu(" RULES "))"
#define POLICY BY_USER BY_GROUP "a(ss)bs"
#define ANY 1, (uint64_t)1, "", "", "", "", 0, 0, (uint64_t)0, UINT64_MAX

int main(int argc, char **argv) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (argc != 2 || strlen(argv[1]) > 100) return 2;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), pair[2];
    // Under its name only when the broker listens.
    snprintf(place.sun_path, sizeof place.sun_path, "%s.new", argv[1]);
    if (bind(listener, (struct sockaddr *)&place, sizeof place) || listen(listener, 4096)) return perror(argv[1]), 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair)) return perror("socketpair"), 1;
    // The controller is the child, so that the process that was started is the broker itself, whose time is measured.
    if (fork()) {
        char number[16];
        snprintf(number, sizeof number, "%d", pair[1]);
        fcntl(pair[1], F_SETFD, 0);
        execlp("dbus-broker", "dbus-broker", "--controller", number, "--machine-id", "0123456789abcdef0123456789abcdef",
               "--max-bytes", "1000000000", "--max-fds", "1000", "--max-matches", "10000", "--max-objects", "100000", NULL);
        return perror("dbus-broker"), 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(pair[1]);
    sd_bus *bus;
    sd_bus_message *message;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    CHECK(sd_bus_new(&bus));
    CHECK(sd_bus_set_fd(bus, pair[0], pair[0]));
    CHECK(sd_bus_start(bus));
    CHECK(sd_bus_message_new_method_call(
        bus, &message, NULL, "/org/bus1/DBus/Broker", "org.bus1.DBus.Broker", "AddListener"));
    CHECK(sd_bus_message_append(message, "oh", "/org/bus1/DBus/Listener/0", listener));
    CHECK(sd_bus_message_open_container(message, 'v', "(" POLICY ")"));
    CHECK(sd_bus_message_open_container(message, 'r', POLICY));
    CHECK(sd_bus_message_append(message, BY_USER, 1, (uint32_t)-1, 1, (uint64_t)1, 1, 1, (uint64_t)1, 1, "", 1, ANY, 1, ANY));
    CHECK(sd_bus_message_append(message, BY_GROUP "a(ss)bs", 0, 0, 0, "session"));
    CHECK(sd_bus_message_close_container(message));
    CHECK(sd_bus_message_close_container(message));
    CHECK(sd_bus_call(bus, message, 0, &error, NULL));
    if (rename(place.sun_path, argv[1])) return perror(argv[1]), 1;
    for (int r; (r = sd_bus_process(bus, NULL)) >= 0;)
        if (!r) sd_bus_wait(bus, UINT64_MAX);
    return 0;
}
