// Sets and dictionaries. Their order on the wire is that of the encodings of their members and keys, which are kept
// beside the collections, because JavaScript compares objects by identity.

import { binaryText } from "../cbor/bytes.js";
import type { CborReader } from "../cbor/reader.js";
import { Major } from "../cbor/reader.js";
import { CborWriter } from "../cbor/writer.js";
import { ProtocolError, ValueError } from "../errors.js";
import type { Codec } from "./codec.js";
import { describe, expected, within } from "./codec.js";

/** A key or a member, with its encoding as a text whose order is that of the bytes. */
interface Keyed {
  readonly encoding: string;
  readonly key: unknown;
  readonly value: unknown;
  /** The encoding as bytes, if it was just written for the place of the collection. */
  readonly bytes?: Uint8Array;
}

/** What sets and dictionaries have in common. */
abstract class KeyedCodec<Collection extends object> implements Codec {
  readonly isNullable = false;
  private readonly entriesOf = new WeakMap<object, readonly Keyed[]>();

  constructor(protected readonly keyCodec: Codec) {}

  abstract read(reader: CborReader): unknown;
  abstract write(writer: CborWriter, value: unknown): void;
  abstract change(reader: CborReader, value: unknown): unknown;
  protected abstract collection(entries: readonly Keyed[]): Collection;
  protected abstract pairs(collection: Collection): Iterable<readonly [unknown, unknown]>;

  protected build(entries: readonly Keyed[]): Collection {
    const collection = this.collection(entries);
    this.entriesOf.set(collection, entries);
    return collection;
  }

  /** Reads a key or a member with its encoding. */
  protected readKey(reader: CborReader): Omit<Keyed, "value"> {
    const start = reader.at;
    const key = this.keyCodec.read(reader);
    return { encoding: binaryText(reader.since(start)), key };
  }

  /** Reads entries, whose order on the wire is checked. */
  protected readEntries(count: number, reader: CborReader, read: () => Keyed): Keyed[] {
    return reader.nested(() => {
      const entries: Keyed[] = [];
      for (let index = 0; index < count; index += 1) {
        const entry = read();
        if (index > 0 && entry.encoding <= entries[index - 1]!.encoding) {
          throw new ProtocolError("keys or members are not in order");
        }
        entries.push(entry);
      }
      return entries;
    });
  }

  /**
   * The entries of a collection in the order of the wire.
   *
   * @param depth The values around the keys whose types can contain themselves.
   */
  protected entries(collection: Collection, depth = 0): readonly Keyed[] {
    const known = this.entriesOf.get(collection);
    if (known !== undefined) return known;
    const entries: Keyed[] = [];
    for (const [key, value] of this.pairs(collection)) {
      const bytes = CborWriter.bytes(writer => within("key", () => this.keyCodec.write(writer, key)), depth);
      entries.push({ encoding: binaryText(bytes), key, value, bytes });
    }
    entries.sort((one, other) => (one.encoding < other.encoding ? -1 : 1));
    entries.forEach((entry, index) => {
      if (index > 0 && entry.encoding === entries[index - 1]!.encoding) {
        throw new ValueError("two keys or members are equal");
      }
    });
    return entries;
  }

  protected writeKey(writer: CborWriter, entry: Keyed): void {
    // Sets in sets would otherwise be written twice at each level.
    if (entry.bytes !== undefined) return writer.raw(entry.bytes);
    // Nothing is replaced in keys and members (PROTOCOL.md, 13).
    const isSummary = writer.isSummary;
    writer.isSummary = false;
    this.keyCodec.write(writer, entry.key);
    writer.isSummary = isSummary;
  }

  /** The entries without those whose keys come next. */
  protected remove(reader: CborReader, from: Map<string, Keyed>): void {
    const count = reader.array();
    reader.nested(() => {
      for (let index = 0; index < count; index += 1) {
        if (!from.delete(this.readKey(reader).encoding)) {
          throw new ProtocolError("the removal of a key or member that is not there");
        }
      }
    });
  }

  protected insert(entries: readonly Keyed[], into: Map<string, Keyed>): void {
    for (const entry of entries) {
      if (into.has(entry.encoding)) throw new ProtocolError("the insertion of a key or member that is there");
      into.set(entry.encoding, entry);
    }
  }

  protected table(collection: unknown): Map<string, Keyed> {
    return new Map(this.entries(collection as Collection).map(entry => [entry.encoding, entry]));
  }

  protected sorted(table: Map<string, Keyed>): Collection {
    return this.build([...table.values()].sort((one, other) => (one.encoding < other.encoding ? -1 : 1)));
  }
}

export class SetCodec extends KeyedCodec<ReadonlySet<unknown>> {
  override read(reader: CborReader): unknown {
    return this.build(this.readMembers(reader));
  }

  private readMembers(reader: CborReader): Keyed[] {
    return this.readEntries(reader.array(), reader, () => ({ ...this.readKey(reader), value: undefined }));
  }

  override write(writer: CborWriter, value: unknown): void {
    if (!(value instanceof Set)) throw expected("a Set", value);
    writer.nested(() => {
      const entries = this.entries(value, writer.nesting);
      writer.array(entries.length);
      for (const entry of entries) this.writeKey(writer, entry);
    });
  }

  override change(reader: CborReader, value: unknown): unknown {
    if (reader.next() !== Major.map) return this.read(reader);
    const table = this.table(value);
    reader.struct(key => {
      if (key === 0) this.remove(reader, table);
      else if (key === 1) this.insert(this.readMembers(reader), table);
      else throw new ProtocolError(`a change of a set has no part ${key}`);
    });
    return this.sorted(table);
  }

  protected override collection(entries: readonly Keyed[]): ReadonlySet<unknown> {
    return new Set(entries.map(entry => entry.key));
  }

  protected override pairs(collection: ReadonlySet<unknown>): Iterable<readonly [unknown, unknown]> {
    return collection.entries();
  }
}

export class DictionaryCodec extends KeyedCodec<ReadonlyMap<unknown, unknown>> {
  constructor(keyCodec: Codec, private readonly valueCodec: Codec) {
    super(keyCodec);
  }

  override read(reader: CborReader): unknown {
    return this.build(this.readPairs(reader));
  }

  private readPairs(reader: CborReader): Keyed[] {
    return this.readEntries(reader.map(), reader, () => {
      return { ...this.readKey(reader), value: this.valueCodec.read(reader) };
    });
  }

  override write(writer: CborWriter, value: unknown): void {
    if (!(value instanceof Map)) throw expected("a Map", value);
    writer.nested(() => {
      const entries = this.entries(value, writer.nesting);
      writer.map(entries.length);
      for (const entry of entries) {
        this.writeKey(writer, entry);
        within(describe(entry.key), () => this.valueCodec.write(writer, entry.value));
      }
    });
  }

  override change(reader: CborReader, value: unknown): unknown {
    if (reader.next() !== Major.map) {
      reader.tuple(1);
      return reader.nested(() => this.read(reader));
    }
    const table = this.table(value);
    reader.struct(key => {
      if (key === 0) this.remove(reader, table);
      else if (key === 1) this.insert(this.readPairs(reader), table);
      else if (key === 2) this.changeValues(reader, table);
      else throw new ProtocolError(`a change of a dictionary has no part ${key}`);
    });
    return this.sorted(table);
  }

  private changeValues(reader: CborReader, table: Map<string, Keyed>): void {
    this.readEntries(reader.map(), reader, () => {
      const { encoding } = this.readKey(reader);
      const entry = table.get(encoding);
      if (entry === undefined) throw new ProtocolError("the change of a key that is not there");
      const changed = { ...entry, value: this.valueCodec.change(reader, entry.value) };
      table.set(encoding, changed);
      return changed;
    });
  }

  protected override collection(entries: readonly Keyed[]): ReadonlyMap<unknown, unknown> {
    return new Map(entries.map(entry => [entry.key, entry.value]));
  }

  protected override pairs(collection: ReadonlyMap<unknown, unknown>): Iterable<readonly [unknown, unknown]> {
    return collection.entries();
  }
}
