import { CborWriter } from "../cbor/writer.js";
import { xxh3 } from "../hashing/xxh3.js";
import type { Codec } from "./codec.js";

/**
 * The hash of a value (PROTOCOL.md, 13).
 *
 * Complexity: O(size of the value); the hashes of elements of identified arrays that have not changed are known.
 */
export function hashOf(codec: Codec, value: unknown): bigint {
  return xxh3(summaryOf(codec, value));
}

/** The bytes whose hash that is. */
export function summaryOf(codec: Codec, value: unknown): Uint8Array {
  const writer = new CborWriter();
  writer.isSummary = true;
  codec.write(writer, value);
  return writer.finish();
}
