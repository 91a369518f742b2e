// What the output of one turn costs its writer: a system call for each sleeping reader, or one io_uring submission for all.
//
// The readers sleep in another process on the other core: one thread for each ("threads": as many programs as sockets), or
// one for all with epoll ("epoll": as in `load`). A turn writes to all of them, after all have read the last and fallen
// asleep. The variants alternate in rounds; the figures are medians of turns, then of rounds, and so are the ratios.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 1000, BYTES = 40, HEAD = 16, ROUNDS = 256, TURNS = 4096 };
static uint64_t clock_ns(clockid_t c) { struct timespec t; clock_gettime(c, &t); return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }
static uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
static void die(const char *m) { perror(m); exit(1); }
static void pin(int cpu) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(cpu, &s); if (sched_setaffinity(0, sizeof s, &s)) die("sched_setaffinity"); }
static int cmp(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return x < y ? -1 : x > y; }
static double median(double *v, int n) { qsort(v, (size_t)n, sizeof *v, cmp); return v[n / 2]; }

// --- readers
static _Atomic uint64_t *arrived; // bytes that all readers have read; shared with them
static int ends[MAX][2];
static void *reader(void *arg) {
  int fd = *(int *)arg; char b[4096];
  for (ssize_t k; (k = read(fd, b, sizeof b)) > 0;) *arrived += (uint64_t)k;
  return NULL;
}
static void readers(int n, int epoll) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pin(1);
  for (int i = 0; i < n; i++) close(ends[i][0]);
  if (!epoll) {
    pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 65536);
    for (int i = 0; i < n; i++) { pthread_t t; if (pthread_create(&t, &a, reader, &ends[i][1])) die("pthread_create"); }
    for (;;) pause();
  }
  int ep = epoll_create1(0); struct epoll_event e = { .events = EPOLLIN }, ev[1024]; char b[4096];
  for (int i = 0; i < n; i++) { e.data.fd = ends[i][1]; epoll_ctl(ep, EPOLL_CTL_ADD, ends[i][1], &e); }
  for (;;) {
    int k = epoll_wait(ep, ev, 1024, -1); uint64_t bytes = 0;
    for (int i = 0; i < k; i++) { ssize_t r = read(ev[i].data.fd, b, sizeof b); if (r <= 0) _exit(0); bytes += (uint64_t)r; }
    *arrived += bytes;
  }
}

// --- variants
enum how { WRITE, WRITEV, OP_WRITE, OP_SEND, OP_SENDMSG };
#define DEFER (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
static struct variant {
  const char *name; enum how how; unsigned setup; int ring_fd, files, skip, base; // base: the variant that it is compared with
  struct io_uring ring; double per[ROUNDS], cpu[ROUNDS];
} v[] = {
  { .name = "write", .how = WRITE },
  { .name = "send", .how = OP_SEND },
  { .name = "send, coop", .how = OP_SEND, .setup = IORING_SETUP_COOP_TASKRUN },
  { .name = "send, defer", .how = OP_SEND, .setup = DEFER },
  { .name = "send, defer, ring fd", .how = OP_SEND, .setup = DEFER, .ring_fd = 1 },
  { .name = "send, defer, ring fd, files", .how = OP_SEND, .setup = DEFER, .ring_fd = 1, .files = 1 },
  { .name = "send, defer, ring fd, files, skip", .how = OP_SEND, .setup = DEFER, .ring_fd = 1, .files = 1, .skip = 1 },
  { .name = "write, defer, ring fd, files, skip", .how = OP_WRITE, .setup = DEFER, .ring_fd = 1, .files = 1, .skip = 1 },
  { .name = "writev of 2", .how = WRITEV, .base = 8 },
  { .name = "sendmsg of 2, defer, ring fd, files, skip", .how = OP_SENDMSG, .setup = DEFER, .ring_fd = 1, .files = 1, .skip = 1, .base = 8 },
};
enum { VARIANTS = sizeof v / sizeof *v };
static uint8_t payload[BYTES];
static struct iovec parts[MAX][2]; static struct msghdr msgs[MAX];

static void turn(struct variant *x, int n) {
  if (x->how == WRITE) { for (int i = 0; i < n; i++) if (write(ends[i][0], payload, BYTES) != BYTES) die("write"); return; }
  if (x->how == WRITEV) { for (int i = 0; i < n; i++) if (writev(ends[i][0], parts[i], 2) != BYTES) die("writev"); return; }
  for (int i = 0; i < n; i++) {
    struct io_uring_sqe *s = io_uring_get_sqe(&x->ring);
    int fd = x->files ? i : ends[i][0];
    // With MSG_WAITALL, a part of the bytes is a failure, so that it is reported although successes are skipped.
    int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (x->skip ? MSG_WAITALL : 0);
    if (x->how == OP_SEND) io_uring_prep_send(s, fd, payload, BYTES, flags);
    else if (x->how == OP_WRITE) io_uring_prep_write(s, fd, payload, BYTES, (uint64_t)-1);
    else io_uring_prep_sendmsg(s, fd, &msgs[i], (unsigned)flags);
    s->flags |= (uint8_t)((x->files ? IOSQE_FIXED_FILE : 0) | (x->skip ? IOSQE_CQE_SKIP_SUCCESS : 0));
  }
  if (io_uring_submit(&x->ring) != n) die("io_uring_submit");
  unsigned head, seen = 0; struct io_uring_cqe *c;
  io_uring_for_each_cqe(&x->ring, head, c) { seen++; if (c->res != BYTES) { errno = -c->res; die("a completion"); } }
  io_uring_cq_advance(&x->ring, seen);
  if (seen != (x->skip ? 0u : (unsigned)n)) { fprintf(stderr, "%u of %d completions\n", seen, n); exit(1); }
}

static void measure(int n, int epoll, int rounds, double seconds, int only) {
  for (int i = 0; i < n; i++) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i])) die("socketpair");
    fcntl(ends[i][0], F_SETFL, O_NONBLOCK);
  }
  *arrived = 0;
  pid_t kid = fork(); if (!kid) readers(n, epoll);
  int fds[MAX]; for (int i = 0; i < n; i++) { close(ends[i][1]); fds[i] = ends[i][0]; }
  for (int k = 0; k < VARIANTS; k++) {
    struct variant *x = &v[k]; if (x->how <= WRITEV) continue;
    struct io_uring_params p = { .flags = x->setup };
    int e = io_uring_queue_init_params(1024, &x->ring, &p); if (e) { errno = -e; die("io_uring_queue_init_params"); }
    if (x->ring_fd && (e = io_uring_register_ring_fd(&x->ring)) != 1) { errno = -e; die("io_uring_register_ring_fd"); }
    if (x->files && (e = io_uring_register_files(&x->ring, fds, (unsigned)n))) { errno = -e; die("io_uring_register_files"); }
  }
  usleep(200000);
  static double ns[TURNS], cpu[TURNS]; uint64_t expected = 0;
  for (int r = -1; r < rounds; r++) { // the first round is not counted
    for (int j = 0; j < VARIANTS; j++) {
      struct variant *x = &v[r & 1 ? VARIANTS - 1 - j : j]; if (only >= 0 && x != &v[only]) continue;
      int turns = 0;
      for (uint64_t end = now_ns() + (uint64_t)(seconds * 1e9 / VARIANTS); turns < TURNS && (now_ns() < end || turns < 3); turns++) {
        uint64_t c = clock_ns(CLOCK_THREAD_CPUTIME_ID), t = now_ns();
        turn(x, n);
        ns[turns] = (double)(now_ns() - t); cpu[turns] = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - c);
        expected += (uint64_t)n * BYTES;
        while (*arrived != expected) usleep(20);
        usleep(30); // the last reader goes to sleep
      }
      if (r >= 0) { x->per[r] = median(ns, turns) / n / 1e3; x->cpu[r] = median(cpu, turns) / n / 1e3; }
    }
  }
  for (int k = 0; k < VARIANTS; k++) {
    struct variant *x = &v[k]; if (only >= 0 && k != only) continue;
    double ratio[ROUNDS], cpu[ROUNDS], per[ROUNDS], own[ROUNDS];
    for (int r = 0; r < rounds; r++) { ratio[r] = v[x->base].per[r] / x->per[r]; cpu[r] = v[x->base].cpu[r] / x->cpu[r]; per[r] = x->per[r]; own[r] = x->cpu[r]; }
    printf("| %d | %s | %s%s | %.2f | %.2f |", n, epoll ? "epoll" : "threads", x->how > WRITEV ? "io_uring: " : "", x->name, median(per, rounds), median(own, rounds));
    if (only >= 0 || x->how <= WRITEV) printf(" | |\n");
    else { double m = median(ratio, rounds); printf(" %.2f (%.2f - %.2f) | %.2f |\n", m, ratio[0], ratio[rounds - 1], median(cpu, rounds)); }
    if (x->how > WRITEV) io_uring_queue_exit(&x->ring);
  }
  fflush(stdout);
  kill(kid, SIGKILL); waitpid(kid, NULL, 0);
  for (int i = 0; i < n; i++) close(ends[i][0]);
}

int main(int argc, char **argv) {
  int rounds = 40, only = -1, readers_only = 0, shape = -1, o; double seconds = 0.3;
  while ((o = getopt(argc, argv, "r:t:v:n:s:")) != -1) {
    if (o == 'r') rounds = atoi(optarg);
    else if (o == 't') seconds = atof(optarg);
    else if (o == 'v') only = atoi(optarg);
    else if (o == 'n') readers_only = atoi(optarg);
    else if (o == 's') shape = !strcmp(optarg, "epoll");
    else { fprintf(stderr, "usage: %s [-r ROUNDS] [-t SECONDS of a round] [-n READERS] [-s threads|epoll] [-v VARIANT, for a profile]\n", argv[0]); return 2; }
  }
  if (rounds < 1 || rounds > ROUNDS || only >= VARIANTS || readers_only < 0 || readers_only > MAX) { fprintf(stderr, "an option is out of range\n"); return 2; }
  struct rlimit rl; getrlimit(RLIMIT_NOFILE, &rl); rl.rlim_cur = rl.rlim_max; setrlimit(RLIMIT_NOFILE, &rl);
  arrived = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); if (arrived == MAP_FAILED) die("mmap");
  memset(payload, 1, sizeof payload); pin(0);
  for (int i = 0; i < MAX; i++) {
    parts[i][0] = (struct iovec){ payload, HEAD }; parts[i][1] = (struct iovec){ payload + HEAD, BYTES - HEAD };
    msgs[i] = (struct msghdr){ .msg_iov = parts[i], .msg_iovlen = 2 };
  }
  printf("| readers | asleep in | output of a turn | us per reader | CPU us per reader | writes / this, median (min - max) | by CPU |\n|--:|---|---|--:|--:|--:|--:|\n");
  static const int counts[] = { 1, 16, 50, 100, 1000 };
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int epoll = 0; epoll < 2; epoll++)
      if ((!readers_only || counts[i] == readers_only) && (shape < 0 || shape == epoll)) measure(counts[i], epoll, rounds, seconds, only);
  return 0;
}
