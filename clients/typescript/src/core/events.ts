import type { StoreHubError } from "../errors.js";
import type { Welcome } from "./messages.js";
import type { Outcome } from "./outbox.js";
import type { Scope } from "./scope.js";

/** What the core reports. The shell handles the reports in order, after each call. */
export type CoreEvent =
  /** The hub has answered the hello, and its schema is known: actions and parts can be used. */
  | { readonly kind: "live"; readonly welcome: Welcome }
  /** A part has another value, or is known for the first time. */
  | { readonly kind: "changed"; readonly scope: Scope }
  /** A part cannot be attached; it is given up. */
  | { readonly kind: "failed"; readonly scope: Scope; readonly error: StoreHubError }
  /** What became of an action. */
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  /** The hash of a part was compared with the hub's; undefined if the hub has not attached the part. */
  | { readonly kind: "verified"; readonly scope: Scope; readonly isEqual: boolean | undefined }
  /** A defect of one of the two sides, which the client has repaired. */
  | { readonly kind: "fault"; readonly error: StoreHubError }
  /** The connection must be closed. After a final error, no other one may be made. */
  | { readonly kind: "drop"; readonly error: StoreHubError; readonly isFinal: boolean };

export interface CoreOptions {
  /** The client's name, for the hub's log and for other clients; at most 128 bytes. */
  readonly name: string;
  /** The fingerprint of the schema for which the program was written, 32 bytes. */
  readonly fingerprint?: Uint8Array | undefined;
  /** Accept a hub with another schema. Its values then may not have the types that the program expects. */
  readonly acceptsOtherSchema: boolean;
  /** Give up unsent actions when the hub has lost states that the user has seen. */
  readonly discardAfterLoss: boolean;
  /** The milliseconds without any byte from a hub that owes an answer, after which the connection is given up. */
  readonly answerTimeout: number;
  /** The milliseconds after which an idle connection is tested; Infinity for never. */
  readonly keepAlive: number;
  /** The largest payload that is accepted, in bytes. */
  readonly payloadLimit: number;
  /** The largest state of a part that is accepted, in bytes. */
  readonly stateLimit: number;
  /** The most actions without an outcome, and the most bytes of them. */
  readonly actionLimit: number;
  readonly actionByteLimit: number;
}
