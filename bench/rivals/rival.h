// One writer and N subscribers of a rival: the part that all of them share.
//
//   PROGRAM ADDRESS SUBSCRIBERS SECONDS PID[,PID...]
//
// The writer does one action after another and waits for the acknowledgement of each: the value is 1, 2, 3 and so on. The
// subscribers are in a process of their own; each notes the latest value that it has. At the end they must all have the
// last one. Prints one JSON object. A rival defines `open_subscribers`, `open_writer` and `act`.
#ifndef RIVAL_H
#define RIVAL_H

#define _GNU_SOURCE
#include "../limit/measure.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING (1u << 20)
static struct {
    uint64_t sent[RING];          // when the action of each value was sent
    volatile uint64_t from, until; // the measured time
    volatile int ready;
    volatile uint64_t latest[1024], messages;
    struct hist fresh;
} *shared;
static const char *address;
static unsigned subscribers;

// Connects the subscribers, calls `subscribed`, then `received` for each message; does not return.
static void open_subscribers(void);
static void open_writer(void);
// Does the action that makes the value `value`, and returns when it was acknowledged.
static void act(uint64_t value);

#ifdef SERVES
// Owns the value, with `PROGRAM serve ADDRESS`; does not return.
static void serve(const char *place);
#endif

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

// Notes that all subscriptions are known to the server.
static void subscribed(void) { shared->ready = 1; }

// Freshness: from the action to the first message with its value or a later one; of at most 16 subscribers.
static void received(unsigned index, uint64_t value) {
    uint64_t now = now_ns(), seen = shared->latest[index];
    shared->messages++;
    if (value <= seen) return;
    shared->latest[index] = value;
    if (subscribers > 16 && index % (subscribers / 16)) return;
    for (uint64_t each = seen + 1; each <= value; each++) {
        uint64_t sent = shared->sent[each % RING];
        if (shared->from && sent >= shared->from && (!shared->until || sent < shared->until) && now > sent)
            hist_add(&shared->fresh, now - sent, 1);
    }
}

static uint64_t server_ns(const char *pids) {
    uint64_t sum = 0;
    for (const char *each = pids; each; each = strchr(each, ','), each = each ? each + 1 : NULL)
        sum += proc_cpu_ns(atoi(each));
    return sum;
}

int main(int argc, char **argv) {
#ifdef SERVES
    if (argc == 3 && !strcmp(argv[1], "serve")) serve(argv[2]);
#endif
    if (argc != 5) die("usage: PROGRAM ADDRESS SUBSCRIBERS SECONDS PIDS");
    static struct hist latency;
    double seconds = atof(argv[3]);
    address = argv[1];
    subscribers = (unsigned)atoi(argv[2]);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    signal(SIGPIPE, SIG_IGN);
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        open_subscribers();
        _exit(1);
    }
    for (int tries = 0; !shared->ready; tries++) {
        if (tries > 20000 || waitpid(child, NULL, WNOHANG)) die("the subscribers did not begin");
        usleep(1000);
    }
    open_writer();
    uint64_t value = 0, first = 0, begin = now_ns(), now = begin, cpu = 0, end = 0;
    while (!end || now < end) {
        if (!end && now - begin > 300000000) {
            shared->from = now = now_ns();
            first = value;
            end = now + (uint64_t)(seconds * 1e9);
            cpu = server_ns(argv[4]);
        }
        shared->sent[++value % RING] = now;
        act(value);
        uint64_t acked = now_ns();
        if (end) hist_add(&latency, acked - now, 1);
        now = acked;
    }
    shared->until = now;
    double measured = (double)(now - shared->from) / 1e9;
    cpu = server_ns(argv[4]) - cpu;
    unsigned complete = 0;
    for (int tries = 0; tries < 300 && complete < subscribers; tries++) {
        if (tries) usleep(10000);
        complete = 0;
        for (unsigned index = 0; index < subscribers; index++) complete += shared->latest[index] == value;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("{\"rate\": %.1f, \"p50\": %.1f, \"p99\": %.1f, \"pp50\": %.1f, \"pp99\": %.1f, \"cpu\": %.1f, \"complete\": %u}\n",
           (double)(value - first) / measured, hist_q(&latency, .5) / 1e3, hist_q(&latency, .99) / 1e3,
           hist_q(&shared->fresh, .5) / 1e3, hist_q(&shared->fresh, .99) / 1e3, (double)cpu / (double)(value - first),
           complete);
    return 0;
}

#endif
