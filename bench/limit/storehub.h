// The least of StoreHub's protocol that a load program needs; docs/ARCHITECTURE.md and Sources/Wire say it in full.
//
// frame: u32le length | u8 kind | u8 flags | u16le scope | u64le revision, then CBOR. `length` counts the payload.
#ifndef STOREHUB_H
#define STOREHUB_H
#include "core.h"

enum { SH_HELLO = 0x01, SH_ATTACH = 0x02, SH_ACTIONS = 0x03, SH_WELCOME = 0x81, SH_SNAPSHOT = 0x82, SH_DELTA = 0x83, SH_APPLIED = 0x84, SH_REJECTED = 0x85, SH_ERROR = 0x86, SH_GOODBYE = 0x87, SH_HEADER = 16 };

static inline uint8_t *sh_uint(uint8_t *p, uint8_t major, uint64_t v) {
  unsigned extra = v < 24 ? 0 : v < 0x100 ? 1 : v < 0x10000 ? 2 : v < 0x100000000u ? 4 : 8;
  *p++ = (uint8_t)(major << 5 | (extra == 0 ? v : extra == 1 ? 24 : extra == 2 ? 25 : extra == 4 ? 26 : 27));
  while (extra--) *p++ = (uint8_t)(v >> (8 * extra));
  return p;
}
// Reads an unsigned or negative CBOR integer; NULL for anything else.
static inline const uint8_t *sh_get_int(const uint8_t *p, const uint8_t *e, int64_t *out) {
  if (p >= e || *p >> 5 > 1) return NULL;
  unsigned negative = *p >> 5, info = *p++ & 31, extra = info < 24 ? 0 : 1u << (info - 24);
  uint64_t v = info;
  if (info > 27 || (size_t)(e - p) < extra) return NULL;
  if (extra) { v = 0; while (extra--) v = v << 8 | *p++; }
  *out = negative ? -1 - (int64_t)v : (int64_t)v;
  return p;
}
static inline void sh_finish(uint8_t *frame, uint8_t *end, uint8_t kind) {
  memset(frame, 0, SH_HEADER);
  put_u32(frame, (uint32_t)(end - frame - SH_HEADER));
  frame[4] = kind;
}
// hello {0: 1, 1: 1}, and for a watcher attach {0: []}
static inline size_t sh_hello(uint8_t *out, int watch) {
  static const uint8_t hello[] = { 0xa2, 0, 1, 1, 1 }, attach[] = { 0xa1, 0, 0x80 };
  uint8_t *p = out;
  memcpy(p + SH_HEADER, hello, sizeof hello); sh_finish(p, p + SH_HEADER + sizeof hello, SH_HELLO); p += SH_HEADER + sizeof hello;
  if (watch) { memcpy(p + SH_HEADER, attach, sizeof attach); sh_finish(p, p + SH_HEADER + sizeof attach, SH_ATTACH); p += SH_HEADER + sizeof attach; }
  return (size_t)(p - out);
}
// One frame with k times counter(incrementButtonTapped) = [0, 1], numbered from `first`. If `mixed`, every second action is
// counter(decrementButtonTapped) = [0, 0] instead, so that no two in a row are equal.
static inline size_t sh_actions(uint8_t *out, uint64_t first, uint64_t acknowledged, unsigned k, int mixed) {
  uint8_t *p = sh_uint(sh_uint(out + SH_HEADER, 0, first), 0, acknowledged);
  for (uint64_t i = first; k--; i++) { *p++ = 0x82; *p++ = 0; *p++ = !mixed || i % 2; }
  sh_finish(out, p, SH_ACTIONS);
  return (size_t)(p - out);
}
// The count in a delta [base, {0: {0: count, ...}}]; 0 when the delta does not have it.
static inline int sh_delta_count(const uint8_t *p, const uint8_t *e, int64_t *count) {
  int64_t base;
  if (p >= e || *p++ != 0x82 || !(p = sh_get_int(p, e, &base))) return 0;
  if (e - p < 4 || p[0] != 0xa1 || p[1] != 0 || p[2] >> 5 != 5 || p[3] != 0) return 0;
  return sh_get_int(p + 4, e, count) != NULL;
}
#endif
