import type { CborReader } from "../cbor/reader.js";
import { Major } from "../cbor/reader.js";
import type { CborWriter } from "../cbor/writer.js";
import { ProtocolError, ValueError } from "../errors.js";
import type { Codec } from "./codec.js";
import { expected, member, setMember, within } from "./codec.js";
import type { EnumDefinition, StructDefinition } from "./schema.js";

type Members = Record<string, unknown>;

export interface FieldCodec {
  readonly key: number;
  readonly name: string;
  readonly codec: Codec;
  readonly hasDefault: boolean;
}

/** A struct: an object with its fields by name. */
export class StructCodec implements Codec {
  readonly isNullable = false;
  fields: readonly FieldCodec[] = [];
  private readonly byKey = new Map<number, FieldCodec>();

  constructor(readonly definition: Pick<StructDefinition, "name" | "id">) {}

  /** Sets the fields, which may be of this very type. */
  setFields(fields: readonly FieldCodec[]): void {
    this.fields = fields;
    for (const field of fields) this.byKey.set(field.key, field);
  }

  field(key: number): FieldCodec | undefined {
    return this.byKey.get(key);
  }

  read(reader: CborReader): Members {
    const value: Members = {};
    let place = 0;
    reader.struct(key => {
      while (place < this.fields.length && this.fields[place]!.key < key) this.readAbsent(this.fields[place++]!, value);
      const field = this.fields[place];
      if (field?.key !== key) return reader.skip();
      place += 1;
      setMember(value, field.name, field.codec.read(reader));
    });
    while (place < this.fields.length) this.readAbsent(this.fields[place++]!, value);
    return value;
  }

  private readAbsent(field: FieldCodec, value: Members): void {
    if (field.codec.isNullable) setMember(value, field.name, null);
    else if (!field.hasDefault) throw new ProtocolError(`${this.definition.name} has no field ${field.name}`);
  }

  write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "object" || value === null) {
      throw expected(`an object with the fields of ${this.definition.name}`, value);
    }
    let count = 0;
    let given = 0;
    // Read once: a getter may return something else the next time, and the number of fields is written first.
    const parts: unknown[] = [];
    for (const field of this.fields) {
      const isGiven = Object.prototype.hasOwnProperty.call(value, field.name);
      if (isGiven) given += 1;
      const part = isGiven ? (value as Members)[field.name] : undefined;
      parts.push(part);
      if (field.codec.isNullable || part !== undefined) count += 1;
      else if (!field.hasDefault) throw new ValueError(`the field ${field.name} is missing`);
    }
    const names = Object.keys(value);
    if (names.length > given) {
      const unknown = names.find(name => !this.fields.some(field => field.name === name));
      throw new ValueError(`${this.definition.name} has no field ${unknown}`);
    }
    writer.map(count);
    this.fields.forEach((field, index) => {
      const part = parts[index];
      if (part === undefined && !field.codec.isNullable) return;
      writer.uint(field.key);
      within(field.name, () => field.codec.write(writer, part ?? null));
    });
  }

  change(reader: CborReader, value: unknown): unknown {
    // A struct always changes inside.
    const changed: Members = { ...(value as Members) };
    reader.struct(key => {
      const field = this.byKey.get(key);
      if (field === undefined) return reader.skip();
      const old = member(value as Members, field.name);
      if (old === undefined) throw new ProtocolError(`a change inside the absent field ${field.name}`);
      setMember(changed, field.name, field.codec.change(reader, old));
    });
    return changed;
  }
}

interface CaseCodec {
  readonly key: number;
  readonly name: string;
  readonly members: readonly string[];
  readonly codecs: readonly Codec[];
  /** The value of a case without values, which is always the same object. */
  readonly empty: Members;
}

/** An enum: an object with the name of its case, and the values of the case beside it. */
export class EnumCodec implements Codec {
  readonly isNullable = false;
  private readonly byKey = new Map<number, CaseCodec>();
  private readonly byName = new Map<string, CaseCodec>();

  /** @param isRecursive True if it can contain itself without a collection between: it counts for nesting. */
  constructor(private readonly definition: EnumDefinition, private readonly isRecursive: boolean) {}

  /** Sets the codecs of the cases' values, which may be of this very type. */
  setCases(codecOf: (type: EnumDefinition["cases"][number]["payload"][number]) => Codec): void {
    for (const { key, name, payload, members } of this.definition.cases) {
      const one = { key, name, members, codecs: payload.map(codecOf), empty: Object.freeze({ case: name }) };
      this.byKey.set(key, one);
      this.byName.set(name, one);
    }
  }

  read(reader: CborReader): unknown {
    if (reader.next() === Major.unsigned) {
      const one = this.case(reader.uint());
      if (one.codecs.length > 0) throw new ProtocolError(`the case ${one.name} has values`);
      return one.empty;
    }
    const count = reader.array();
    return reader.nested(() => {
      const one = this.case(reader.uint());
      if (one.codecs.length === 0 || one.codecs.length !== count - 1) {
        throw new ProtocolError(`the case ${one.name} has ${one.codecs.length} values, not ${count - 1}`);
      }
      const value: Members = { case: one.name };
      one.codecs.forEach((codec, index) => setMember(value, one.members[index]!, codec.read(reader)));
      return value;
    });
  }

  private case(key: number): CaseCodec {
    const one = this.byKey.get(key);
    if (one === undefined) throw new ProtocolError(`${this.definition.name} has no case with the key ${key}`);
    return one;
  }

  write(writer: CborWriter, value: unknown): void {
    const name = typeof value === "object" && value !== null ? member(value, "case") : undefined;
    if (typeof name !== "string") throw expected(`{ case: … } with a case of ${this.definition.name}`, value);
    const one = this.byName.get(name);
    if (one === undefined) {
      throw new ValueError(`${this.definition.name} has no case ${name}; it has ${[...this.byName.keys()].join(", ")}`);
    }
    for (const given of Object.keys(value as object)) {
      if (given !== "case" && !one.members.includes(given)) {
        throw new ValueError(`the case ${name} has no value ${given}; it has ${one.members.join(", ") || "none"}`);
      }
    }
    if (one.codecs.length === 0) return writer.uint(one.key);
    writer.array(1 + one.codecs.length);
    writer.uint(one.key);
    if (this.isRecursive) writer.nested(() => this.writeParts(writer, one, value as object));
    else this.writeParts(writer, one, value as object);
  }

  private writeParts(writer: CborWriter, one: CaseCodec, value: object): void {
    one.codecs.forEach((codec, index) => {
      const part = one.members[index]!;
      within(`${one.name}.${part}`, () => codec.write(writer, member(value, part)));
    });
  }

  change(reader: CborReader, value: unknown): unknown {
    if (reader.next() !== Major.map) return this.read(reader);
    const changed: Members = { ...(value as Members) };
    let isFirst = true;
    reader.struct(key => {
      const one = this.case(key);
      if (!isFirst || one.codecs.length === 0 || one.name !== changed["case"]) {
        throw new ProtocolError(`a change inside another case than ${String(changed["case"])}`);
      }
      isFirst = false;
      if (one.codecs.length === 1) return this.changePart(reader, one, 0, changed);
      reader.struct(index => this.changePart(reader, one, index, changed));
    });
    if (isFirst) throw new ProtocolError("an empty change of an enum");
    return changed;
  }

  private changePart(reader: CborReader, one: CaseCodec, index: number, changed: Members): void {
    const codec = one.codecs[index];
    if (codec === undefined) throw new ProtocolError(`the case ${one.name} has no value ${index}`);
    const name = one.members[index]!;
    setMember(changed, name, codec.change(reader, member(changed, name)));
  }
}
