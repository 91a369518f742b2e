import { ValueError } from "../errors.js";
import { halfBits } from "./floats.js";
import { Major } from "./reader.js";

const encoder = new TextEncoder();
/** How deep values of types that can contain themselves may be nested (PROTOCOL.md, 5.7). */
const deepestValue = 64;

/** Half of a surrogate pair: with the flag, a whole one is a character of its own. */
const half = /[\ud800-\udfff]/u;

/** Refuses a text that UTF-8 does not have. */
export function checkText(text: string): void {
  // Node 18 does not have the method.
  const isWhole = (text as { isWellFormed?(): boolean }).isWellFormed?.() ?? !half.test(text);
  if (isWhole) return;
  const at = half.exec(text)!.index;
  throw new ValueError(`the text has half of a surrogate pair at ${at}, which UTF-8 cannot write`);
}

/** Writes deterministic CBOR (PROTOCOL.md, 5). The caller sorts the keys of maps and the members of sets. */
export class CborWriter {
  /** True while a summary is written, which replaces identified arrays and stacks by hashes (PROTOCOL.md, 13). */
  isSummary = false;
  private bytes: Uint8Array;
  private view: DataView;
  private size = 0;

  /** @param depth The values around the next one whose types can contain themselves. */
  constructor(capacity = 256, private depth = 0) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** The bytes that a closure writes, inside a number of values whose types can contain themselves. */
  static bytes(write: (writer: CborWriter) => void, depth = 0): Uint8Array {
    const writer = new CborWriter(undefined, depth);
    write(writer);
    return writer.finish();
  }

  /** The number of bytes that were written. */
  get length(): number {
    return this.size;
  }

  /** A copy of the bytes that were written. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.size);
  }

  /** The bytes that were written, until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.size);
  }

  /** Forgets what was written. */
  clear(): void {
    this.size = 0;
  }

  /** The number of values around the next one whose types can contain themselves. */
  get nesting(): number {
    return this.depth;
  }

  /** Calls the closure inside one more value whose type can contain itself; throws ValueError if that is too deep. */
  nested(write: () => void): void {
    if (this.depth >= deepestValue) throw new ValueError(`the values are nested more than ${deepestValue} deep`);
    this.depth += 1;
    write();
    this.depth -= 1;
  }

  null(): void {
    this.byte(0xf6);
  }

  bool(value: boolean): void {
    this.byte(value ? 0xf5 : 0xf4);
  }

  /** An unsigned integer up to 2^53 − 1. */
  uint(value: number): void {
    this.head(Major.unsigned, value);
  }

  /** An integer up to ±(2^53 − 1). */
  smallInt(value: number): void {
    if (value >= 0) this.head(Major.unsigned, value);
    else this.head(Major.negative, -1 - value);
  }

  /** An integer of any size; beyond 64 bits it is a bignum. */
  int(value: bigint): void {
    const isNegative = value < 0n;
    const argument = isNegative ? -1n - value : value;
    const major = isNegative ? Major.negative : Major.unsigned;
    if (argument <= Number.MAX_SAFE_INTEGER) return this.head(major, Number(argument));
    if (argument < 1n << 64n) {
      const place = this.reserve(9);
      this.bytes[place] = (major << 5) | 27;
      return this.view.setBigUint64(place + 1, argument);
    }
    let digits = argument.toString(16);
    if (digits.length % 2 !== 0) digits = `0${digits}`;
    this.byte(isNegative ? 0xc3 : 0xc2);
    this.head(Major.bytes, digits.length / 2);
    for (let index = 0; index < digits.length; index += 2) this.byte(parseInt(digits.slice(index, index + 2), 16));
  }

  float(value: number): void {
    const half = halfBits(value);
    if (half !== undefined) {
      const place = this.reserve(3);
      this.bytes[place] = 0xf9;
      this.view.setUint16(place + 1, half);
    } else if (Math.fround(value) === value) {
      const place = this.reserve(5);
      this.bytes[place] = 0xfa;
      this.view.setFloat32(place + 1, value);
    } else {
      const place = this.reserve(9);
      this.bytes[place] = 0xfb;
      this.view.setFloat64(place + 1, value);
    }
  }

  /** A text; throws ValueError if it has half of a surrogate pair, which an encoder would replace without a word. */
  text(value: string): void {
    // A short text is written behind a head of one byte, which is right if it turns out to be ASCII.
    if (value.length < 24) {
      const place = this.reserve(1 + value.length);
      this.bytes[place] = (Major.text << 5) | value.length;
      let index = 0;
      for (; index < value.length; index += 1) {
        const unit = value.charCodeAt(index);
        if (unit >= 0x80) break;
        this.bytes[place + 1 + index] = unit;
      }
      if (index === value.length) return;
      this.size = place;
    }
    checkText(value);
    const bytes = encoder.encode(value);
    this.head(Major.text, bytes.length);
    this.raw(bytes);
  }

  byteString(value: Uint8Array): void {
    this.head(Major.bytes, value.length);
    this.raw(value);
  }

  array(count: number): void {
    this.head(Major.array, count);
  }

  map(count: number): void {
    this.head(Major.map, count);
  }

  /** Bytes that are CBOR already. */
  raw(bytes: Uint8Array): void {
    const place = this.reserve(bytes.length);
    this.bytes.set(bytes, place);
  }

  private byte(value: number): void {
    const place = this.reserve(1);
    this.bytes[place] = value;
  }

  private head(major: Major, argument: number): void {
    const initial = major << 5;
    if (argument < 24) {
      this.byte(initial | argument);
    } else if (argument < 0x100) {
      const place = this.reserve(2);
      this.bytes[place] = initial | 24;
      this.bytes[place + 1] = argument;
    } else if (argument < 0x10000) {
      const place = this.reserve(3);
      this.bytes[place] = initial | 25;
      this.view.setUint16(place + 1, argument);
    } else if (argument < 2 ** 32) {
      const place = this.reserve(5);
      this.bytes[place] = initial | 26;
      this.view.setUint32(place + 1, argument);
    } else {
      const place = this.reserve(9);
      this.bytes[place] = initial | 27;
      this.view.setUint32(place + 1, Math.floor(argument / 2 ** 32));
      this.view.setUint32(place + 5, argument >>> 0);
    }
  }

  /** Makes room for bytes, and returns the place of the first. `bytes` and `view` may be others afterwards. */
  private reserve(count: number): number {
    const place = this.size;
    this.size += count;
    if (this.size > this.bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.size));
      grown.set(this.bytes.subarray(0, place));
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    return place;
  }
}
