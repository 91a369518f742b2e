import { fromHex, toHex } from "../cbor/bytes.js";
import { CborReader } from "../cbor/reader.js";
import { PathError } from "../errors.js";
import type { Codec } from "../values/codec.js";
import { describe, encoded, isInstance, reasonOf } from "../values/codec.js";
import type { Codecs } from "../values/codecs.js";
import type { SchemaType } from "../values/schema.js";
import { windowCodec } from "../values/window.js";
import { pathLimit } from "./messages.js";

/** A step of a path, by names. README.md, "How paths look", has the rules. */
export type PathStep = string | { readonly id: unknown } | { readonly start: number; readonly count: number };

/** A path from the root of the state to a part of type `T`. */
export class Path<T = unknown> {
  /** Only for the compiler: the type of the part. */
  declare readonly part: T;

  constructor(readonly steps: readonly PathStep[] = []) {}

  /** The path one step longer. */
  to<U>(step: PathStep): Path<U> {
    return new Path<U>([...this.steps, step]);
  }

  /** The path in users' notation: `todos.todos[3].text`. */
  toString(): string {
    let text = "";
    for (const step of this.steps) {
      if (typeof step === "string") text += (text ? "." : "") + (identifier.test(step) ? step : `\`${step}\``);
      else if ("id" in step) text += `[${typeof step.id === "string" ? JSON.stringify(step.id) : shown(step.id)}]`;
      else text += step.start < 0 ? `[${step.start}...]` : `[${step.start}..<${step.start + step.count}]`;
    }
    return text || ".";
  }
}

const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u;

function shown(id: unknown): string {
  return typeof id === "bigint" || typeof id === "number" ? String(id) : describe(id);
}

/** A step as the protocol has it. */
export type WireStep = number | { readonly id: Uint8Array } | { readonly start: number; readonly count: number };

/** A path that a hub's schema has. */
export interface ResolvedPath {
  readonly steps: readonly WireStep[];
  readonly codec: Codec;
  readonly type: SchemaType;
  /** The elements of the window at the path, 0 if it is none. */
  readonly windowElements: number;
}

/** An id in a text, which is read by the type of the ids. */
class WrittenID {
  constructor(readonly text: string) {}
}

/** A name, `[first..<end]`, `[-count...]`, `[id]` or `?`. */
const tokens = [
  /\.?(?:`([^`]+)`|([\p{L}_][\p{L}\p{N}_]*|\d+))/u, /\[(-?\d+)\.\.<(-?\d+)\]/u, /\[(-\d+)\.\.\.\]/u,
  /\[("(?:[^"\\]|\\.)*"|[^\]]+)\]/u, /(\?)/u,
].map(token => token.source).join("|");

/** The collections of which there are windows. */
const ordered = ["Array", "IdentifiedArray", "StackState"];
const optionals = ["Optional", "PresentationState"];

/**
 * The steps of a path in users' notation, such as `todos.todos[3].text` or `todos.todos[0..<50]`.
 *
 * @throws PathError where the text is no path.
 */
export function parsePath(text: string): PathStep[] {
  const token = new RegExp(tokens, "uy");
  const steps: PathStep[] = [];
  if (text === "." || text === "") return steps;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (found === null || (steps.length === 0 && text.startsWith("."))) {
      throw new PathError(`'${text}' is no path from character ${at} on`);
    }
    const [, quoted, name, start, end, last, id] = found;
    if (name !== undefined || quoted !== undefined) {
      if (at > 0 && !found[0].startsWith(".")) throw new PathError(`'${text}' lacks a point at character ${at}`);
      steps.push((quoted ?? name)!);
    } else if (start !== undefined) steps.push({ start: Number(start), count: Number(end) - Number(start) });
    else if (last !== undefined) steps.push({ start: Number(last), count: -Number(last) });
    else if (id !== undefined) steps.push({ id: new WrittenID(id) });
  }
  return steps;
}

/**
 * A copy of what a program gives as a path, which the program does not change any more. A text stays as it is.
 *
 * @throws PathError if it is no path.
 */
export function ownPath(path: unknown): Path | string {
  if (typeof path === "string") return path;
  try {
    const steps = (path as Partial<Path> | null | undefined)?.steps;
    if (!Array.isArray(steps)) throw new PathError(`expected a text, or a Path with steps, got ${describe(path)}`);
    if (steps.length > pathLimit) {
      throw new PathError(`the path has ${steps.length} steps; hubs take ${pathLimit} bytes`);
    }
    return new Path(Array.from(steps, ownStep));
  } catch (error) {
    // A getter or a proxy may throw anything.
    throw isInstance(error, PathError) ? error : new PathError(`the path cannot be read: ${reasonOf(error)}`);
  }
}

function ownStep(step: unknown): PathStep {
  if (typeof step === "string") return step;
  if (typeof step === "object" && step !== null) {
    if ("id" in step) return { id: (step as { id: unknown }).id };
    const { start, count } = step as { start?: unknown; count?: unknown };
    if (typeof start === "number" && typeof count === "number") return { start, count };
  }
  throw new PathError(`a step is a name, { id } or { start, count }, not ${describe(step)}`);
}

/** A place on the way along a path: a type, or a case with several values. */
type Place = SchemaType | { readonly values: readonly { name: string; type: SchemaType }[] };

/**
 * Finds a path in a schema.
 *
 * @throws PathError for the first step that does not exist.
 */
export function resolvePath(path: Path | string, codecs: Codecs): ResolvedPath {
  const steps = typeof path === "string" ? parsePath(path) : path.steps;
  const wire: WireStep[] = [];
  let place: Place = codecs.schema.state;
  let windowElements = 0;
  let codec: Codec | undefined;
  for (const step of steps) {
    if (codec !== undefined) throw new PathError(`${path}: nothing follows a window`);
    const type = unwrap(place, wire);
    if (typeof step === "string") {
      const part = partsOf(type, codecs).find(one => one.name === step);
      if (part === undefined) {
        const names = partsOf(type, codecs).map(one => one.name).join(", ");
        throw new PathError(`${path}: there is no ${step} there${names ? `, only ${names}` : ""}`);
      }
      wire.push(part.key);
      place = part.place;
    } else if ("id" in step) {
      const [id, element] = elementsOf(type) ?? [];
      if (id === undefined || element === undefined) {
        throw new PathError(`${path}: there are no elements with ids there`);
      }
      wire.push({ id: idBytes(step.id, codecs.of(id), id, `${path}`) });
      place = element;
    } else {
      if (typeof type !== "object" || !("name" in type) || !ordered.includes(type.name)) {
        throw new PathError(`${path}: there is no ordered collection there`);
      }
      if (!Number.isSafeInteger(step.start) || !Number.isSafeInteger(step.count) || step.count < 1) {
        throw new PathError(`${path}: a window has a whole start and a whole count above 0`);
      }
      wire.push({ start: step.start, count: step.count });
      codec = windowCodec(codecs.of(type));
      windowElements = step.count;
    }
  }
  if (typeof place === "object" && "values" in place) {
    throw new PathError(`${path}: one of ${place.values.map(one => one.name).join(", ")} must follow`);
  }
  return { steps: wire, codec: codec ?? codecs.of(place), type: place, windowElements };
}

/** The type inside the optionals, with the steps into them. */
function unwrap(place: Place, wire: WireStep[]): Place {
  while (typeof place === "object" && "name" in place && optionals.includes(place.name)) {
    wire.push(0);
    place = place.parts[0]!;
  }
  return place;
}

function partsOf(place: Place, codecs: Codecs): { name: string; key: number; place: Place }[] {
  if (typeof place === "object") {
    if ("values" in place) return place.values.map(({ name, type }, key) => ({ name, key, place: type }));
    if (place.name !== "Result") return [];
    return ["success", "failure"].map((name, key) => ({ name, key, place: place.parts[key]! }));
  }
  const definition = codecs.schema.definitions[place]!;
  if (definition.kind === "struct") return definition.fields.map(({ name, key, type }) => ({ name, key, place: type }));
  return definition.cases.filter(one => one.payload.length > 0).map(({ name, key, payload, members }) => {
    const values = payload.map((type, index) => ({ name: members[index]!, type }));
    return { name, key, place: values.length === 1 ? values[0]!.type : { values } };
  });
}

function elementsOf(place: Place): [id: SchemaType, element: SchemaType] | undefined {
  if (typeof place !== "object" || !("name" in place)) return undefined;
  // A view with a parameter has its values as elements.
  if (place.name === "IdentifiedArray" || place.name === "View") return [place.parts[0]!, place.parts[1]!];
  return place.name === "StackState" ? [{ name: "StackElementID", parts: [] }, place.parts[0]!] : undefined;
}

/** The encoding of an id, which may be written as a text: `3`, `#2`, `"a"`, a UUID, or `h'820102'`. */
function idBytes(id: unknown, codec: Codec, type: SchemaType, path: string): Uint8Array {
  const isWritten = id instanceof WrittenID;
  const hex = isWritten ? /^h'([0-9a-fA-F]*)'$/.exec(id.text)?.[1] : undefined;
  const bytes = hex === undefined ? undefined : fromHex(hex);
  try {
    if (bytes !== undefined) {
      // Written again, since a writer finds what is nested too deep.
      encoded(codec, CborReader.whole(bytes, reader => codec.read(reader)));
      return bytes;
    }
    return encoded(codec, isWritten ? readID(id.text, type) : id);
  } catch (error) {
    const given = isWritten ? id.text : bytes ? toHex(bytes) : describe(id);
    throw new PathError(`${path}: ${given} is no id there: ${reasonOf(error)}`);
  }
}

function readID(text: string, type: SchemaType): unknown {
  if (text.startsWith('"')) return JSON.parse(text);
  const raw = typeof type === "object" && type.name === "raw" ? type.parts[1] : type;
  const name = typeof raw === "object" ? raw.name : undefined;
  const digits = /^#?(-?\d+)$/.exec(text)?.[1];
  if (digits === undefined || name === undefined) return text;
  if (/^U?Int(8|16|32)$/.test(name)) return Number(digits);
  return /^(U?Int|StackElementID)/.test(name) ? BigInt(digits) : text;
}
