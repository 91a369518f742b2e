import type { CborReader } from "../cbor/reader.js";
import { Major } from "../cbor/reader.js";
import { CborWriter } from "../cbor/writer.js";
import { ProtocolError, ValueError } from "../errors.js";

/** Reads, changes and writes the values of one type. Values are never changed in place. */
export interface Codec {
  /** True if null is a value of the type. */
  readonly isNullable: boolean;
  /** Reads a value; throws ProtocolError if it is not of the type. */
  read(reader: CborReader): unknown;
  /** Writes a value, or its summary; throws ValueError if it is not of the type. */
  write(writer: CborWriter, value: unknown): void;
  /** Reads a change of a value, and returns the new value; throws ProtocolError if it does not fit. */
  change(reader: CborReader, value: unknown): unknown;
}

/** A type whose values change only as a whole. */
export abstract class LeafCodec implements Codec {
  readonly isNullable: boolean = false;
  abstract read(reader: CborReader): unknown;
  abstract write(writer: CborWriter, value: unknown): void;

  change(reader: CborReader, _value: unknown): unknown {
    if (reader.next() === Major.map) throw new ProtocolError("a change inside a value that changes only as a whole");
    return this.read(reader);
  }
}

/** The bytes of a value that a program gives. Whatever is wrong with it, the error is a ValueError. */
export function encoded(codec: Codec, value: unknown): Uint8Array {
  try {
    return CborWriter.bytes(writer => codec.write(writer, value));
  } catch (error) {
    // A getter or a proxy may throw anything, also what throws when it is looked at.
    throw isInstance(error, ValueError) ? error : new ValueError(`the value cannot be written: ${reasonOf(error)}`);
  }
}

/** True if an error, which the program's own code may have thrown, is of a class. */
export function isInstance<T>(error: unknown, type: new (...parameters: any[]) => T): error is T {
  try {
    return error instanceof type;
  } catch {
    return false;
  }
}

/** What an error says that the program's own code may have thrown. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : describe(error);
  } catch {
    return "its error has no text";
  }
}

/** What an error says that was given. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "string": return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case "bigint": return `${value}n`;
    case "number":
    case "boolean":
    case "undefined": return String(value);
    case "object": return describeObject(value);
    default: return `a ${typeof value}`;
  }
}

function describeObject(value: object): string {
  try {
    return Array.isArray(value) ? "an array" : `an object (${value.constructor?.name ?? "of no class"})`;
  } catch {
    return "an object";
  }
}

export function expected(what: string, value: unknown): ValueError {
  return new ValueError(`expected ${what}, got ${describe(value)}`);
}

/** Refuses what is no AbortSignal. */
export function checkSignal(signal: unknown): void {
  const { addEventListener, removeEventListener } = signal as Partial<AbortSignal>;
  if (typeof addEventListener !== "function" || typeof removeEventListener !== "function") {
    throw expected("an AbortSignal", signal).within("signal");
  }
}

/** Refuses what is no function, such as a listener that would throw at the first call. */
export function checkFunction(value: unknown): void {
  if (typeof value !== "function") throw expected("a function", value);
}

/** Runs a closure, and adds a name to the path of its error. */
export function within<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ValueError ? error.within(name) : error;
  }
}

/** Sets a member of an object, also one that JavaScript gives a meaning to. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** A member of an object of its own. */
export function member(object: object, name: string): unknown {
  return Object.prototype.hasOwnProperty.call(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}
