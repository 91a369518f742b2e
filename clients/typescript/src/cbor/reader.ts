import { ProtocolError } from "../errors.js";
import { binaryText } from "./bytes.js";
import { halfBits, halfValue } from "./floats.js";

/** The major types of CBOR. */
export const enum Major { unsigned, negative, bytes, text, array, map, tag, simple }

/** The deepest nesting of items that the protocol allows anywhere, and in an item of unknown type (5.7). */
const deepest = 640;
export const deepestUnknown = 320;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads deterministic CBOR (PROTOCOL.md, 5), and refuses any other form.
 *
 * Nothing is allocated for a length before that many bytes are there.
 */
export class CborReader {
  /** The place of the next item. */
  at = 0;
  /** True if a NaN was read whose bits JavaScript does not keep: what is written again may have other bytes. */
  lostNaNBits = false;
  private depth = 0;
  /** The argument of the last head, and its exact value if it is beyond 2^53. */
  private argument = 0;
  private wide: bigint | undefined;
  private readonly view: DataView;

  /** @param limit The nesting of items that is accepted. */
  constructor(private readonly bytes: Uint8Array, private readonly limit = deepest) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads all bytes as one item. */
  static whole<T>(bytes: Uint8Array, read: (reader: CborReader) => T, limit = deepest): T {
    const reader = new CborReader(bytes, limit);
    const value = read(reader);
    reader.end();
    return value;
  }

  /** Refuses bytes after the last item. */
  end(): void {
    if (this.at !== this.bytes.length) throw new ProtocolError(`${this.bytes.length - this.at} bytes follow the item`);
  }

  /** True at the end of the bytes. */
  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  /** The major type of the next item. */
  next(): Major {
    if (this.at >= this.bytes.length) throw new ProtocolError("the bytes end before an item");
    return this.bytes[this.at]! >> 5;
  }

  /** Reads null if that is next. */
  takeNull(): boolean {
    if (this.bytes[this.at] !== 0xf6) return false;
    this.at += 1;
    return true;
  }

  /** Calls the closure inside one more level of nesting. */
  nested<T>(read: () => T): T {
    this.enter();
    const value = read();
    this.depth -= 1;
    return value;
  }

  bool(): boolean {
    const byte = this.take(1);
    if (this.bytes[byte] === 0xf5) return true;
    if (this.bytes[byte] === 0xf4) return false;
    throw new ProtocolError("expected false or true");
  }

  /** An unsigned integer that JavaScript's numbers hold. */
  uint(): number {
    this.head(Major.unsigned, "an unsigned integer");
    if (this.wide !== undefined) throw new ProtocolError(`the number ${this.wide} is too large`);
    return this.argument;
  }

  /** An unsigned integer of 64 bits. */
  uint64(): bigint {
    this.head(Major.unsigned, "an unsigned integer");
    return this.wide ?? BigInt(this.argument);
  }

  /** An integer of up to 65 bits. */
  int(): bigint {
    const isNegative = this.next() === Major.negative;
    this.head(isNegative ? Major.negative : Major.unsigned, "an integer");
    const argument = this.wide ?? BigInt(this.argument);
    return isNegative ? -1n - argument : argument;
  }

  /** An integer that JavaScript's numbers hold. */
  smallInt(): number {
    const isNegative = this.next() === Major.negative;
    this.head(isNegative ? Major.negative : Major.unsigned, "an integer");
    if (this.wide !== undefined) throw new ProtocolError("an integer is too large");
    return isNegative ? -1 - this.argument : this.argument;
  }

  /** An integer, also one of more than 64 bits, which is a bignum of at most 16 bytes. */
  bigInt(): bigint {
    if (this.next() !== Major.tag) return this.int();
    this.head(Major.tag, "a bignum");
    const tag = this.argument;
    if (tag !== 2 && tag !== 3) throw new ProtocolError(`the protocol has no tag ${tag}`);
    const digits = this.byteString();
    if (digits.length < 9 || digits.length > 16 || digits[0] === 0) throw new ProtocolError("not the shortest bignum");
    let magnitude = 0n;
    for (const digit of digits) magnitude = (magnitude << 8n) | BigInt(digit);
    return tag === 2 ? magnitude : -1n - magnitude;
  }

  float(): number {
    const initial = this.bytes[this.take(1)]!;
    switch (initial) {
      case 0xf9: {
        const bits = this.view.getUint16(this.take(2));
        const value = halfValue(bits);
        if (Number.isNaN(value) && bits !== 0x7e00) this.lostNaNBits = true;
        return value;
      }
      case 0xfa: {
        const place = this.take(4);
        const value = this.view.getFloat32(place);
        const isShort = Number.isNaN(value)
          ? (this.view.getUint32(place) & 0x1fff) === 0 : halfBits(value) !== undefined;
        if (isShort) throw new ProtocolError("a float is not in its shortest form");
        if (Number.isNaN(value)) this.lostNaNBits = true;
        return value;
      }
      case 0xfb: {
        const place = this.take(8);
        const value = this.view.getFloat64(place);
        const isShort = Number.isNaN(value)
          ? (this.view.getUint32(place + 4) & 0x1fffffff) === 0 : Math.fround(value) === value;
        if (isShort) throw new ProtocolError("a float is not in its shortest form");
        if (Number.isNaN(value)) this.lostNaNBits = true;
        return value;
      }
      default: throw new ProtocolError("expected a float");
    }
  }

  text(): string {
    this.head(Major.text, "a text");
    const start = this.take(this.length());
    const end = this.at;
    // Most texts are short and ASCII, for which the decoder's own start costs more than the text.
    if (end - start <= 24) {
      let text = "";
      let place = start;
      for (; place < end && this.bytes[place]! < 0x80; place += 1) text += String.fromCharCode(this.bytes[place]!);
      if (place === end) return text;
    }
    try {
      return decoder.decode(this.bytes.subarray(start, end));
    } catch {
      throw new ProtocolError("a text is not valid UTF-8");
    }
  }

  /** A byte string, as a part of the bytes that are read. */
  byteString(): Uint8Array {
    this.head(Major.bytes, "a byte string");
    const start = this.take(this.length());
    return this.bytes.subarray(start, this.at);
  }

  /** The number of items of an array. */
  array(): number {
    this.head(Major.array, "an array");
    return this.count(1);
  }

  /** Reads the head of an array with a known number of items. */
  tuple(count: number): void {
    if (this.array() !== count) throw new ProtocolError(`expected an array of ${count} items`);
  }

  /** The number of pairs of a map. */
  map(): number {
    this.head(Major.map, "a map");
    return this.count(2);
  }

  /** Reads a map whose keys are unsigned integers, and calls the closure at each value. */
  struct(read: (key: number) => void): void {
    const count = this.map();
    this.enter();
    let last = -1;
    for (let index = 0; index < count; index += 1) {
      const key = this.uint();
      if (key <= last) throw new ProtocolError("the keys of a map are not in order");
      last = key;
      read(key);
    }
    this.depth -= 1;
  }

  /** The bytes of the next item, which are checked, as a part of the bytes that are read. */
  item(): Uint8Array {
    const start = this.at;
    this.skip();
    return this.bytes.subarray(start, this.at);
  }

  /** The bytes since a place. */
  since(start: number): Uint8Array {
    return this.bytes.subarray(start, this.at);
  }

  /** Checks the next item and passes it. */
  skip(): void {
    switch (this.next()) {
      case Major.unsigned:
      case Major.negative: return this.anyHead();
      case Major.bytes: return void this.byteString();
      case Major.text: return void this.text();
      case Major.array: {
        const count = this.array();
        return this.nested(() => {
          for (let index = 0; index < count; index += 1) this.skip();
        });
      }
      case Major.map: {
        const count = this.map();
        return this.nested(() => {
          let last = "";
          for (let index = 0; index < count; index += 1) {
            const key = binaryText(this.item());
            if (index > 0 && key <= last) throw new ProtocolError("the keys of a map are not in order");
            last = key;
            this.skip();
          }
        });
      }
      case Major.tag: return this.skipTagged();
      default: return this.skipSimple();
    }
  }

  private skipTagged(): void {
    this.anyHead();
    this.nested(() => this.skip());
  }

  private skipSimple(): void {
    const initial = this.bytes[this.at]!;
    if (initial >= 0xf9 && initial <= 0xfb) return void this.float();
    if (initial > 0xfb) throw new ProtocolError("a reserved or indefinite length");
    if (initial === 0xf8) {
      if (this.bytes[this.take(2) + 1]! < 32) throw new ProtocolError("a simple value below 32 in two bytes");
    } else {
      this.take(1);
    }
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > this.limit) throw new ProtocolError("the items are nested too deep");
  }

  /** Passes bytes, and returns the place of the first. */
  private take(count: number): number {
    const start = this.at;
    if (count > this.bytes.length - start) throw new ProtocolError("the bytes end inside an item");
    this.at = start + count;
    return start;
  }

  private length(): number {
    return this.wide === undefined ? this.argument : Infinity;
  }

  /** A number of items, each of which has at least some bytes. */
  private count(bytesEach: number): number {
    const count = this.length();
    if (count * bytesEach > this.bytes.length - this.at) throw new ProtocolError("the bytes end inside a collection");
    return count;
  }

  private head(major: Major, what: string): void {
    if (this.next() !== major) throw new ProtocolError(`expected ${what}`);
    this.anyHead();
  }

  private anyHead(): void {
    const info = this.bytes[this.take(1)]! & 31;
    this.wide = undefined;
    if (info < 24) {
      this.argument = info;
    } else if (info === 24) {
      this.argument = this.bytes[this.take(1)]!;
      this.checkShortest(24);
    } else if (info === 25) {
      this.argument = this.view.getUint16(this.take(2));
      this.checkShortest(0x100);
    } else if (info === 26) {
      this.argument = this.view.getUint32(this.take(4));
      this.checkShortest(0x10000);
    } else if (info === 27) {
      const place = this.take(8);
      this.argument = this.view.getUint32(place) * 2 ** 32 + this.view.getUint32(place + 4);
      this.checkShortest(2 ** 32);
      if (this.argument > Number.MAX_SAFE_INTEGER) this.wide = this.view.getBigUint64(place);
    } else {
      throw new ProtocolError("a reserved or indefinite length");
    }
  }

  private checkShortest(least: number): void {
    if (this.argument < least) throw new ProtocolError("a number is not in its shortest form");
  }
}
