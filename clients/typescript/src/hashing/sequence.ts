// The hash of a sequence of elements (PROTOCOL.md, 13): a polynomial modulo the prime 2^61 − 1.

const prime = (1n << 61n) - 1n;
const base = 0x13c6ef372fe94f8en;

/** The sequence hash of the elements before, and the hash of one more. */
export function extendSequence(sequence: bigint, hash: bigint): bigint {
  const sum = sequence * base + (hash % prime);
  // 2^61 is 1: the bits above are added to those below.
  const folded = (sum >> 61n) + (sum & prime);
  return folded >= prime ? folded - prime : folded;
}
