// Load client: C connections, each with a sliding window of W actions in flight; S watchers in a second process.
// Speaks the hub's frames and, for the anchors, the line protocols of Redis, memcached, NATS and JSON lines.
#define _GNU_SOURCE
#include "measure.h"
#include "storehub.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t busy_ns; // -B: how long to poll without sleeping before each wait
static void die(const char *m) { perror(m); exit(1); }
static int wait_for(int ep, struct epoll_event *ev, int max, int timeout) {
  for (uint64_t end = busy_ns ? now_ns() + busy_ns : 0; end;) { int n = epoll_wait(ep, ev, max, 0); if (n) return n; if (now_ns() >= end) break; }
  return epoll_wait(ep, ev, max, timeout);
}

// --- protocols
enum proto { HUB, LINES, STOREHUB };
static struct {
  const char *name; enum proto kind;
  const char *action; int lines;       // reply lines per action
  const char *trailer;                 // after every batch; then one reply acks the batch (NATS)
  const char *hello;                   // sent by every sender at connect
  const char *sub_hello; int sub_skip; // watcher's hello; lines that answer it
  int sub_lines;                       // lines per pushed message
  int payload_line;                    // which of them holds the counter (0: none)
} protos[] = {
  { "hub", HUB, NULL, 0, NULL, NULL, NULL, 0, 0, 0 },
  { "storehub", STOREHUB, NULL, 0, NULL, NULL, NULL, 0, 0, 0 },
  { "storehub-mixed", STOREHUB, NULL, 0, NULL, NULL, NULL, 0, 0, 0 }, // alternating increments and decrements
  { "redis-incr", LINES, "*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n", 1, NULL, NULL, "*2\r\n$9\r\nSUBSCRIBE\r\n$16\r\n__keyspace@0__:k\r\n", 6, 7, 0 },
  { "redis-fcall", LINES, "*4\r\n$5\r\nFCALL\r\n$3\r\nhub\r\n$1\r\n1\r\n$1\r\nk\r\n", 1, NULL, NULL, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n", 6, 7, 7 },
  { "redis-multi", LINES, "*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$1\r\nx\r\n*1\r\n$4\r\nEXEC\r\n", 6, NULL, NULL, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n", 6, 7, 0 },
  { "redis-incrpub", LINES, "*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$1\r\nx\r\n", 2, NULL, NULL, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n", 6, 7, 0 },
  { "memcached", LINES, "incr k 1\r\n", 1, NULL, NULL, NULL, 0, 0, 0 },
  { "nats", LINES, "PUB c 8\r\n12345678\r\n", 1, "PING\r\n", "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n", "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB c 1\r\nPING\r\n", 2, 2, 0 },
  { "jsonl", LINES, "{\"type\":\"inc\"}\n", 1, NULL, NULL, "{\"type\":\"subscribe\"}\n", 0, 1, 1 },
};
static int P;
static int hello_reply_lines; // NATS: INFO

struct client { int fd, in_flight_batches; uint64_t sent, acked; unsigned line_part; int skip, in_line; uint64_t *ts; uint32_t *batch; unsigned bh, bt; struct input in; };
static const char *path, *tcp; static int C = 1, W = 1, S = 0, burst = 0, csv = 0; static double T = 1.0, warm = 0.2, pace = 0;
struct shared { uint64_t ring[1 << 20]; volatile uint64_t base, from, until; volatile int ready, go, stop; uint64_t msgs, bytes, subs_done; int64_t min_last, max_last; struct hist push; double user, sys; };
static struct shared *sh; // sender's send times by revision (one connection only), and the watchers' report

static int dial(void) {
  int fd;
  if (path) {
    struct sockaddr_un a = { .sun_family = AF_UNIX }; strncpy(a.sun_path, path, sizeof a.sun_path - 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int i = 0; connect(fd, (void *)&a, sizeof a); i++) { if (i > 200) die(path); usleep(10000); }
  } else {
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(tcp)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int i = 0; connect(fd, (void *)&a, sizeof a); i++) { if (i > 200) die(tcp); usleep(10000); }
    int one = 1; setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}
static void send_all(int fd, const void *p, size_t n) {
  while (n) { ssize_t k = write(fd, p, n); if (k < 0) { if (errno == EAGAIN || errno == EINTR) { usleep(50); continue; } die("write"); } p = (const char *)p + k; n -= (size_t)k; }
}

// --- watchers
struct w { int fd; struct input in; int skip, line, sampled; int64_t last; uint64_t seen; };
// Freshness: from the write of an action to the read of the first delta that contains it, for every action of the measured
// time and not only for the newest of each delta, which would hide what coalescing costs. `revision` is that of a delta.
static void fresh(struct w *w, uint64_t revision, uint64_t t) {
  if (!w->sampled || C != 1 || !sh->go || !sh->from) { w->seen = revision; return; }
  if (revision <= w->seen || revision - w->seen > (1 << 20)) { w->seen = revision; return; }
  uint64_t r = w->seen + 1, until = sh->until ? sh->until : UINT64_MAX;
  while (r <= revision) { // runs of actions that were written together
    uint64_t s = sh->ring[(r - sh->base) & ((1 << 20) - 1)], run = 1;
    while (r + run <= revision && sh->ring[(r + run - sh->base) & ((1 << 20) - 1)] == s) run++;
    if (s >= sh->from && s < until && t > s) hist_add(&sh->push, t - s, run);
    r += run;
  }
  w->seen = revision;
}
static void watchers(int ctl) {
  struct w *ws = calloc((size_t)S, sizeof *ws);
  int ep = epoll_create1(0);
  struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL }; epoll_ctl(ep, EPOLL_CTL_ADD, ctl, &e);
  for (int i = 0; i < S; i++) {
    ws[i].fd = dial(); ws[i].sampled = S <= 16 || i % (S / 16) == 0; // evenly, since a server writes to its watchers in order
    if (protos[P].kind == HUB) { uint8_t f[16], *p = put_varint(f + 4, 0); *p++ = TAG_SUBSCRIBE; put_u32(f, (uint32_t)(p - f - 4)); send_all(ws[i].fd, f, (size_t)(p - f)); }
    else if (protos[P].kind == STOREHUB) { uint8_t f[64]; send_all(ws[i].fd, f, sh_hello(f, 1)); }
    else { send_all(ws[i].fd, protos[P].sub_hello, strlen(protos[P].sub_hello)); ws[i].skip = protos[P].sub_skip; }
    e.data.ptr = &ws[i]; epoll_ctl(ep, EPOLL_CTL_ADD, ws[i].fd, &e);
  }
  static uint8_t slab[65536 * 2]; struct epoll_event ev[1024];
  usleep(100000); // let the hub read the subscriptions
  sh->ready = 1;
  uint64_t quiet_since = 0;
  for (;;) {
    int n = wait_for(ep, ev, 1024, sh->stop ? 20 : -1);
    if (n == 0 || (sh->stop && n == 1 && !ev[0].data.ptr)) {
      if (sh->stop) { if (!quiet_since) quiet_since = now_ns(); if (now_ns() - quiet_since > 300000000) break; if (n) usleep(10000); }
      continue;
    }
    quiet_since = 0;
    uint64_t t = now_ns();
    for (int i = 0; i < n; i++) {
      struct w *w = ev[i].data.ptr; if (!w) continue;
      ssize_t k = read(w->fd, slab + 65536, 65536);
      if (k <= 0) { if (k == 0) { fprintf(stderr, "watcher cut off by the server\n"); epoll_ctl(ep, EPOLL_CTL_DEL, w->fd, NULL); } continue; }
      sh->bytes += (uint64_t)k;
      if (protos[P].kind == HUB) {
        uint8_t *p = slab + 65536 - w->in.carry_len; memcpy(p, w->in.carry, w->in.carry_len);
        uint8_t *end = slab + 65536 + k;
        while (end - p >= 4) {
          uint32_t len = get_u32(p); if ((size_t)(end - p) < 4 + (size_t)len) break;
          const uint8_t *q = p + 4, *fe = q + len; p += 4 + len;
          if (*q != MSG_DELTA) continue;
          uint64_t rev = 0, na, z = 0; q = get_varint(q + 1, fe, &rev); q = get_varint(q, fe, &na); q = get_varint(q + 1, fe, &z);
          w->last = unzigzag(z); sh->msgs++;
          fresh(w, rev, t);
        }
        w->in.carry_len = (uint32_t)(end - p); memcpy(w->in.carry, p, w->in.carry_len);
      } else if (protos[P].kind == STOREHUB) {
        uint8_t *p = slab + 65536 - w->in.carry_len; memcpy(p, w->in.carry, w->in.carry_len);
        uint8_t *end = slab + 65536 + k;
        while (end - p >= SH_HEADER) {
          uint32_t len = get_u32(p); if ((size_t)(end - p) < SH_HEADER + (size_t)len) break;
          const uint8_t *q = p + SH_HEADER; uint8_t kind = p[4]; p += SH_HEADER + len;
          if (kind != SH_DELTA || !sh_delta_count(q, q + len, &w->last)) continue;
          sh->msgs++;
          uint64_t rev; memcpy(&rev, q - 8, 8); fresh(w, rev, t);
        }
        w->in.carry_len = (uint32_t)(end - p); memcpy(w->in.carry, p, w->in.carry_len);
      } else if (!w->sampled || !protos[P].payload_line) {
        const uint8_t *p = slab + 65536, *end = p + k;
        int lines = 0; while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) { lines++; p++; }
        if (w->skip) { int d = lines < w->skip ? lines : w->skip; w->skip -= d; lines -= d; }
        w->line += lines; sh->msgs += (uint64_t)(w->line / protos[P].sub_lines); w->line %= protos[P].sub_lines;
      } else {
        for (const uint8_t *p = slab + 65536, *end = p + k; p < end; p++) {
          if (*p != '\n') { if (!w->skip && w->line == protos[P].payload_line - 1 && *p >= '0' && *p <= '9') w->last = w->last * 10 + (*p - '0'); continue; }
          if (w->skip) { w->skip--; continue; }
          if (++w->line == protos[P].sub_lines) {
            w->line = 0; sh->msgs++;
            fresh(w, (uint64_t)w->last, t);
            if (w->last > sh->max_last) sh->max_last = w->last;
            w->last = 0;
          }
        }
      }
    }
  }
  if (protos[P].kind != LINES) { sh->min_last = INT64_MAX; for (int i = 0; i < S; i++) { if (ws[i].last < sh->min_last) sh->min_last = ws[i].last; if (ws[i].last > sh->max_last) sh->max_last = ws[i].last; } }
  struct rusage ru; getrusage(RUSAGE_SELF, &ru);
  sh->user = (double)ru.ru_utime.tv_sec + ru.ru_utime.tv_usec / 1e6; sh->sys = (double)ru.ru_stime.tv_sec + ru.ru_stime.tv_usec / 1e6;
  _exit(0);
}

// --- CPU of the server, from /proc (10 ms steps)
static void proc_cpu(pid_t pid, double *u, double *s) {
  char f[64], b[1024]; snprintf(f, sizeof f, "/proc/%d/stat", pid); *u = *s = 0;
  FILE *fp = fopen(f, "r"); if (!fp) return;
  size_t n = fread(b, 1, sizeof b - 1, fp); b[n] = 0; fclose(fp);
  char *p = strrchr(b, ')'); unsigned long ut, stt; if (!p) return;
  if (sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &ut, &stt) == 2) { double hz = (double)sysconf(_SC_CLK_TCK); *u = (double)ut / hz; *s = (double)stt / hz; }
}
static void self_cpu(double *u, double *s) { struct rusage r; getrusage(RUSAGE_SELF, &r); *u = (double)r.ru_utime.tv_sec + r.ru_utime.tv_usec / 1e6; *s = (double)r.ru_stime.tv_sec + r.ru_stime.tv_usec / 1e6; }

static uint8_t out[1 << 22];
static uint64_t total_sent;
static void submit(struct client *c, unsigned k) {
  if (!k) return;
  size_t n = 0; uint64_t t = now_ns();
  if (protos[P].kind == HUB) for (unsigned i = 0; i < k; i++) {
    uint8_t *f = out + n, *p = put_varint(f + 4, c->sent + i + 1); *p++ = TAG_INC; put_u32(f, (uint32_t)(p - f - 4)); n += (size_t)(p - f);
    c->ts[(c->sent + i) % (unsigned)W] = t;
  } else if (protos[P].kind == STOREHUB) {
    n = sh_actions(out, c->sent + 1, c->acked, k, !strcmp(protos[P].name, "storehub-mixed"));
    for (unsigned i = 0; i < k; i++) c->ts[(c->sent + i) % (unsigned)W] = t;
  } else {
    size_t al = strlen(protos[P].action);
    for (unsigned i = 0; i < k; i++) { memcpy(out + n, protos[P].action, al); n += al; c->ts[(c->sent + i) % (unsigned)W] = t; }
    if (protos[P].trailer) { size_t tl = strlen(protos[P].trailer); memcpy(out + n, protos[P].trailer, tl); n += tl; c->batch[c->bt++ % (unsigned)W] = k; }
  }
  if (C == 1 && S && sh->go) for (unsigned i = 0; i < k; i++) sh->ring[(c->sent + i + 1) & ((1 << 20) - 1)] = t;
  c->sent += k; total_sent += k;
  send_all(c->fd, out, n);
}
int main(int argc, char **argv) {
  const char *proto = "hub"; int o; pid_t server = 0; const char *label = "";
  while ((o = getopt(argc, argv, "s:t:p:c:w:S:T:r:B:bqP:l:")) != -1) switch (o) {
    case 's': path = optarg; break; case 't': tcp = optarg; break; case 'p': proto = optarg; break;
    case 'c': C = atoi(optarg); break; case 'w': W = atoi(optarg); break; case 'S': S = atoi(optarg); break;
    case 'T': T = atof(optarg); break; case 'r': pace = atof(optarg); break; case 'B': busy_ns = (uint64_t)(atof(optarg) * 1e3); break; case 'b': burst = 1; break; case 'q': csv = 1; break; case 'P': server = atoi(optarg); break; case 'l': label = optarg; break;
    default: return 2;
  }
  P = -1; for (unsigned i = 0; i < sizeof protos / sizeof *protos; i++) if (!strcmp(proto, protos[i].name)) P = (int)i;
  if ((!path && !tcp) || P < 0) {
    fprintf(stderr, "usage: %s -s SOCKET | -t PORT [-p PROTO] [-c conns] [-w window] [-S watchers] [-T seconds] [-r actions/s, at most W in flight, not as many as possible] [-B microseconds to poll without sleeping] [-b bursts, not a sliding window] [-q one CSV line] [-P server pid]\n", argv[0]);
    fprintf(stderr, "protocols:"); for (unsigned i = 0; i < sizeof protos / sizeof *protos; i++) fprintf(stderr, " %s", protos[i].name);
    fprintf(stderr, "\n"); return 2;
  }
  if (!strcmp(proto, "nats")) hello_reply_lines = 1; // INFO
  struct rlimit rl; getrlimit(RLIMIT_NOFILE, &rl); rl.rlim_cur = rl.rlim_max; setrlimit(RLIMIT_NOFILE, &rl);
  signal(SIGPIPE, SIG_IGN);
  sh = mmap(NULL, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t kid = 0; int ctl[2];
  if (S) {
    if (pipe(ctl)) die("pipe");
    if (!(kid = fork())) { close(ctl[1]); watchers(ctl[0]); }
    close(ctl[0]);
    while (!sh->ready) usleep(1000);
  }
  struct client *cs = calloc((size_t)C, sizeof *cs);
  int ep = epoll_create1(0);
  for (int i = 0; i < C; i++) {
    cs[i].fd = dial(); cs[i].ts = calloc((size_t)W, 8); cs[i].batch = calloc((size_t)W, 4); cs[i].skip = hello_reply_lines;
    if (protos[P].kind == STOREHUB) { uint8_t f[64]; send_all(cs[i].fd, f, sh_hello(f, 0)); }
    if (protos[P].hello) send_all(cs[i].fd, protos[P].hello, strlen(protos[P].hello));
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = &cs[i] }; epoll_ctl(ep, EPOLL_CTL_ADD, cs[i].fd, &e);
  }
  if (!server && path) { struct ucred u; socklen_t l = sizeof u; if (!getsockopt(cs[0].fd, SOL_SOCKET, SO_PEERCRED, &u, &l)) server = u.pid; }
  static uint8_t slab[65536 * 2]; struct epoll_event ev[256];
  static struct hist h;
  uint64_t acked = 0, last_rev = 0, measured = 0, t0 = now_ns(), t_start = 0, t_end = 0, m_start = 0, msgs0 = 0, msgs1 = 0, b0 = 0, b1 = 0; int phase = 0;
  uint64_t ns0 = 0, ns1 = 0; double su0 = 0, ss0 = 0, su1 = 0, ss1 = 0, cu0 = 0, cs0 = 0, cu1 = 0, cs1 = 0;
  int base_pending = C == 1 && S;
  int tick = -1; uint64_t pace_start = 0; unsigned long paced = 0; int turn_of = 0;
  if (pace > 0) {
    tick = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    uint64_t period = (uint64_t)(1e9 / pace); if (period < 250000) period = 250000; // several at a time beyond 4,000 a second
    struct itimerspec its = { { 0, (long)period }, { 0, (long)period } }; if (period >= 1000000000u) its.it_interval = its.it_value = (struct timespec){ (time_t)(period / 1000000000u), (long)(period % 1000000000u) };
    timerfd_settime(tick, 0, &its, NULL);
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL }; epoll_ctl(ep, EPOLL_CTL_ADD, tick, &e);
  }
  for (int i = 0; i < C; i++) submit(&cs[i], base_pending ? 1u : pace > 0 ? 0u : (unsigned)W);
  while (phase < 2 || acked < total_sent) {
    int n = wait_for(ep, ev, 256, 1000);
    uint64_t t = now_ns();
    if (pace > 0 && phase < 2 && !base_pending) {
      if (!pace_start) { pace_start = t; paced = total_sent; }
      uint64_t due = (uint64_t)((double)(t - pace_start) / 1e9 * pace) + paced;
      for (int tries = 0; total_sent < due && tries < C; tries++) { // spread over the connections
        struct client *c = &cs[turn_of++ % C];
        uint64_t room = (uint64_t)W - (c->sent - c->acked), share = (due - total_sent + (uint64_t)C - 1) / (uint64_t)C;
        submit(c, (unsigned)(share < room ? share : room));
      }
      t = now_ns(); // an answer to what was just sent may be read below
    }
    if (n == 0) { fprintf(stderr, "no answer for 1 s (acked %lu of %lu)\n", acked, total_sent); if (phase == 2 || t - t0 > 20000000000u) break; }
    if (phase == 0 && t - t0 > (uint64_t)(warm * 1e9)) { phase = 1; t_start = t; m_start = acked; sh->from = t; memset(&h, 0, sizeof h); proc_cpu(server, &su0, &ss0); ns0 = proc_cpu_ns(server); self_cpu(&cu0, &cs0); msgs0 = sh->msgs; b0 = sh->bytes; }
    else if (phase == 1 && t - t_start > (uint64_t)(T * 1e9)) { phase = 2; sh->until = t_end = t; measured = acked - m_start; proc_cpu(server, &su1, &ss1); ns1 = proc_cpu_ns(server); self_cpu(&cu1, &cs1); msgs1 = sh->msgs; b1 = sh->bytes; }
    for (int i = 0; i < n; i++) {
      struct client *c = ev[i].data.ptr;
      if (!c) { uint64_t ticks; if (read(tick, &ticks, sizeof ticks) < 0 && errno != EAGAIN) die("timerfd"); continue; }
      ssize_t k = read(c->fd, slab + 65536, 65536);
      if (k <= 0) { if (k < 0 && errno == EAGAIN) continue; fprintf(stderr, "server closed a sender\n"); return 1; }
      uint64_t newly = 0, rev = 0;
      if (protos[P].kind == HUB) {
        uint8_t *p = slab + 65536 - c->in.carry_len; memcpy(p, c->in.carry, c->in.carry_len);
        uint8_t *end = slab + 65536 + k; uint64_t top = c->acked;
        while (end - p >= 4) {
          uint32_t len = get_u32(p); if ((size_t)(end - p) < 4 + (size_t)len) break;
          const uint8_t *q = p + 4, *fe = q + len; p += 4 + len;
          if (*q == MSG_ACK) { uint64_t s; q = get_varint(q + 1, fe, &s); get_varint(q, fe, &rev); if (s > top) top = s; }
        }
        c->in.carry_len = (uint32_t)(end - p); memcpy(c->in.carry, p, c->in.carry_len);
        newly = top - c->acked;
      } else if (protos[P].kind == STOREHUB) {
        uint8_t *p = slab + 65536 - c->in.carry_len; memcpy(p, c->in.carry, c->in.carry_len);
        uint8_t *end = slab + 65536 + k; uint64_t top = c->acked;
        while (end - p >= SH_HEADER) {
          uint32_t len = get_u32(p); if ((size_t)(end - p) < SH_HEADER + (size_t)len) break;
          if (p[4] == SH_APPLIED) { int64_t s; memcpy(&rev, p + 8, 8); if (sh_get_int(p + SH_HEADER, p + SH_HEADER + len, &s) && (uint64_t)s > top) top = (uint64_t)s; }
          else if (p[4] == SH_REJECTED || p[4] == SH_ERROR || p[4] == SH_GOODBYE) { fprintf(stderr, "the hub answered with a frame of kind 0x%x\n", p[4]); return 1; }
          p += SH_HEADER + len;
        }
        c->in.carry_len = (uint32_t)(end - p); memcpy(c->in.carry, p, c->in.carry_len);
        newly = top - c->acked;
      } else {
        const uint8_t *p = slab + 65536, *end = p + k; unsigned lines = 0; const uint8_t *lastline = p;
        for (int error = !c->in_line && *p == '-'; ; ) { // Redis and NATS begin an error with '-'; it acknowledges nothing
          if (error) { fprintf(stderr, "the server answered with an error: %.*s\n", (int)(end - p < 80 ? end - p : 80), (const char *)p); return 1; }
          if (!(p = memchr(p, '\n', (size_t)(end - p)))) break;
          lines++; p++; if (p == end) break;
          lastline = p; error = *p == '-';
        }
        c->in_line = end[-1] != '\n';
        if (c->skip) { unsigned d = lines < (unsigned)c->skip ? lines : (unsigned)c->skip; c->skip -= (int)d; lines -= d; }
        c->line_part += lines; newly = c->line_part / (unsigned)protos[P].lines; c->line_part %= (unsigned)protos[P].lines;
        if (protos[P].trailer) { uint64_t b = 0; while (newly--) b += c->batch[c->bh++ % (unsigned)W]; newly = b; }
        if (base_pending && *lastline == ':') rev = strtoull((const char *)lastline + 1, NULL, 10);
        else if (base_pending && *lastline == '{') { const char *d = (const char *)lastline; while (*d && (*d < '0' || *d > '9')) d++; rev = strtoull(d, NULL, 10); }
      }
      if (rev > last_rev) last_rev = rev;
      for (uint64_t j = 0; j < newly; ) { // one timestamp per sent batch: add runs of equal times at once
        uint64_t s = c->ts[(c->acked + j) % (unsigned)W], run = 1;
        while (j + run < newly && c->ts[(c->acked + j + run) % (unsigned)W] == s) run++;
        if (phase == 1) hist_add(&h, t - s, run);
        j += run;
      }
      c->acked += newly; acked += newly;
      if (base_pending) { if (newly) { base_pending = 0; sh->base = rev - c->acked; sh->go = rev != 0; submit(c, pace > 0 ? 0u : (unsigned)W); } continue; }
      if (phase < 2 && pace <= 0) {
        uint64_t room = (uint64_t)W - (c->sent - c->acked);
        if (!burst || room == (uint64_t)W) submit(c, (unsigned)room);
      }
    }
  }
  double secs = (double)(t_end - t_start) / 1e9, rate = (double)measured / secs;
  double su = (su1 - su0) / secs * 100, ss = (ss1 - ss0) / secs * 100, cu = (cu1 - cu0) / secs * 100, cs_ = (cs1 - cs0) / secs * 100;
  double mrate = (double)(msgs1 - msgs0) / secs, brate = (double)(b1 - b0) / secs;
  if (S) { sh->stop = 1; close(ctl[1]); waitpid(kid, NULL, 0); }
  int ok = acked == total_sent;
  if (S && !sh->msgs) ok = 0; // watchers that receive nothing cost nothing
  if (S && protos[P].kind != LINES && (sh->min_last != sh->max_last)) ok = 0;
  // The last count at a watcher, where it is known. C servers: their revision. A hub: the number of actions, if its revision
  // counts no others. Lines with a count: what the first answer said, and the actions since then.
  int64_t want = -1;
  if (protos[P].kind == HUB) want = (int64_t)last_rev;
  else if (protos[P].kind == STOREHUB) want = last_rev == total_sent ? (int64_t)total_sent : -1;
  else if (protos[P].payload_line && C == 1 && sh->go) want = (int64_t)(sh->base + total_sent);
  if (S && want >= 0 && sh->max_last != want) { fprintf(stderr, "the last count at a watcher is %ld, not %ld\n", sh->max_last, want); ok = 0; }
  if (csv) printf("%s,%s,%d,%d,%d,%.0f,%.1f,%.1f,%.1f,%.0f,%.0f,%.0f,%.0f,%.0f,%.1f,%.1f,%.0f,%s,%.1f\n", label, proto, C, W, S, rate, hist_q(&h, .5) / 1e3, hist_q(&h, .99) / 1e3, hist_q(&h, .999) / 1e3, su, ss, cu, cs_, mrate, hist_q(&sh->push, .5) / 1e3, hist_q(&sh->push, .99) / 1e3, brate, ok ? "ok" : "BAD", measured ? (double)(ns1 - ns0) / (double)measured : 0);
  else {
    printf("%s C=%d W=%d S=%d: %.0f actions/s  ack p50 %.1f p99 %.1f p99.9 %.1f us | server cpu %.0f%% user %.0f%% sys, sender %.0f%% user %.0f%% sys", proto, C, W, S, rate,
           hist_q(&h, .5) / 1e3, hist_q(&h, .99) / 1e3, hist_q(&h, .999) / 1e3, su, ss, cu, cs_);
    if (S) printf(" | pushes %.0f/s %.1f MB/s, send-to-watcher p50 %.1f p99 %.1f us, watchers total cpu %.2fs user %.2fs sys, last %ld..%ld", mrate, brate / 1e6, hist_q(&sh->push, .5) / 1e3, hist_q(&sh->push, .99) / 1e3, sh->user, sh->sys, sh->min_last, sh->max_last);
    printf(" %s\n", ok ? "ok" : "BAD");
  }
  return ok ? 0 : 1;
}
