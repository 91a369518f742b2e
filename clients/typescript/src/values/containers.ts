import type { CborReader } from "../cbor/reader.js";
import { Major } from "../cbor/reader.js";
import type { CborWriter } from "../cbor/writer.js";
import { ProtocolError } from "../errors.js";
import type { Codec } from "./codec.js";
import { expected, member, within } from "./codec.js";

/** An optional: null or the value, which is wrapped if it can itself be null. */
export class OptionalCodec implements Codec {
  readonly isNullable = true;

  /** @param nests True if it counts for the nesting of values (PROTOCOL.md, 5.7), as a presented state does. */
  constructor(private readonly wrapped: Codec, private readonly nests = false) {}

  read(reader: CborReader): unknown {
    if (reader.takeNull()) return null;
    reader.tuple(1);
    return this.wrap(reader.nested(() => this.wrapped.read(reader)));
  }

  write(writer: CborWriter, value: unknown): void {
    if (value === null || value === undefined) return writer.null();
    writer.array(1);
    if (this.nests) writer.nested(() => this.writeWrapped(writer, value));
    else this.writeWrapped(writer, value);
  }

  private writeWrapped(writer: CborWriter, value: unknown): void {
    if (!this.wrapped.isNullable) return this.wrapped.write(writer, value);
    const isWrapped = typeof value === "object" && value !== null && member(value, "some") !== undefined;
    if (!isWrapped) throw expected("null or { some: … }", value);
    within("some", () => this.wrapped.write(writer, (value as { some: unknown }).some));
  }

  change(reader: CborReader, value: unknown): unknown {
    if (reader.next() !== Major.map) return this.read(reader);
    if (value === null) throw new ProtocolError("a change inside null");
    let changed: unknown;
    let count = 0;
    reader.struct(key => {
      if (key !== 0) throw new ProtocolError(`an optional has no part ${key}`);
      count += 1;
      const old = this.wrapped.isNullable ? (value as { some: unknown }).some : value;
      changed = this.wrap(this.wrapped.change(reader, old));
    });
    if (count === 0) throw new ProtocolError("an empty change of an optional");
    return changed;
  }

  private wrap(value: unknown): unknown {
    return this.wrapped.isNullable ? { some: value } : value;
  }
}

/** A result: like an enum with two cases. */
export class ResultCodec implements Codec {
  readonly isNullable = false;
  private static readonly names = ["success", "failure"] as const;

  constructor(private readonly codecs: readonly [Codec, Codec]) {}

  read(reader: CborReader): unknown {
    reader.tuple(2);
    return reader.nested(() => {
      const index = this.index(reader.uint());
      return { case: ResultCodec.names[index], value: this.codecs[index].read(reader) };
    });
  }

  private index(key: number): 0 | 1 {
    if (key !== 0 && key !== 1) throw new ProtocolError(`a result has no case ${key}`);
    return key;
  }

  write(writer: CborWriter, value: unknown): void {
    const name = typeof value === "object" && value !== null ? member(value, "case") : undefined;
    if (name !== "success" && name !== "failure") throw expected('{ case: "success" or "failure", value }', value);
    const index = name === "success" ? 0 : 1;
    writer.array(2);
    writer.uint(index);
    within(name, () => this.codecs[index].write(writer, member(value as object, "value")));
  }

  change(reader: CborReader, value: unknown): unknown {
    if (reader.next() !== Major.map) return this.read(reader);
    const old = value as { case: string; value: unknown };
    let changed: unknown;
    reader.struct(key => {
      const index = this.index(key);
      if (changed !== undefined || ResultCodec.names[index] !== old.case) {
        throw new ProtocolError("a change inside another case");
      }
      changed = { case: old.case, value: this.codecs[index].change(reader, old.value) };
    });
    if (changed === undefined) throw new ProtocolError("an empty change of a result");
    return changed;
  }
}

/** A range: an object with its bounds. It changes as a whole. */
export class RangeCodec implements Codec {
  readonly isNullable = false;

  constructor(private readonly bound: Codec) {}

  read(reader: CborReader): unknown {
    reader.tuple(2);
    return reader.nested(() => ({ lower: this.bound.read(reader), upper: this.bound.read(reader) }));
  }

  write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "object" || value === null) throw expected("{ lower, upper }", value);
    writer.array(2);
    for (const name of ["lower", "upper"]) within(name, () => this.bound.write(writer, member(value, name)));
  }

  change(reader: CborReader): unknown {
    return this.read(reader);
  }
}

/** Writes an array and its elements. A hole in it is an element that is undefined. */
export function writeElements(writer: CborWriter, elements: readonly unknown[], codec: Pick<Codec, "write">): void {
  const count = elements.length;
  writer.array(count);
  writer.nested(() => {
    for (let index = 0; index < count; index += 1) {
      within(String(index), () => codec.write(writer, elements[index]));
    }
  });
}

/** An array. */
export class ArrayCodec implements Codec {
  readonly isNullable = false;

  constructor(private readonly element: Codec) {}

  read(reader: CborReader): unknown[] {
    const count = reader.array();
    return reader.nested(() => this.readElements(reader, count));
  }

  private readElements(reader: CborReader, count: number): unknown[] {
    const elements: unknown[] = [];
    for (let index = 0; index < count; index += 1) elements.push(this.element.read(reader));
    return elements;
  }

  write(writer: CborWriter, value: unknown): void {
    if (!Array.isArray(value)) throw expected("an array", value);
    writeElements(writer, value, this.element);
  }

  change(reader: CborReader, value: unknown): unknown {
    if (reader.next() !== Major.map) return this.read(reader);
    let elements = (value as readonly unknown[]).slice();
    reader.struct(key => {
      switch (key) {
        case 0: {
          const count = reader.array();
          const [offset, removed] = [reader.uint(), reader.uint()];
          if (count < 2 || offset + removed > elements.length) {
            throw new ProtocolError("a splice beyond the end of an array");
          }
          const inserted = reader.nested(() => this.readElements(reader, count - 2));
          elements = [...elements.slice(0, offset), ...inserted, ...elements.slice(offset + removed)];
          return;
        }
        case 1: return reader.struct(offset => {
          if (offset >= elements.length) throw new ProtocolError("a change beyond the end of an array");
          elements[offset] = this.element.change(reader, elements[offset]);
        });
        default: throw new ProtocolError(`a change of an array has no part ${key}`);
      }
    });
    return elements;
  }
}
