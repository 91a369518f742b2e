// Shared by both servers and by the in-memory limit: frame format, reducer, delta encoding.
//
// client -> hub   u32le length | varint seq | u8 tag [| ...]      length counts what follows it
// hub -> sender   u32le length | u8 1 | varint acked seq (cumulative) | varint revision
// hub -> watcher  u32le length | u8 2 | varint revision | varint actions in it | u8 field mask | zigzag varint count
#ifndef CORE_H
#define CORE_H
#include <stdint.h>
#include <string.h>
#include <stddef.h>

enum { TAG_INC = 1, TAG_DEC = 2, TAG_SUBSCRIBE = 3, TAG_NOOP = 4 };
enum { MSG_ACK = 1, MSG_DELTA = 2 };
#define FRAME_MAX 65536

struct state { int64_t count; int64_t sum; uint64_t revision; };

static inline uint32_t get_u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline void put_u32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }

static inline uint8_t *put_varint(uint8_t *p, uint64_t v) {
  while (v >= 0x80) { *p++ = (uint8_t)v | 0x80; v >>= 7; }
  *p++ = (uint8_t)v;
  return p;
}
// Returns the byte after the varint, or NULL if it does not end before `e` or is over 64 bits.
static inline const uint8_t *get_varint(const uint8_t *p, const uint8_t *e, uint64_t *out) {
  uint64_t v = 0;
  for (unsigned shift = 0; p < e && shift < 64; shift += 7) {
    uint8_t b = *p++;
    v |= (uint64_t)(b & 0x7f) << shift;
    if (!(b & 0x80)) { *out = v; return p; }
  }
  return NULL;
}
static inline uint64_t zigzag(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }
static inline int64_t unzigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

static inline size_t encode_ack(uint8_t *buf, uint64_t seq, uint64_t rev) {
  uint8_t *p = buf + 4;
  *p++ = MSG_ACK; p = put_varint(p, seq); p = put_varint(p, rev);
  put_u32(buf, (uint32_t)(p - buf - 4));
  return (size_t)(p - buf);
}
static inline size_t encode_delta(uint8_t *buf, const struct state *s, uint64_t actions) {
  uint8_t *p = buf + 4;
  *p++ = MSG_DELTA; p = put_varint(p, s->revision); p = put_varint(p, actions);
  *p++ = 1; p = put_varint(p, zigzag(s->count));
  put_u32(buf, (uint32_t)(p - buf - 4));
  return (size_t)(p - buf);
}
static inline int reduce(struct state *s, uint8_t tag) {
  switch (tag) {
  case TAG_INC: s->count++; break;
  case TAG_DEC: s->count--; break;
  case TAG_NOOP: break;
  default: return -1;
  }
  s->revision++;
  return 0;
}

// What one connection's input needs across reads.
struct input { uint64_t seq; uint32_t carry_len; uint8_t carry[256]; };

struct feed_result { uint64_t actions; int subscribe; };
// Applies every whole frame in [p, p+n); keeps the rest in `in->carry`. Returns 0, or -1 for a protocol error.
// `each`, if not NULL, is called after every action (one delta per action).
static inline int feed(struct input *in, struct state *s, const uint8_t *p, size_t n,
                       struct feed_result *r, void (*each)(const struct state *)) {
  const uint8_t *end = p + n;
  while (end - p >= 4) {
    uint32_t len = get_u32(p);
    if (len < 2 || len > FRAME_MAX) return -1;
    if ((size_t)(end - p) - 4 < len) break;
    const uint8_t *q = p + 4, *fe = q + len;
    uint64_t seq;
    q = get_varint(q, fe, &seq);
    if (!q || q >= fe) return -1;
    uint8_t tag = *q++;
    p = fe;
    if (tag == TAG_SUBSCRIBE) { r->subscribe = 1; continue; }
    if (seq != in->seq + 1) { if (seq <= in->seq) continue; return -1; } // repeated: already applied; gap: error
    if (reduce(s, tag)) return -1;
    in->seq = seq;
    r->actions++;
    if (each) each(s);
  }
  in->carry_len = (uint32_t)(end - p);
  if (in->carry_len > sizeof in->carry) return -1; // this limit server takes small actions only
  memcpy(in->carry, p, in->carry_len);
  return 0;
}
#endif
