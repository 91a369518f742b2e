/** Any error that this package reports. */
export class StoreHubError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** What a peer sent is not what the protocol says. The client closes the connection and makes another one. */
export class ProtocolError extends StoreHubError {}

/** A value does not have the type that the hub's schema says. `path` leads to the place inside the value. */
export class ValueError extends StoreHubError {
  readonly path: string[] = [];

  constructor(private readonly problem: string) {
    super(problem);
  }

  /** Adds the name of the part in which the error was found. */
  within(name: string): this {
    this.path.unshift(name);
    this.message = `${this.path.join(".")}: ${this.problem}`;
    return this;
  }
}

/** A path leads nowhere in the hub's state. */
export class PathError extends StoreHubError {}

/** A change that only the feature's own code can apply. The client attaches the part again. */
export class OpaqueChangeError extends StoreHubError {}

/** Why the hub refused an action. A code that is not in this list has no further meaning. */
export const rejectionReasons = {
  1: "notAnAction",
  2: "notPermitted",
  3: "stateTooLarge",
  4: "stateNotReadable",
  5: "reducerCrashed",
  6: "refusedByFeature",
  7: "late",
} as const;

export type RejectionReason = typeof rejectionReasons[keyof typeof rejectionReasons] | "unknown";

/** The hub refused an action: it had no effect. */
export class Rejected extends StoreHubError {
  /** The meaning of the code, to switch over. */
  readonly reason: RejectionReason;

  /**
   * @param code The number of the reason in the protocol.
   * @param text The reason for people, from the hub or the feature.
   */
  constructor(readonly code: number, readonly text: string) {
    super(`the hub rejected the action: ${text}`);
    this.reason = (rejectionReasons as Record<number, RejectionReason>)[code] ?? "unknown";
  }
}

/** Why an action was given up before the hub took it, or without knowing whether it did. */
export type NotSentReason =
  /** It was sent, and then the hub forgot the session: it may or may not have taken effect. */
  | "outcomeUnknown"
  /** The hub lost states that the user had seen, and `discardAfterLoss` is set. It had no effect. */
  | "statesLost"
  /** As many actions or bytes wait as the client keeps. Wait for `hub.capacity()`. */
  | "queueFull"
  /** It is larger than the hub accepts. */
  | "tooLarge"
  /** The client was closed, or the hub refuses it. If it was sent before, it may have taken effect. */
  | "closed";

/** An action was given up. */
export class NotSent extends StoreHubError {
  constructor(readonly reason: NotSentReason, text: string) {
    super(text);
  }
}

/** What an error of the hub means. A code that is not in this list has no further meaning. */
export const hubErrorReasons = {
  1: "unsupportedVersion",
  2: "malformed",
  3: "frameTooLarge",
  4: "unexpectedMessage",
  5: "sequenceGap",
  6: "unknownScope",
  7: "timedOut",
  8: "tooManyConnections",
  9: "tooManyRejections",
  10: "sessionResumedElsewhere",
  11: "scopeInUse",
  12: "tooManyScopes",
  13: "tooManyBytes",
  14: "overloaded",
  15: "notPermitted",
} as const;

export type HubErrorReason = typeof hubErrorReasons[keyof typeof hubErrorReasons] | "unknown";

/** The hub ended the connection, or refused one part alone, with an error. */
export class HubError extends StoreHubError {
  readonly reason: HubErrorReason;

  constructor(readonly code: number, readonly text: string) {
    super(`the hub reports: ${text}`);
    this.reason = (hubErrorReasons as Record<number, HubErrorReason>)[code] ?? "unknown";
  }
}

/** The hub ended the connection for a reason of its own; code 1: it stops, and another one may soon take its place. */
export class Goodbye extends StoreHubError {
  constructor(readonly code: number, readonly text: string) {
    super(`the hub says goodbye: ${text}`);
  }
}

/** The connection ended, could not be made, or gave no answer in time. */
export class ConnectionError extends StoreHubError {}

/** The hub's schema is not the one for which the program was written. */
export class SchemaError extends StoreHubError {}
