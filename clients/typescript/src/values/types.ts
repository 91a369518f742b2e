// The JavaScript of values that have no type of their own in the language. README.md, "How values look", has all rules.

/** Milliseconds from 1970 to 2001. */
const epoch = 978_307_200_000;

/** A date with all digits of the hub's: JavaScript's own dates have milliseconds. */
export class HubDate extends Date {
  /** The seconds since 2001-01-01T00:00:00Z. */
  readonly secondsSince2001: number;

  constructor(secondsSince2001: number) {
    super(epoch + secondsSince2001 * 1000);
    this.secondsSince2001 = secondsSince2001;
  }

  /** The seconds since 2001 of any date. A date that was changed by `setTime` and the like has only milliseconds. */
  static seconds(date: Date): number {
    const time = date.getTime();
    const exact = date instanceof HubDate ? date.secondsSince2001 : undefined;
    const isUnchanged = exact !== undefined && Object.is(new Date(epoch + exact * 1000).getTime(), time);
    return isUnchanged ? exact : (time - epoch) / 1000;
  }
}

/** A value whose form only the feature's code knows, as the bytes of one CBOR item. */
export class Opaque {
  constructor(readonly bytes: Uint8Array) {}
}

/** An element of a stack. */
export interface StackElement<T> {
  readonly id: bigint;
  readonly element: T;
}

/** A part of a collection: at most so many adjacent elements, from `start` on, of the `count` that there are. */
export interface Window<T> {
  readonly count: number;
  readonly start: number;
  readonly elements: readonly T[];
}

export interface Duration {
  readonly seconds: bigint;
  /** From −10^18 to 10^18, with the sign of the seconds. */
  readonly attoseconds: bigint;
}

export interface Range<T> {
  readonly lower: T;
  readonly upper: T;
}

/** A URL, or one that is relative to another one. */
export type HubURL = string | { readonly url: string; readonly base: HubURL };

/** An optional of a type that can itself be null. */
export type Nested<T> = { readonly some: T } | null;

export type Result<Success, Failure> =
  | { readonly case: "success"; readonly value: Success }
  | { readonly case: "failure"; readonly value: Failure };

/** What the action of a shared model does to a field. */
export type Change<T> = { readonly set: T } | { readonly add: bigint } | Opaque;

export type TextColor =
  | "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white" | "secondary"
  | { readonly red: number; readonly green: number; readonly blue: number };

export type TextWeight =
  | "ultraLight" | "thin" | "light" | "regular" | "medium" | "semibold" | "bold" | "heavy" | "black";

/** A piece of a text, with its style. */
export interface TextPiece {
  readonly text: string;
  readonly bold?: true;
  readonly italic?: true;
  readonly monospaced?: true;
  readonly strikethrough?: true;
  readonly color?: TextColor;
  readonly weight?: TextWeight;
  readonly accessibilityLabel?: string;
}

export type TextState = readonly TextPiece[];

export interface ButtonState<Action> {
  readonly role: "cancel" | "destructive" | null;
  readonly action: Action | null;
  readonly label: TextState;
}

export interface AlertState<Action> {
  readonly title: TextState;
  readonly message: TextState | null;
  readonly buttons: readonly ButtonState<Action>[];
}

export interface ConfirmationDialogState<Action> extends AlertState<Action> {
  readonly titleVisibility: "automatic" | "hidden" | "visible";
}

/**
 * The element of an identified array with an id, or undefined.
 *
 * @param id Compared by `===`, or by its parts if it is an object.
 * @param idOf Returns the id of an element; without it, that is its field `id`.
 */
export function elementWithID<T>(
  array: readonly T[], id: unknown, idOf: (element: T) => unknown = element => (element as { id?: unknown }).id,
): T | undefined {
  return array.find(element => isEqual(idOf(element), id));
}

/** True if two values are made of the same parts. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length &&
    names.every(name => isEqual((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]));
}
