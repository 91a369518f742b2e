// Texts with styles, and the alerts and dialogs made of them.

import type { CborReader } from "../cbor/reader.js";
import { Major } from "../cbor/reader.js";
import type { CborWriter } from "../cbor/writer.js";
import { ProtocolError } from "../errors.js";
import type { Codec } from "./codec.js";
import { expected, LeafCodec, member, within } from "./codec.js";

const flags = ["bold", "italic", "monospaced", "strikethrough"];
const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "secondary"];
const weights = ["ultraLight", "thin", "light", "regular", "medium", "semibold", "bold", "heavy", "black"];
const components = ["red", "green", "blue"];
const roles = ["cancel", "destructive"];
const visibilities = ["automatic", "hidden", "visible"];

function readWord(reader: CborReader, words: readonly string[]): string {
  const word = words[reader.uint()];
  if (word === undefined) throw new ProtocolError(`expected a number below ${words.length}`);
  return word;
}

function writeWord(writer: CborWriter, words: readonly string[], value: unknown): void {
  const index = words.indexOf(value as string);
  if (index < 0) throw expected(`one of ${words.join(", ")}`, value);
  writer.uint(index);
}

export class TextStateCodec extends LeafCodec {
  override read(reader: CborReader): unknown {
    const count = reader.array();
    return reader.nested(() => {
      const pieces: unknown[] = [];
      for (let index = 0; index < count; index += 1) pieces.push(this.readPiece(reader));
      return pieces;
    });
  }

  private readPiece(reader: CborReader): unknown {
    reader.tuple(2);
    const piece: Record<string, unknown> = { text: reader.text() };
    reader.struct(key => {
      if (key < 4) {
        if (!reader.bool()) throw new ProtocolError("a style that is false is not written");
        piece[flags[key]!] = true;
      } else if (key === 4) piece["color"] = this.readColor(reader);
      else if (key === 5) piece["weight"] = readWord(reader, weights);
      else if (key === 6) piece["accessibilityLabel"] = reader.text();
      else throw new ProtocolError(`a text has no style ${key}`);
    });
    return piece;
  }

  private readColor(reader: CborReader): unknown {
    if (reader.next() === Major.unsigned) return readWord(reader, colors);
    reader.tuple(4);
    if (reader.uint() !== 9) throw new ProtocolError("a colour of an unknown kind");
    return Object.fromEntries(components.map(name => [name, reader.float()]));
  }

  override write(writer: CborWriter, value: unknown): void {
    if (!Array.isArray(value)) throw expected("an array of pieces of text", value);
    const count = value.length;
    writer.array(count);
    for (let index = 0; index < count; index += 1) within(String(index), () => this.writePiece(writer, value[index]));
  }

  private writePiece(writer: CborWriter, piece: unknown): void {
    if (typeof piece !== "object" || piece === null) throw expected("{ text, … }", piece);
    const text = member(piece, "text");
    if (typeof text !== "string") throw expected("{ text, … } with a string", piece);
    writer.array(2);
    writer.text(text);
    const set = flags.map((name, key) => ({ key, isSet: member(piece, name) === true })).filter(flag => flag.isSet);
    const [color, weight, label] = ["color", "weight", "accessibilityLabel"].map(name => member(piece, name));
    const others = [color, weight, label].filter(style => style !== undefined).length;
    writer.map(set.length + others);
    for (const { key } of set) {
      writer.uint(key);
      writer.bool(true);
    }
    if (color !== undefined) {
      writer.uint(4);
      this.writeColor(writer, color);
    }
    if (weight !== undefined) {
      writer.uint(5);
      writeWord(writer, weights, weight);
    }
    if (label !== undefined) {
      if (typeof label !== "string") throw expected("a string", label);
      writer.uint(6);
      writer.text(label);
    }
  }

  private writeColor(writer: CborWriter, color: unknown): void {
    if (typeof color !== "object" || color === null) return writeWord(writer, colors, color);
    writer.array(4);
    writer.uint(9);
    for (const name of components) {
      const component = member(color, name);
      if (typeof component !== "number") throw expected("{ red, green, blue }, three numbers", color);
      writer.float(component);
    }
  }
}

/** An array of fixed parts, as an object with their names. */
class TupleCodec extends LeafCodec {
  constructor(private readonly parts: readonly (readonly [name: string, codec: Codec])[]) {
    super();
  }

  override read(reader: CborReader): unknown {
    reader.tuple(this.parts.length);
    return reader.nested(() => Object.fromEntries(this.parts.map(([name, codec]) => [name, codec.read(reader)])));
  }

  override write(writer: CborWriter, value: unknown): void {
    if (typeof value !== "object" || value === null) {
      throw expected(`{ ${this.parts.map(([name]) => name).join(", ")} }`, value);
    }
    writer.array(this.parts.length);
    for (const [name, codec] of this.parts) within(name, () => codec.write(writer, member(value, name)));
  }
}

/** One of some words, or null. */
class WordCodec extends LeafCodec {
  constructor(private readonly words: readonly string[], override readonly isNullable: boolean) {
    super();
  }

  override read(reader: CborReader): unknown {
    return this.isNullable && reader.takeNull() ? null : readWord(reader, this.words);
  }

  override write(writer: CborWriter, value: unknown): void {
    if (this.isNullable && (value === null || value === undefined)) writer.null();
    else writeWord(writer, this.words, value);
  }
}

export interface PromptParts {
  readonly text: Codec;
  readonly optionalText: Codec;
  readonly optionalAction: Codec;
  readonly array: (element: Codec) => Codec;
}

export function buttonCodec(parts: PromptParts): Codec {
  return new TupleCodec([
    ["role", new WordCodec(roles, true)], ["action", parts.optionalAction], ["label", parts.text],
  ]);
}

export function alertCodec(parts: PromptParts): Codec {
  return new TupleCodec(alertParts(parts));
}

export function dialogCodec(parts: PromptParts): Codec {
  return new TupleCodec([["titleVisibility", new WordCodec(visibilities, false)], ...alertParts(parts)]);
}

function alertParts(parts: PromptParts): [string, Codec][] {
  return [
    ["title", parts.text], ["message", parts.optionalText], ["buttons", parts.array(buttonCodec(parts))],
  ];
}
