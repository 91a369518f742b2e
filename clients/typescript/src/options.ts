import { fromHex } from "./cbor/bytes.js";
import { checkText } from "./cbor/writer.js";
import type { CoreOptions } from "./core/events.js";
import { StoreHubError, ValueError } from "./errors.js";
import { expected, within } from "./values/codec.js";

/** The state of the connection. */
export type ConnectionState =
  | { readonly phase: "connecting"; readonly attempt: number }
  | { readonly phase: "live"; readonly hubName: string }
  /** The connection has ended or could not be made; the next attempt is made after so many milliseconds. */
  | { readonly phase: "waiting"; readonly error: StoreHubError; readonly delay: number }
  /** The hub does not want this client, or the gateway its token; no more attempts are made. */
  | { readonly phase: "refused"; readonly error: StoreHubError }
  | { readonly phase: "closed" };

export interface HubOptions {
  /** The client's name for the hub's log and for other clients, at most 128 bytes; `connect` refuses others. */
  readonly name?: string;
  /** The fingerprint of the schema for which the program was written, in hexadecimal. Generated types have it. */
  readonly fingerprint?: string;
  /** What to do with a hub that has another schema: refuse it, or work by that schema. Default: "refuse". */
  readonly otherSchema?: "refuse" | "accept";
  /** The milliseconds within which `connect` must succeed. Default: 10 seconds; Infinity for no limit. */
  readonly timeout?: number;
  /** Ends `connect` early. */
  readonly signal?: AbortSignal;
  /** The first and the longest wait between two attempts, in milliseconds. Default: 50 and 5,000. */
  readonly backOff?: { readonly first?: number; readonly longest?: number };
  /** The milliseconds without an answer after which a connection is given up, also one that is being made. Default: 10 seconds. */
  readonly answerTimeout?: number;
  /** The milliseconds after which an idle connection is tested. Default: never. */
  readonly keepAlive?: number;
  /** Give up unsent actions when the hub has lost states that the user has seen. Default: false. */
  readonly discardAfterLoss?: boolean;
  /** The largest state of a part, in bytes. Default: 256 MiB. */
  readonly stateLimit?: number;
  /** The most actions without an outcome, and the most bytes of them. Default: 65,536 and 64 MiB. */
  readonly actionLimit?: number;
  readonly actionByteLimit?: number;
}

/** A client of the hub, in its own words. */
export interface Attendee {
  readonly id: bigint;
  readonly name: string;
  readonly process: number;
  readonly user: number;
  readonly since: bigint;
  readonly parts: readonly { readonly root: bigint; readonly path: string }[];
  readonly scopes: bigint;
  readonly heldBytes: bigint;
  /** The node of the cluster to whose hub it has connected; empty without a cluster, undefined for an earlier hub. */
  readonly node?: string;
}

/** The longest time of a timer, in milliseconds; with a longer one it ends at once. */
export const longestTimer = 2 ** 31 - 1;

/** The options of the core, with the defaults. */
export function coreOptions(options: HubOptions): CoreOptions {
  const fingerprint = options.fingerprint === undefined ? undefined : fromHex(options.fingerprint);
  if (options.fingerprint !== undefined && fingerprint?.length !== 32) {
    throw new StoreHubError("a fingerprint has 64 hexadecimal digits");
  }
  return {
    name: checkedName(options.name ?? "storehub-js"), fingerprint, acceptsOtherSchema: acceptsOtherSchema(options.otherSchema),
    discardAfterLoss: options.discardAfterLoss ?? false, answerTimeout: positive("answerTimeout", options.answerTimeout, 10_000),
    keepAlive: positive("keepAlive", options.keepAlive, Infinity),
    // The largest delta of a hub, and a piece of a snapshot.
    payloadLimit: (16 << 20) + (60 << 10),
    stateLimit: positive("stateLimit", options.stateLimit, 256 << 20), actionLimit: positive("actionLimit", options.actionLimit, 65_536),
    actionByteLimit: positive("actionByteLimit", options.actionByteLimit, 64 << 20),
  };
}

/** The first and the longest wait between two attempts. */
export function backOff(options: HubOptions): { first: number; longest: number } {
  const { first, longest } = options.backOff ?? {};
  return within("backOff", () => ({
    first: positive("first", first, 50), longest: Math.min(positive("longest", longest, 5000), longestTimer),
  }));
}

/** A number above 0: with others, such as what JavaScript makes of a text, a timer ends at once, or nothing has room. */
export function positive(name: string, value: unknown, byDefault: number): number {
  const number = value ?? byDefault;
  if (typeof number !== "number" || !(number > 0)) throw expected("a number above 0", value).within(name);
  return number;
}

function acceptsOtherSchema(value: unknown): boolean {
  if (value !== undefined && value !== "refuse" && value !== "accept") {
    throw expected('"refuse" or "accept"', value).within("otherSchema");
  }
  return value === "accept";
}

/** The longest name of a client that hubs take, in bytes. */
const nameLimit = 128;

function checkedName(name: unknown): string {
  return within("name", () => {
    if (typeof name !== "string") throw expected("a string", name);
    checkText(name);
    if (new TextEncoder().encode(name).length > nameLimit) {
      throw new ValueError(`the name of a client has at most ${nameLimit} bytes`);
    }
    return name;
  });
}
