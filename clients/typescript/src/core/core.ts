import { equalBytes } from "../cbor/bytes.js";
import type { StoreHubError } from "../errors.js";
import { Goodbye, HubError, NotSent, OpaqueChangeError, PathError, ProtocolError, SchemaError } from "../errors.js";
import { isInstance, reasonOf } from "../values/codec.js";
import { Codecs } from "../values/codecs.js";
import { readSchema } from "../values/schema.js";
import { Cancellations } from "./cancellations.js";
import type { CoreEvent, CoreOptions } from "./events.js";
import type { Frame } from "./frames.js";
import { frameBytes, FrameReader, Receive, Send } from "./frames.js";
import type { Welcome } from "./messages.js";
import {
  attachPayload, helloPayload, numberPayload, pathLength, pathLimit, readHash, readNumber, readReason, readRejected,
  readWelcome, version,
} from "./messages.js";
import type { Outcome } from "./outbox.js";
import { numberSize, Outbox, PendingAction } from "./outbox.js";
import type { Scope } from "./scope.js";
import { Root } from "./scope.js";
import { Scopes } from "./scopes.js";

/** The code of the refusal of a part for which there may be room later. */
const tooManyScopes = 12;

/** The flag of a request for the former names in a schema. */
const wantsFormerNames = 2;

interface KnownSchema {
  readonly bytes: Uint8Array;
  readonly codecs: Codecs;
  /** True if the hub of this connection has it. */
  isCurrent: boolean;
}

/**
 * The client's side of the protocol without I/O: bytes and the time go in, bytes and events come out.
 *
 * After each call, take `events` and `output`, and call `tick` when `deadline` has come.
 */
export class ClientCore {
  /** What happened since the shell took it last. */
  events: CoreEvent[] = [];
  /** The bytes to send. */
  output: Uint8Array[] = [];
  /** False while the transport does not take more actions. */
  isWritable = true;
  private phase: "down" | "greeting" | "open" | "ended" = "down";
  private readonly reader: FrameReader;
  private readonly outbox = new Outbox();
  private readonly scopes = new Scopes();
  private readonly cancellations = new Cancellations();
  private readonly schemas = new Map<Root, KnownSchema>();
  private readonly described = new Set<Root>();
  private readonly changed = new Set<Scope>();
  private session: Uint8Array | undefined;
  private history: bigint | undefined;
  private welcome: Welcome | undefined;
  /** True if a part may be attached by the revision that is known. */
  private keepsRevisions = false;
  /** The highest revision of the feature's state that was seen. */
  private seen = 0n;
  private lastHeard = 0;
  private isPinging = false;
  private pings = 0;

  constructor(private readonly options: CoreOptions) {
    this.reader = new FrameReader(options.payloadLimit);
  }

  /** The hub's first answer on this connection. */
  get currentWelcome(): Welcome | undefined {
    return this.phase === "open" ? this.welcome : undefined;
  }

  /** The actions without an outcome. */
  get pendingCount(): number {
    return this.outbox.count;
  }

  private get isEnded(): boolean {
    return this.phase === "ended";
  }

  /** True if another action is accepted. */
  get hasCapacity(): boolean {
    return this.outbox.count < this.options.actionLimit && this.outbox.byteCount < this.options.actionByteLimit;
  }

  // Connection

  /** The transport is connected. */
  opened(now: number): void {
    if (this.phase === "ended") return;
    this.phase = "greeting";
    this.lastHeard = now;
    const fingerprint = this.options.fingerprint ?? this.welcome?.fingerprint;
    this.write(Send.hello, helloPayload({
      acknowledged: this.outbox.acknowledged, name: this.options.name,
      ...(this.session && { session: this.session }), ...(fingerprint && { fingerprint }),
      ...(this.history !== undefined && { history: this.history }),
    }));
  }

  /** The transport has ended or could not be made. */
  closed(): void {
    if (this.phase !== "ended") this.phase = "down";
    this.reader.clear();
    this.output = [];
    this.outbox.disconnected();
    this.cancellations.disconnected();
    this.scopes.disconnected();
    this.described.clear();
    this.isPinging = false;
    for (const schema of this.schemas.values()) schema.isCurrent = false;
  }

  /** Bytes have arrived, cut in any way. */
  received(bytes: Uint8Array, now: number): void {
    if (this.phase !== "greeting" && this.phase !== "open") return;
    this.lastHeard = now;
    this.isPinging = false;
    try {
      this.reader.take(bytes, frame => {
        this.handle(frame);
        return this.phase === "greeting" || this.phase === "open";
      });
      this.report();
      this.proceed();
    } catch (error) {
      this.report();
      if (!(error instanceof ProtocolError)) throw error;
      this.drop(error);
    }
  }

  /** The time when `tick` should be called, if there is one. */
  get deadline(): number | undefined {
    if (this.phase === "greeting") return this.lastHeard + this.options.answerTimeout;
    if (this.phase !== "open") return undefined;
    if (this.isPinging) return this.lastHeard + this.options.answerTimeout;
    if (this.isWaiting) return this.lastHeard + this.options.answerTimeout / 2;
    return this.options.keepAlive === Infinity ? undefined : this.lastHeard + this.options.keepAlive;
  }

  /** True if the hub owes an answer. */
  private get isWaiting(): boolean {
    return this.outbox.isWaiting || this.cancellations.isWaiting || this.described.size > 0 || this.scopes.isWaiting;
  }

  /** Time has passed. */
  tick(now: number): void {
    const deadline = this.deadline;
    if (deadline === undefined || now < deadline) return;
    if (this.phase === "open" && !this.isPinging) {
      // An answer that takes long, such as a large snapshot, is no sign of a dead hub; a missing pong is.
      this.isPinging = true;
      this.lastHeard = Math.max(this.lastHeard, now - this.options.answerTimeout / 2);
      return this.ping();
    }
    this.drop(new ProtocolError(`the hub has not answered for ${this.options.answerTimeout} ms`));
  }

  /** Ends the session and the client. */
  close(): void {
    if (this.phase === "open" || this.phase === "greeting") this.write(Send.leave);
    this.end();
  }

  private end(): void {
    this.phase = "ended";
    this.outcomes(this.outbox.close());
  }

  // Requests

  /** Subscribes to a part. */
  attach(scope: Scope, now: number): void {
    this.idle(now);
    this.scopes.add(scope);
    this.proceed();
  }

  /** Ends a subscription. */
  detach(scope: Scope): void {
    const wasAttached = scope.number !== undefined;
    if (!this.scopes.remove(scope)) return;
    this.unsubscribe(scope);
    if (!wasAttached) return;
    this.scopes.admitThoseWithoutRoom();
    this.proceed();
  }

  /** Compares the hash of a part with the hub's; an event reports the result. Returns false if it is not attached. */
  verify(scope: Scope, now: number): boolean {
    if (this.phase !== "open" || scope.number === undefined) return false;
    this.idle(now);
    scope.isWaiting = true;
    this.write(Send.verify, undefined, scope.number);
    return true;
  }

  /**
   * Takes an action, which is written as soon as the hub can take it.
   *
   * @throws ValueError if it is not an action of the hub's feature; NotSent if it cannot be kept.
   */
  send(value: unknown, now: number): PendingAction {
    if (this.isEnded) throw new NotSent("closed", "the client is closed");
    if (!this.hasCapacity) {
      throw new NotSent("queueFull", `${this.outbox.count} actions of ${this.outbox.byteCount} bytes wait for the hub`);
    }
    const schema = this.schemas.get(Root.feature);
    if (schema === undefined) throw new NotSent("closed", "the hub's schema is not known yet");
    const action = new PendingAction(value, schema.codecs, this.scopes.showEverything ? this.seen : undefined);
    const limit = this.welcome?.payloadLimit ?? Infinity;
    if (action.bytes.length + numberSize > limit) {
      throw new NotSent("tooLarge", `the action has ${action.bytes.length} bytes; the hub accepts frames of ${limit}`);
    }
    // The program's own code has run, if a value is not plain.
    if (this.isEnded) throw new NotSent("closed", "the client is closed");
    this.idle(now);
    this.outbox.add(action);
    return action;
  }

  /** Takes back an action that was not written, or else cancels the effects that it has started. */
  cancel(action: PendingAction): void {
    if (this.outbox.withdraw(action)) {
      const error = new NotSent("closed", "the action was cancelled before it was sent");
      this.outcomes([{ action, error }]);
    } else if (this.outbox.isNumbered(action)) {
      this.cancellations.add(action.number);
      this.flush();
    }
  }

  /** Writes the cancellations of actions that were written, and a ping, whose pong says that the hub has read them. */
  private writeCancels(): void {
    if (!this.welcome!.takesCancel) this.cancellations.clear();
    const due = this.cancellations.take(this.outbox.lastWritten, this.pings + 1);
    for (const action of due) this.write(Send.cancel, numberPayload(action));
    if (due.length > 0) this.ping();
  }

  private ping(): void {
    this.pings += 1;
    this.write(Send.ping, numberPayload(this.pings));
  }

  /** Writes what the hub can take now. */
  flush(): void {
    if (this.phase !== "open" || !this.schemas.get(Root.feature)?.isCurrent) return;
    while (this.isWritable) {
      const frame = this.outbox.nextFrame(this.welcome!.payloadLimit, this.welcome!.takesCancel);
      if (frame === undefined) return this.writeCancels();
      this.output.push(frame);
      // The transport says after each frame whether it takes another one.
      if (this.output.length >= 4) return;
    }
  }

  /** Starts the wait for an answer if there was none. */
  private idle(now: number): void {
    if (!this.isWaiting) this.lastHeard = now;
  }

  private write(kind: Send, payload?: Uint8Array, scope = 0): void {
    this.output.push(frameBytes(kind, payload, scope));
  }

  // Frames

  private handle(frame: Frame): void {
    switch (frame.kind) {
      case Receive.error: return this.refused(frame);
      case Receive.goodbye: {
        const { code, text } = readReason(frame.payload);
        return this.drop(new Goodbye(code, text));
      }
      case Receive.welcome:
        if (this.phase === "open") throw new ProtocolError("a second welcome");
        return this.welcomed(readWelcome(frame.payload));
    }
    if (this.phase !== "open") {
      if (frame.kind >= Receive.welcome && frame.kind <= Receive.bookmark) {
        throw new ProtocolError("a frame before the welcome");
      }
      return;
    }
    switch (frame.kind) {
      case Receive.applied: {
        const number = readNumber(frame.payload);
        if (number > this.welcome!.processed) this.see(frame.revision);
        this.outcomes(this.outbox.applied(number));
        return this.cancellations.acknowledged(this.outbox.acknowledged);
      }
      case Receive.rejected: {
        const { sequence, code, text } = readRejected(frame.payload);
        if (sequence > this.welcome!.processed) this.see(frame.revision);
        return this.outcomes(this.outbox.rejected(sequence, code, text));
      }
      case Receive.pong: return this.cancellations.ponged(readNumber(frame.payload), this.outbox.acknowledged);
      case Receive.schema: return this.schemaArrived(frame);
      case Receive.detached: {
        const code = frame.payload.length > 0 ? readNumber(frame.payload) : tooManyScopes;
        const refused = this.scopes.release(frame.scope, code === tooManyScopes);
        if (refused === undefined) return;
        // To a *verify* that it read afterwards, the hub does not answer.
        this.events.push({ kind: "verified", scope: refused, isEqual: undefined });
        if (code === tooManyScopes) {
          this.changed.add(refused);
        } else {
          // There will never be room for it, as for a view's parameter that the hub does not take.
          this.changed.delete(refused);
          this.fail(refused, new HubError(code, refused.refusal ?? "this hub has not attached the part"));
        }
        return;
      }
      case Receive.snapshot:
      case Receive.delta:
      case Receive.bookmark:
      case Receive.absent:
      case Receive.hash: {
        const scope = this.scopes.withNumber(frame.scope);
        return scope && this.handlePart(scope, frame);
      }
      // Unknown kinds are ignored.
    }
  }

  private handlePart(scope: Scope, frame: Frame): void {
    scope.isConfirmed = true;
    try {
      switch (frame.kind) {
        case Receive.snapshot:
          if (!scope.snapshot(frame.payload, frame.revision, (frame.flags & 1) !== 0, this.options.stateLimit)) return;
          break;
        case Receive.delta: scope.delta(frame.payload, frame.revision); break;
        case Receive.absent: scope.absent(frame.payload, frame.revision); break;
        case Receive.bookmark:
          scope.isWaiting = false;
          scope.bookmark(frame.revision);
          if (scope.root === Root.feature) this.see(frame.revision);
          return;
        default: return this.hashArrived(scope, readHash(frame.payload));
      }
    } catch (error) {
      if (error instanceof OpaqueChangeError) return this.reload(scope);
      // The next connection asks for the whole part.
      scope.forgetRevision();
      if (error instanceof ProtocolError) throw error;
      // The program has changed a value, which is read-only.
      throw new ProtocolError(`the part ${scope.path} is not as it arrived: ${(error as Error).message}`);
    }
    if (frame.kind === Receive.absent && scope.isWaiting) this.events.push({ kind: "verified", scope, isEqual: true });
    scope.isWaiting = false;
    if (scope.root === Root.feature) this.see(frame.revision);
    this.changed.add(scope);
  }

  private hashArrived(scope: Scope, hash: bigint): void {
    scope.isWaiting = false;
    if (!scope.isKnown) return;
    const isEqual = scope.hasHash(hash);
    this.events.push({ kind: "verified", scope, isEqual });
    if (isEqual) return;
    const text = `the part ${scope.path} is not what the hub has at revision ${scope.revision}; it is read again`;
    this.events.push({ kind: "fault", error: new ProtocolError(text) });
    this.reload(scope);
  }

  private see(revision: bigint): void {
    if (revision > this.seen) this.seen = revision;
  }

  private welcomed(welcome: Welcome): void {
    if (welcome.version !== version) {
      const text = `the hub speaks version ${welcome.version} of the protocol, not ${version}`;
      return this.drop(new HubError(1, text), true);
    }
    const expected = this.options.fingerprint;
    const differs = expected && welcome.fingerprint && !equalBytes(expected, welcome.fingerprint);
    if (differs && !this.options.acceptsOtherSchema) {
      return this.drop(new SchemaError("the hub's schema is not the one for which the program was written"), true);
    }
    const isOtherHistory = this.session !== undefined && welcome.history !== this.history;
    const isLost = this.session !== undefined && !welcome.isResumed;
    if (welcome.isResumed && this.session === undefined) {
      throw new ProtocolError("the hub resumes a session that was not asked for");
    }
    this.phase = "open";
    this.welcome = welcome;
    this.session = welcome.session;
    this.history = welcome.history;
    this.keepsRevisions = welcome.isResumed && !isOtherHistory;
    if (!welcome.isResumed) this.cancellations.clear();
    if (welcome.isResumed) this.resume(welcome.processed);
    else if (isLost) this.outcomes(this.outbox.restarted());
    if (isOtherHistory) {
      this.seen = 0n;
      this.outbox.forgetRevisions();
      if (this.options.discardAfterLoss) {
        this.outcomes(this.outbox.discard());
        this.cancellations.keepUpTo(this.outbox.lastWritten);
      }
    }
    const schema = this.schemas.get(Root.feature);
    const known = welcome.fingerprint && this.schemaFingerprint;
    if (schema && known && equalBytes(known, welcome.fingerprint!)) {
      schema.isCurrent = true;
      this.live();
    } else {
      this.describe(Root.feature);
    }
    this.nextFingerprint = welcome.fingerprint;
  }

  private resume(processed: number): void {
    try {
      this.outbox.resumed(processed);
    } catch (error) {
      // The next connection begins a session in which the two sides agree.
      this.session = undefined;
      this.outcomes(this.outbox.restarted());
      throw error;
    }
  }

  /** The fingerprint of the schema that is known, and that of the one that was asked for. */
  private schemaFingerprint: Uint8Array | undefined;
  private nextFingerprint: Uint8Array | undefined;

  private describe(root: Root): void {
    if (this.described.has(root)) return;
    this.described.add(root);
    this.output.push(frameBytes(Send.describe, undefined, root, wantsFormerNames));
  }

  private schemaArrived(frame: Frame): void {
    const root = frame.scope as Root;
    if (!this.described.delete(root)) return;
    const known = this.schemas.get(root);
    if (known && equalBytes(known.bytes, frame.payload)) {
      known.isCurrent = true;
    } else {
      const codecs = new Codecs(readSchema(frame.payload));
      this.schemas.set(root, { bytes: frame.payload.slice(), codecs, isCurrent: true });
      if (root === Root.feature) this.outbox.encode(codecs);
    }
    if (root !== Root.feature) return;
    this.schemaFingerprint = this.nextFingerprint;
    this.live();
  }

  /** The hub takes actions and parts by now. */
  private live(): void {
    this.outcomes(this.outbox.discardLarger(this.welcome!.payloadLimit));
    this.events.push({ kind: "live", welcome: this.welcome! });
  }

  /** The hub has ended the connection with an error. */
  private refused(frame: Frame): void {
    const { code, text } = readReason(frame.payload);
    const error = new HubError(code, text);
    const isNewPartRefused = ["unknownScope", "notPermitted", "tooManyScopes"].includes(error.reason);
    if (isNewPartRefused && this.phase === "open") {
      const suspect = this.scopes.refused();
      if (typeof suspect !== "string") this.fail(suspect, error);
      return this.drop(error, suspect === "none");
    }
    // The hub has processed less than this client has seen it process: it was set back. Its session is of no use.
    if (error.reason === "sequenceGap" && this.phase === "greeting") {
      this.session = undefined;
      this.outcomes(this.outbox.restarted());
    }
    const isFinal = ["unsupportedVersion", "sessionResumedElsewhere", "notPermitted"].includes(error.reason);
    this.drop(error, isFinal);
  }

  private fail(scope: Scope, error: StoreHubError): void {
    this.scopes.remove(scope);
    this.unsubscribe(scope);
    this.events.push({ kind: "failed", scope, error });
  }

  private drop(error: StoreHubError, isFinal = false): void {
    if (this.phase === "ended") return;
    if (isFinal) this.end();
    else this.phase = "down";
    this.events.push({ kind: "drop", error, isFinal });
  }

  private outcomes(outcomes: readonly Outcome[]): void {
    if (outcomes.length === 0) return;
    // A part is told of what an action did before the action's outcome (PROTOCOL.md, 7.6).
    this.report();
    for (const outcome of outcomes) this.events.push({ kind: "outcome", outcome });
  }

  private report(): void {
    for (const scope of this.changed) this.events.push({ kind: "changed", scope });
    this.changed.clear();
  }

  // Parts

  /** Attaches the parts that can be attached, and writes actions. */
  private proceed(): void {
    if (this.phase !== "open") return;
    for (const scope of this.scopes.unattached()) this.request(scope);
    this.flush();
  }

  private request(scope: Scope): void {
    const schema = this.schemas.get(scope.root);
    if (scope.root === Root.views && this.welcome!.views === undefined) {
      return this.fail(scope, new PathError("the feature of this hub declares no views, or it is of an earlier version"));
    }
    const isHubs = scope.root === Root.hub || scope.root === Root.metrics;
    if (isHubs && !this.welcome!.mayAttachHub) {
      return this.fail(scope, new HubError(15, "this user may not read the hub's own state and its metrics"));
    }
    if (!schema?.isCurrent) return this.describe(scope.root);
    try {
      scope.resolve(schema.codecs);
      const length = pathLength(scope.resolved.steps);
      if (length > pathLimit) throw new PathError(`the path has ${length} bytes; hubs take ${pathLimit}`);
      this.scopes.checkWindow(scope, this.welcome!.windowElements);
    } catch (error) {
      // A window that the hub has refused before waits on.
      if (scope.refusal !== undefined) scope.awaitsRoom = true;
      else this.fail(scope, isInstance(error, PathError) ? error : new PathError(`not a path: ${reasonOf(error)}`));
      return;
    }
    const number = this.scopes.number(scope);
    // For a part that has not changed, a resumed session sends nothing.
    const keepsRevision = this.keepsRevisions && scope.isKnown;
    scope.isWaiting = !keepsRevision;
    this.write(Send.attach, attachPayload({
      path: scope.resolved.steps, root: scope.root, ...(keepsRevision && { revision: scope.revision }),
    }), number);
  }

  private unsubscribe(scope: Scope): void {
    const number = this.scopes.retire(scope);
    if (number !== undefined && this.phase === "open") this.write(Send.detach, undefined, number);
  }

  /** Asks for a part anew. Its value stays until the new one arrives. */
  private reload(scope: Scope): void {
    scope.forgetRevision();
    this.unsubscribe(scope);
  }
}
