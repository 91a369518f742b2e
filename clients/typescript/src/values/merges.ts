import type { CborWriter } from "../cbor/writer.js";
import type { CborReader } from "../cbor/reader.js";
import { ProtocolError } from "../errors.js";
import type { Codec } from "./codec.js";
import { expected, LeafCodec, member, within } from "./codec.js";
import { StructCodec } from "./definitions.js";
import { leafCodecs, writeOpaque } from "./leaves.js";
import { Opaque } from "./types.js";
import { DictionaryCodec } from "./unordered.js";

/** A change of a field of a shared model, which only actions contain (PROTOCOL.md, 10.3). */
export class MergeCodec extends LeafCodec {
  /** @param isCounter True for a SharedCounter, which has differences instead of new values. */
  constructor(private readonly field: Codec, private readonly isCounter: boolean) {
    super();
  }

  override read(_reader: CborReader): never {
    throw new ProtocolError("a change that merges, outside of an action");
  }

  override write(writer: CborWriter, value: unknown): void {
    if (value instanceof Opaque) return writeOpaque(writer, value);
    if (typeof value !== "object" || value === null) throw expected("{ set }, { add } or an Opaque", value);
    const difference = member(value, "add");
    const hasValue = Object.prototype.hasOwnProperty.call(value, "set");
    if (hasValue && difference !== undefined) throw expected("{ set } or { add }, and not both", value);
    if (this.isCounter) {
      if (typeof difference !== "bigint") throw expected("{ add } with a bigint", value);
      writer.map(1);
      writer.uint(0);
      return within("add", () => leafCodecs.get("Int128")!.write(writer, difference));
    }
    if (!hasValue) throw expected("{ set } or an Opaque", value);
    within("set", () => MergeCodec.replace(writer, this.field, member(value, "set")));
  }

  /** Writes a new value where a map would be a change inside the old one. */
  private static replace(writer: CborWriter, codec: Codec, value: unknown): void {
    if (codec instanceof DictionaryCodec) writer.array(1);
    if (!(codec instanceof StructCodec)) return codec.write(writer, value);
    // A struct has no other form than the changes of its fields.
    if (typeof value !== "object" || value === null) throw expected("an object", value);
    // Read once, as the fields of any struct.
    const fields = codec.fields.map(field => ({ field, part: member(value, field.name) }))
      .filter(({ part }) => part !== undefined);
    writer.map(fields.length);
    for (const { field, part } of fields) {
      writer.uint(field.key);
      within(field.name, () => MergeCodec.replace(writer, field.codec, part));
    }
  }
}
