import { ProtocolError } from "../errors.js";
import type { Codec } from "./codec.js";
import { ArrayCodec, OptionalCodec, RangeCodec, ResultCodec } from "./containers.js";
import { EnumCodec, StructCodec } from "./definitions.js";
import { IdentifiableCodec, IdentifiedCodec, StackElementCodec } from "./identified.js";
import { leafCodecs, opaqueCodec } from "./leaves.js";
import { MergeCodec } from "./merges.js";
import type { PromptParts } from "./prompts.js";
import { alertCodec, buttonCodec, dialogCodec, TextStateCodec } from "./prompts.js";
import type { NamedType, Schema, SchemaType } from "./schema.js";
import { recursiveDefinitions } from "./schema.js";
import { DictionaryCodec, SetCodec } from "./unordered.js";

const text = new TextStateCodec();

/** Named types with parts, and how many they have. */
const partCounts: Readonly<Record<string, number>> = {
  Optional: 1, PresentationState: 1, Array: 1, IdentifiedArray: 2, StackState: 1, Set: 1, Dictionary: 2, Result: 2,
  Range: 1, ClosedRange: 1, Change: 1, AlertState: 1, ConfirmationDialogState: 1, ButtonState: 1,
};

/** The codecs of the types of one schema. */
export class Codecs {
  private readonly definitions: readonly (StructCodec | EnumCodec)[];

  /** @param recursive The definitions that count for nesting. */
  constructor(readonly schema: Schema, recursive = recursiveDefinitions(schema)) {
    this.definitions = schema.definitions.map((one, index) =>
      one.kind === "struct" ? new StructCodec(one) : new EnumCodec(one, recursive.has(index)));
    schema.definitions.forEach((definition, index) => {
      const codec = this.definitions[index]!;
      if (codec instanceof StructCodec && definition.kind === "struct") {
        codec.setFields(definition.fields.map(({ type, ...field }) => ({ ...field, codec: this.of(type) })));
      } else if (codec instanceof EnumCodec) {
        codec.setCases(type => this.of(type));
      }
    });
  }

  /** The codec of a type. */
  of(type: SchemaType): Codec {
    if (typeof type === "number") return this.definitions[type]!;
    const { name, parts } = type;
    if (name === "raw" && parts.length === 2) return this.of(parts[1]!);
    if (name === "TextState" && parts.length === 0) return text;
    const leaf = parts.length === 0 ? leafCodecs.get(name) : undefined;
    if (leaf !== undefined) return leaf;
    return partCounts[name] === parts.length ? this.container(type) : opaqueCodec;
  }

  private container({ name, parts }: NamedType): Codec {
    const part = (index: number): Codec => this.of(parts[index]!);
    switch (name) {
      case "Optional":
      case "PresentationState": return new OptionalCodec(part(0), name === "PresentationState");
      case "Array": return new ArrayCodec(part(0));
      case "IdentifiedArray":
        return new IdentifiedCodec(new IdentifiableCodec(part(0), part(1), this.idPath(parts[1]!)));
      case "StackState": return new IdentifiedCodec(new StackElementCodec(leafCodecs.get("StackElementID")!, part(0)));
      case "Set": return new SetCodec(part(0));
      case "Dictionary": return new DictionaryCodec(part(0), part(1));
      case "Result": return new ResultCodec([part(0), part(1)]);
      case "Change": return new MergeCodec(part(0), isCounter(parts[0]!));
      case "AlertState": return alertCodec(this.prompt(part(0)));
      case "ConfirmationDialogState": return dialogCodec(this.prompt(part(0)));
      case "ButtonState": return buttonCodec(this.prompt(part(0)));
      default: return new RangeCodec(part(0));
    }
  }

  private prompt(action: Codec): PromptParts {
    return {
      text, optionalText: new OptionalCodec(text), optionalAction: new OptionalCodec(action),
      array: element => new ArrayCodec(element),
    };
  }

  /** The names of the fields that lead from an element to its id. */
  private idPath(type: SchemaType): () => readonly string[] | undefined {
    let names: readonly string[] | undefined;
    let isKnown = false;
    // Asked for later, when all definitions have their fields.
    return () => {
      if (!isKnown) names = this.namesToID(type);
      isKnown = true;
      return names;
    };
  }

  private namesToID(type: SchemaType): string[] | undefined {
    const definition = typeof type === "number" ? this.definitions[type] : undefined;
    if (!(definition instanceof StructCodec) || definition.definition.id.length === 0) return undefined;
    const names: string[] = [];
    let codec: Codec = definition;
    for (const key of definition.definition.id) {
      const field = codec instanceof StructCodec ? codec.field(key) : undefined;
      if (field === undefined) {
        throw new ProtocolError(`the schema's place of the id of ${definition.definition.name} does not exist`);
      }
      names.push(field.name);
      codec = field.codec;
    }
    return names;
  }
}

function isCounter(type: SchemaType): boolean {
  if (typeof type === "number" || type.name !== "raw") return false;
  const name = type.parts[0];
  return typeof name === "object" && name.name === "SharedCounter";
}

/** True if a type contains values whose form only the feature's code knows: their hashes cannot be computed. */
export function containsOpaque(schema: Schema, type: SchemaType, seen = new Set<number>()): boolean {
  if (typeof type !== "number") {
    if (type.name === "raw" && type.parts.length === 2) return containsOpaque(schema, type.parts[1]!, seen);
    const isKnown = type.parts.length === 0 ? leafCodecs.has(type.name) || type.name === "TextState"
      : partCounts[type.name] === type.parts.length;
    return !isKnown || type.parts.some(part => containsOpaque(schema, part, seen));
  }
  if (seen.has(type)) return false;
  seen.add(type);
  const definition = schema.definitions[type]!;
  const types = definition.kind === "struct"
    ? definition.fields.map(field => field.type) : definition.cases.flatMap(one => one.payload);
  return types.some(part => containsOpaque(schema, part, seen));
}
