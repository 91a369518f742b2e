// What load programs measure with: the clock, a histogram, and the processor time of a server.
#ifndef MEASURE_H
#define MEASURE_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

static uint64_t now_ns(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec; }

// A histogram: 64 sub-buckets per power of two (1.6 %)
#define HB 64
struct hist { uint64_t n, b[40 * HB]; };
static inline void hist_add(struct hist *h, uint64_t v, uint64_t k) {
  unsigned i;
  if (v < HB) i = (unsigned)v;
  else { unsigned e = 63 - (unsigned)__builtin_clzll(v); i = (e - 5) * HB + (unsigned)((v >> (e - 6)) - HB); }
  if (i >= 40 * HB) i = 40 * HB - 1;
  h->b[i] += k; h->n += k;
}
static double hist_q(const struct hist *h, double q) {
  if (!h->n) return 0;
  uint64_t want = (uint64_t)(q * (double)h->n), s = 0; if (want >= h->n) want = h->n - 1;
  for (unsigned i = 0; i < 40 * HB; i++) {
    s += h->b[i];
    if (s > want) { if (i < HB) return i; unsigned e = i / HB + 5; return (double)((uint64_t)(i % HB + HB) << (e - 6)); }
  }
  return 0;
}

// CPU of all its threads in ns, which time slices of other processes do not change (proc_pid_schedstat: ns on CPU, first).
static uint64_t proc_cpu_ns(pid_t pid) {
  char f[320]; uint64_t sum = 0, ns; snprintf(f, sizeof f, "/proc/%d/task", pid);
  DIR *d = opendir(f); if (!d) return 0;
  for (struct dirent *e; (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    snprintf(f, sizeof f, "/proc/%d/task/%s/schedstat", pid, e->d_name);
    FILE *fp = fopen(f, "r"); if (!fp) continue;
    if (fscanf(fp, "%lu", &ns) == 1) sum += ns;
    fclose(fp);
  }
  closedir(d);
  return sum;
}

#endif
