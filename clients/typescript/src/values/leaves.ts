import { equalBytes, fromHex, toHex } from "../cbor/bytes.js";
import { CborReader, deepestUnknown, Major } from "../cbor/reader.js";
import type { CborWriter } from "../cbor/writer.js";
import { OpaqueChangeError, ProtocolError, ValueError } from "../errors.js";
import type { Codec } from "./codec.js";
import { expected, LeafCodec } from "./codec.js";
import { Duration, HubDate, HubURL, Opaque } from "./types.js";

class BoolCodec extends LeafCodec {
  override read(reader: CborReader): boolean {
    return reader.bool();
  }

  override write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "boolean") throw expected("a boolean", value);
    writer.bool(value);
  }
}

/** An integer of more than 32 bits. */
class BigIntCodec extends LeafCodec {
  private readonly least: bigint;
  private readonly greatest: bigint;

  constructor(bits: bigint, isSigned: boolean) {
    super();
    this.least = isSigned ? -(1n << (bits - 1n)) : 0n;
    this.greatest = (1n << (isSigned ? bits - 1n : bits)) - 1n;
  }

  override read(reader: CborReader): bigint {
    const value = reader.bigInt();
    if (value < this.least || value > this.greatest) throw new ProtocolError(`the integer ${value} is out of range`);
    return value;
  }

  override write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "bigint") throw expected("a bigint", value);
    if (value < this.least || value > this.greatest) {
      throw expected(`a bigint from ${this.least} to ${this.greatest}`, value);
    }
    writer.int(value);
  }
}

/** An integer of up to 32 bits. */
class SmallIntCodec extends LeafCodec {
  private readonly least: number;
  private readonly greatest: number;

  constructor(bits: number, isSigned: boolean) {
    super();
    this.least = isSigned ? -(2 ** (bits - 1)) : 0;
    this.greatest = 2 ** (isSigned ? bits - 1 : bits) - 1;
  }

  override read(reader: CborReader): number {
    const value = reader.smallInt();
    if (value < this.least || value > this.greatest) throw new ProtocolError(`the integer ${value} is out of range`);
    return value;
  }

  override write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "number" || !Number.isInteger(value) || value < this.least || value > this.greatest) {
      throw expected(`an integer from ${this.least} to ${this.greatest}`, value);
    }
    writer.smallInt(value);
  }
}

class FloatCodec extends LeafCodec {
  constructor(private readonly isSingle: boolean) {
    super();
  }

  override read(reader: CborReader): number {
    const value = reader.float();
    if (this.isSingle && !Number.isNaN(value) && Math.fround(value) !== value) {
      throw new ProtocolError("a Float has more than 32 bits");
    }
    return value;
  }

  override write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "number") throw expected("a number", value);
    writer.float(this.isSingle ? Math.fround(value) : value);
  }
}

class DateCodec extends LeafCodec {
  override read(reader: CborReader): HubDate {
    return new HubDate(reader.float());
  }

  override write(writer: CborWriter, value: unknown): void {
    if (!(value instanceof Date)) throw expected("a Date", value);
    const seconds: unknown = HubDate.seconds(value);
    if (typeof seconds !== "number") throw expected("a Date with a number of seconds", value);
    writer.float(seconds);
  }
}

class TextCodec extends LeafCodec {
  override read(reader: CborReader): string {
    return reader.text();
  }

  override write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "string") throw expected("a string", value);
    writer.text(value);
  }
}

class ScalarCodec extends LeafCodec {
  override read(reader: CborReader): string {
    const code = reader.uint();
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new ProtocolError(`${code} is not a scalar`);
    return String.fromCodePoint(code);
  }

  override write(writer: CborWriter, value: unknown): void {
    const code = typeof value === "string" ? value.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== value || (code >= 0xd800 && code < 0xe000)) {
      throw expected("the text of one scalar", value);
    }
    writer.uint(code);
  }
}

class DataCodec extends LeafCodec {
  override read(reader: CborReader): Uint8Array {
    // A copy, so that a small value does not keep the whole frame in memory.
    return reader.byteString().slice();
  }

  override write(writer: CborWriter, value: unknown): void {
    if (!(value instanceof Uint8Array)) throw expected("a Uint8Array", value);
    writer.byteString(value);
  }
}

class UUIDCodec extends LeafCodec {
  override read(reader: CborReader): string {
    const bytes = reader.byteString();
    if (bytes.length !== 16) throw new ProtocolError("a UUID has 16 bytes");
    return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  override write(writer: CborWriter, value: unknown): void {
    const isUUID = typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
    if (!isUUID) throw expected("the text of a UUID", value);
    writer.byteString(fromHex((value as string).replaceAll("-", ""))!);
  }
}

/** How many URLs may be relative to one another. */
const mostBases = 64;

class URLCodec extends LeafCodec {
  override read(reader: CborReader): HubURL {
    if (reader.next() === Major.text) return reader.text();
    return reader.nested(() => {
      reader.tuple(2);
      return { url: reader.text(), base: this.read(reader) };
    });
  }

  override write(writer: CborWriter, value: unknown, bases = 0): void {
    if (typeof value === "string") return writer.text(value);
    if (bases >= mostBases) throw new ValueError(`a URL has more than ${mostBases} bases`);
    const { url, base } = (value ?? {}) as { url?: unknown; base?: unknown };
    if (typeof url !== "string") throw expected("a string, or { url, base }", value);
    writer.array(2);
    writer.text(url);
    this.write(writer, base, bases + 1);
  }
}

class DurationCodec extends LeafCodec {
  override read(reader: CborReader): Duration {
    reader.tuple(2);
    return { seconds: reader.int(), attoseconds: reader.int() };
  }

  override write(writer: CborWriter, value: unknown): void {
    const { seconds, attoseconds } = (value ?? {}) as Partial<Duration>;
    if (typeof seconds !== "bigint" || typeof attoseconds !== "bigint") {
      throw expected("{ seconds, attoseconds }, two bigints", value);
    }
    writer.array(2);
    writer.int(seconds);
    writer.int(attoseconds);
  }
}

class NeverCodec extends LeafCodec {
  override read(): never {
    throw new ProtocolError("a value of a type that has none");
  }

  override write(_writer: CborWriter, value: unknown): void {
    throw expected("nothing: this hub takes no actions", value);
  }
}

/** Writes the item that a program gives, if it is one that hubs take. */
export function writeOpaque(writer: CborWriter, { bytes }: Opaque): void {
  CborReader.whole(bytes, reader => reader.skip(), deepestUnknown);
  writer.raw(bytes);
}

class OpaqueCodec extends LeafCodec {
  override read(reader: CborReader): Opaque {
    return new Opaque(reader.item().slice());
  }

  override write(writer: CborWriter, value: unknown): void {
    if (!(value instanceof Opaque)) throw expected("an Opaque", value);
    writeOpaque(writer, value);
  }

  override change(reader: CborReader, value: unknown): unknown {
    if (reader.next() === Major.map) throw new OpaqueChangeError("only the feature's code can apply this change");
    const changed = this.read(reader);
    return equalBytes(changed.bytes, (value as Opaque).bytes) ? value : changed;
  }
}

const text = new TextCodec();
const int64 = new BigIntCodec(64n, true);
const uint64 = new BigIntCodec(64n, false);

/** The types without parts. */
export const leafCodecs: ReadonlyMap<string, Codec> = new Map<string, Codec>([
  ["Bool", new BoolCodec()],
  ["Int", int64],
  ["Int8", new SmallIntCodec(8, true)],
  ["Int16", new SmallIntCodec(16, true)],
  ["Int32", new SmallIntCodec(32, true)],
  ["Int64", int64],
  ["Int128", new BigIntCodec(128n, true)],
  ["UInt", uint64],
  ["UInt8", new SmallIntCodec(8, false)],
  ["UInt16", new SmallIntCodec(16, false)],
  ["UInt32", new SmallIntCodec(32, false)],
  ["UInt64", uint64],
  ["UInt128", new BigIntCodec(128n, false)],
  ["StackElementID", int64],
  ["Float", new FloatCodec(true)],
  ["Double", new FloatCodec(false)],
  ["Date", new DateCodec()],
  ["String", text],
  ["Substring", text],
  ["Character", text],
  ["Decimal", text],
  ["Unicode.Scalar", new ScalarCodec()],
  ["Data", new DataCodec()],
  ["UUID", new UUIDCodec()],
  ["URL", new URLCodec()],
  ["Duration", new DurationCodec()],
  ["Never", new NeverCodec()],
]);

export const opaqueCodec: Codec = new OpaqueCodec();
