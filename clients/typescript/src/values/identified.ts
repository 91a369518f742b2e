import { binaryText } from "../cbor/bytes.js";
import type { CborReader } from "../cbor/reader.js";
import { Major } from "../cbor/reader.js";
import { CborWriter } from "../cbor/writer.js";
import { OpaqueChangeError, ProtocolError } from "../errors.js";
import { extendSequence } from "../hashing/sequence.js";
import { xxh3 } from "../hashing/xxh3.js";
import type { Codec } from "./codec.js";
import { expected, member, within } from "./codec.js";
import { writeElements } from "./containers.js";
import { Rearrangement } from "./rearrangement.js";
import type { StackElement } from "./types.js";

/** How the elements of one collection are written and known. */
export interface ElementCodec extends Codec {
  /** The codec of the ids. */
  readonly id: Codec;
  /** The id of an element; throws OpaqueChangeError if only the feature's code knows it. */
  idOf(element: unknown): unknown;
  /** True if the ids are in the elements' values. */
  readonly hasKnownID: boolean;
  /** Reads a change of an element, which does not contain its id. */
  changeElement(reader: CborReader, element: unknown): unknown;
}

/** What finds an element: a primitive that is equal for equal ids. */
type IDKey = string | number | bigint | boolean;

/** The ordered collections whose elements have ids: identified arrays and stacks. */
export class IdentifiedCodec implements Codec {
  readonly isNullable = false;
  /** The places of the elements by their ids, for arrays of which it was asked. */
  private readonly places = new WeakMap<readonly unknown[], Map<IDKey, number>>();
  /** The hashes of elements, which are objects and do not change. */
  private readonly hashes = new WeakMap<object, bigint>();

  constructor(private readonly element: ElementCodec) {}

  read(reader: CborReader): unknown[] {
    const count = reader.array();
    return reader.nested(() => {
      const elements: unknown[] = [];
      for (let index = 0; index < count; index += 1) elements.push(this.element.read(reader));
      return elements;
    });
  }

  write(writer: CborWriter, value: unknown): void {
    if (!Array.isArray(value)) throw expected("an array", value);
    if (writer.isSummary) return this.writeSummary(writer, value);
    writeElements(writer, value, this.element);
  }

  /** The number of elements and their sequence hash, in place of the elements (PROTOCOL.md, 13). */
  private writeSummary(writer: CborWriter, elements: readonly unknown[]): void {
    const scratch = new CborWriter();
    scratch.isSummary = true;
    let sequence = 0n;
    for (const element of elements) sequence = extendSequence(sequence, this.hash(element, scratch));
    const bytes = new Uint8Array(16);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(0, BigInt(elements.length), true);
    view.setBigUint64(8, sequence, true);
    writer.byteString(bytes);
  }

  private hash(element: unknown, scratch: CborWriter): bigint {
    const isObject = typeof element === "object" && element !== null;
    const known = isObject ? this.hashes.get(element) : undefined;
    if (known !== undefined) return known;
    scratch.clear();
    this.element.write(scratch, element);
    const hash = xxh3(scratch.written());
    if (isObject) this.hashes.set(element, hash);
    return hash;
  }

  change(reader: CborReader, value: unknown): unknown {
    if (reader.next() !== Major.map) return this.read(reader);
    const old = value as readonly unknown[];
    const rearrangement = new Rearrangement(old);
    let elements: unknown[] | undefined;
    reader.struct(key => {
      switch (key) {
        case 0: return this.each(reader, 1, () => rearrangement.remove(this.find(old, this.element.id.read(reader))));
        case 1: return this.each(reader, 2, () => {
          const offset = reader.uint();
          rearrangement.move(this.find(old, this.element.id.read(reader)), offset);
        });
        case 2: return this.each(reader, 2, () => {
          const offset = reader.uint();
          rearrangement.insert(this.element.read(reader), offset);
        });
        case 3:
          elements = this.rearranged(old, rearrangement);
          return this.changeElements(reader, elements);
        default: throw new ProtocolError(`a change of an identified array has no part ${key}`);
      }
    });
    return elements ?? this.rearranged(old, rearrangement);
  }

  /** Calls the closure for each item, or pair of items, of an array. */
  private each(reader: CborReader, width: number, read: () => void): void {
    const count = reader.array();
    if (count % width !== 0) throw new ProtocolError("half a pair in a change of an identified array");
    reader.nested(() => {
      for (let index = 0; index < count; index += width) read();
    });
  }

  private changeElements(reader: CborReader, elements: unknown[]): void {
    this.each(reader, 2, () => {
      const id = this.element.id.read(reader);
      const place = this.find(elements, id);
      const changed = this.element.changeElement(reader, elements[place]);
      if (this.idKey(this.element.idOf(changed)) !== this.idKey(id)) {
        throw new ProtocolError("a change of an element's id");
      }
      elements[place] = changed;
    });
  }

  /** The elements at their new places. The table of places is kept as long as it holds. */
  private rearranged(old: readonly unknown[], rearrangement: Rearrangement): unknown[] {
    const elements = rearrangement.result();
    if (!this.element.hasKnownID) return elements;
    const places = this.places.get(old);
    if (places !== undefined && rearrangement.isAppend) {
      this.places.delete(old);
      for (const element of rearrangement.newElements) places.set(this.idKey(this.element.idOf(element)), places.size);
      if (places.size !== elements.length) throw new ProtocolError("the insertion of an element that is there");
      this.places.set(elements, places);
    } else if (rearrangement.newElements.length > 0) {
      // Finds an id that is there twice.
      this.table(elements);
    }
    return elements;
  }

  private find(elements: readonly unknown[], id: unknown): number {
    const place = this.table(elements).get(this.idKey(id));
    if (place === undefined) throw new ProtocolError("a change of an element that is not there");
    return place;
  }

  private table(elements: readonly unknown[]): Map<IDKey, number> {
    let places = this.places.get(elements);
    if (places === undefined) {
      places = new Map();
      for (const element of elements) places.set(this.idKey(this.element.idOf(element)), places.size);
      if (places.size !== elements.length) throw new ProtocolError("two elements have the same id");
      this.places.set(elements, places);
    }
    return places;
  }

  private idKey(id: unknown): IDKey {
    // Floats are compared by their bytes: −0 is another id than 0.
    if (typeof id === "string" || typeof id === "bigint" || typeof id === "boolean") return id;
    return binaryText(CborWriter.bytes(writer => this.element.id.write(writer, id)));
  }
}

/** An element of an identified array, with its id in it. */
export class IdentifiableCodec implements ElementCodec {
  readonly isNullable: boolean;

  /** @param path The names of the fields that lead to the id; undefined if only the feature's code knows it. */
  constructor(
    readonly id: Codec, private readonly element: Codec, private readonly path: () => readonly string[] | undefined,
  ) {
    this.isNullable = element.isNullable;
  }

  get hasKnownID(): boolean {
    return this.path() !== undefined;
  }

  idOf(element: unknown): unknown {
    const path = this.path();
    if (path === undefined) throw new OpaqueChangeError("the ids of the elements are not in the schema");
    return path.reduce((part, name) => member(part as object, name), element);
  }

  read(reader: CborReader): unknown {
    return this.element.read(reader);
  }

  write(writer: CborWriter, value: unknown): void {
    this.element.write(writer, value);
  }

  change(reader: CborReader, value: unknown): unknown {
    return this.element.change(reader, value);
  }

  changeElement(reader: CborReader, element: unknown): unknown {
    return this.element.change(reader, element);
  }
}

/** An element of a stack, which is beside its id. */
export class StackElementCodec implements ElementCodec {
  readonly isNullable = false;
  readonly hasKnownID = true;

  constructor(readonly id: Codec, private readonly element: Codec) {}

  idOf(element: unknown): unknown {
    return (element as StackElement<unknown>).id;
  }

  read(reader: CborReader): unknown {
    reader.tuple(2);
    return reader.nested(() => ({ id: this.id.read(reader), element: this.element.read(reader) }));
  }

  write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "object" || value === null) throw expected("{ id, element }", value);
    writer.array(2);
    within("id", () => this.id.write(writer, member(value, "id")));
    within("element", () => this.element.write(writer, member(value, "element")));
  }

  change(reader: CborReader): unknown {
    return this.read(reader);
  }

  changeElement(reader: CborReader, element: unknown): unknown {
    const { id, element: old } = element as StackElement<unknown>;
    return { id, element: this.element.change(reader, old) };
  }
}
