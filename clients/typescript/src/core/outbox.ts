import { CborReader } from "../cbor/reader.js";
import { CborWriter } from "../cbor/writer.js";
import { NotSent, ProtocolError, Rejected } from "../errors.js";
import { encoded } from "../values/codec.js";
import type { Codecs } from "../values/codecs.js";
import { codecsNamedBy } from "../values/renames.js";
import { frameBytes, Send } from "./frames.js";

/** Null is an action of no feature: the hub refuses it, and its number is not missing. */
const noAction = Uint8Array.of(0xf6);
/** The bytes of the two numbers before the actions of a frame, at most. */
export const numberSize = 18;

/** An action until its outcome is known. */
export class PendingAction {
  /** Its number in the session, 0 until it is written for the first time. */
  number = 0;
  /** The session in which it has the number, of those of this client. */
  session = 0;
  isDone = false;
  bytes: Uint8Array;
  /** The schema of the names in `value`. */
  private names: Codecs;

  /**
   * @param value Replaced by the value that was written, when that is written for another schema.
   * @param decidedAt The revision that the user had seen; undefined if the parts do not show everything.
   */
  constructor(public value: unknown, private codecs: Codecs, public decidedAt: bigint | undefined) {
    this.bytes = PendingAction.encode(value, codecs);
    this.names = codecs;
  }

  private static encode(value: unknown, codecs: Codecs): Uint8Array {
    return encoded(codecs.of(codecs.schema.action), value);
  }

  /**
   * Writes the action for another schema. What that does not have becomes an item that the hub refuses.
   *
   * @param named Returns the codecs for values with the names of an earlier schema.
   */
  encode(codecs: Codecs, named: (names: Codecs) => Codecs): void {
    if (codecs === this.codecs || this.isDone) return;
    if (this.bytes !== noAction) this.read();
    this.codecs = codecs;
    try {
      this.bytes = PendingAction.encode(this.value, named(this.names));
    } catch {
      this.bytes = noAction;
    }
  }

  /** Takes the value that was written in place of the program's own, which may have changed since. */
  private read(): void {
    const { codecs } = this;
    try {
      this.value = CborReader.whole(this.bytes, reader => codecs.of(codecs.schema.action).read(reader));
      this.names = codecs;
    } catch {
      // A change that merges has no value.
    }
  }
}

/** What became of an action. */
export interface Outcome {
  readonly action: PendingAction;
  /** Undefined if the action took effect. */
  readonly error?: Rejected | NotSent;
}

/** The flags of a frame of actions. */
const hasRevision = 1;
const isCancellable = 2;
/** The largest frame of several actions, in bytes. */
const frameSize = 64 * 1024;
/** Actions without an outcome and refusals that the hub keeps, of which it allows 1,024. */
const most = 1000;

/** The actions of a session: each takes effect exactly once (PROTOCOL.md, 7.6 and 7.7). */
export class Outbox {
  /** The highest number whose outcome is known. */
  acknowledged = 0;
  /** Counts the sessions, each of which has numbers of its own. */
  private session = 1;
  /** The bytes of all actions without an outcome. */
  byteCount = 0;
  /** Numbered, in order and without gaps: the numbers after `acknowledged`. */
  private sent: PendingAction[] = [];
  private queue: PendingAction[] = [];
  /** How many of `sent` were written on this connection. */
  private written = 0;
  /** The acknowledged number that the hub knows, and the refusals after it. */
  private reported = 0;
  private refusals: number[] = [];

  get count(): number {
    return this.sent.length + this.queue.length;
  }

  /** True if an answer of the hub is due. */
  get isWaiting(): boolean {
    return this.written > 0;
  }

  /** The highest number that was written on this connection, or needs not be written. */
  get lastWritten(): number {
    return this.acknowledged + this.written;
  }

  add(action: PendingAction): void {
    this.queue.push(action);
    this.byteCount += action.bytes.length;
  }

  /** Takes back an action that has no number yet. */
  withdraw(action: PendingAction): boolean {
    const index = action.number === 0 ? this.queue.indexOf(action) : -1;
    if (index < 0) return false;
    this.queue.splice(index, 1);
    this.finish(action);
    return true;
  }

  private finish(action: PendingAction): void {
    action.isDone = true;
    this.byteCount -= action.bytes.length;
  }

  /** True if the hub may know the action by its number. */
  isNumbered(action: PendingAction): boolean {
    return action.number > 0 && action.session === this.session;
  }

  /** The connection has ended. */
  disconnected(): void {
    this.written = 0;
  }

  /** The hub has resumed the session, and has processed the actions up to a number. */
  resumed(processed: number): void {
    if (processed < this.acknowledged || processed > this.acknowledged + this.sent.length) {
      throw new ProtocolError(`the hub has processed action ${processed}, which was not sent`);
    }
    // The outcomes of those up to the number follow the welcome; the others are written again.
    this.written = processed - this.acknowledged;
    this.reported = this.acknowledged;
    // A hub that was set back does not know that it has refused an action, of whose refusal the program has heard.
    for (const action of this.sent.slice(this.written)) if (action.isDone) action.bytes = noAction;
  }

  /** The session is a new one. Actions that were sent in the old one are given up: they may have taken effect. */
  restarted(): Outcome[] {
    const lost = this.sent.filter(action => !action.isDone);
    lost.forEach(action => this.finish(action));
    this.sent = [];
    this.session += 1;
    this.acknowledged = this.reported = this.written = 0;
    this.refusals = [];
    const text = "the hub no longer knows the session: the action may or may not have taken effect";
    return lost.map(action => ({ action, error: new NotSent("outcomeUnknown", text) }));
  }

  /** Gives up the actions of which the hub has no record. */
  discard(): Outcome[] {
    const unknown = [...this.sent.splice(this.written), ...this.queue.splice(0)].filter(action => !action.isDone);
    for (const action of unknown) {
      this.finish(action);
      action.number = 0;
    }
    const text = "the hub has lost states that were seen; the action was decided on after them, and was not sent";
    return unknown.map(action => ({ action, error: new NotSent("statesLost", text) }));
  }

  /** Gives up the actions that were not written on this connection and are too large for its hub. */
  discardLarger(payloadLimit: number): Outcome[] {
    const unwritten = [...this.sent.slice(this.written), ...this.queue];
    const large = unwritten.filter(action => !action.isDone && action.bytes.length + numberSize > payloadLimit);
    const outcomes = large.map(action => {
      const text = `the action has ${action.bytes.length} bytes; the hub accepts frames of ${payloadLimit} by now`;
      this.finish(action);
      action.bytes = noAction;
      return { action, error: new NotSent("tooLarge", text) };
    });
    if (large.length > 0) this.queue = this.queue.filter(action => !action.isDone);
    return outcomes;
  }

  /** Gives up all actions. */
  close(): Outcome[] {
    const all = [...this.sent, ...this.queue].filter(action => !action.isDone);
    this.sent = [];
    this.queue = [];
    this.byteCount = this.written = 0;
    return all.map(action => {
      action.isDone = true;
      const text = action.number === 0 ? "the client was closed before the action was sent"
        : "the client was closed before the hub answered: the action may or may not have taken effect";
      return { action, error: new NotSent(action.number === 0 ? "closed" : "outcomeUnknown", text) };
    });
  }

  /** Revisions of another history mean nothing. */
  forgetRevisions(): void {
    for (const action of [...this.sent, ...this.queue]) action.decidedAt = undefined;
  }

  /** Writes all actions for a schema. */
  encode(codecs: Codecs): void {
    const known = new Map<Codecs, Codecs>();
    const named = (names: Codecs): Codecs => {
      const found = known.get(names) ?? codecsNamedBy(names, codecs);
      known.set(names, found);
      return found;
    };
    for (const action of [...this.sent, ...this.queue]) {
      this.byteCount -= action.isDone ? 0 : action.bytes.length;
      action.encode(codecs, named);
      this.byteCount += action.isDone ? 0 : action.bytes.length;
    }
  }

  /** The hub has processed the actions up to a number. */
  applied(number: number): Outcome[] {
    if (number > this.acknowledged + this.written) {
      throw new ProtocolError(`the hub has applied action ${number}, which was not sent`);
    }
    if (number <= this.acknowledged) return [];
    const known = this.sent.splice(0, number - this.acknowledged);
    this.written -= known.length;
    this.acknowledged = number;
    const stored = known.filter(action => !action.isDone);
    stored.forEach(action => this.finish(action));
    return stored.map(action => ({ action }));
  }

  /** The hub has refused an action. */
  rejected(number: number, code: number, text: string): Outcome[] {
    if (number > this.acknowledged + this.written) {
      throw new ProtocolError(`the hub has refused action ${number}, which was not sent`);
    }
    if (number > this.reported && !this.refusals.includes(number)) this.refusals.push(number);
    const action = this.sent[number - this.acknowledged - 1];
    if (action === undefined || action.isDone) return [];
    this.finish(action);
    return [{ action, error: new Rejected(code, text) }];
  }

  /**
   * The next frame of actions, or undefined if there is nothing to write.
   *
   * @param payloadLimit The largest payload that the hub accepts.
   */
  nextFrame(payloadLimit: number, takesCancel: boolean): Uint8Array | undefined {
    const first = this.acknowledged + this.written + 1;
    const room = most - this.written - this.refusals.length;
    const action = room > 0 ? this.sent[this.written] ?? this.queue[0] : undefined;
    const isReportDue = this.refusals.length >= most / 2 && this.acknowledged > this.reported;
    if (action === undefined && !isReportDue) return undefined;
    const writer = new CborWriter(1024);
    writer.uint(first);
    writer.uint(this.acknowledged);
    this.reported = this.acknowledged;
    this.refusals = this.refusals.filter(number => number > this.reported);
    let taken = 0;
    for (let left = room, next = action; left > 0 && next !== undefined; left -= 1) {
      const isFirst = next === action;
      const isFull = writer.length + next.bytes.length > Math.min(frameSize, payloadLimit);
      if (!isFirst && (isFull || next.decidedAt !== action!.decidedAt)) break;
      writer.raw(next.bytes);
      if (next.number === 0) {
        taken += 1;
        this.sent.push(next);
        next.number = this.acknowledged + this.sent.length;
        next.session = this.session;
      }
      this.written += 1;
      next = this.sent[this.written] ?? this.queue[taken];
    }
    this.queue.splice(0, taken);
    const flags = (action?.decidedAt === undefined ? 0 : hasRevision) | (takesCancel ? isCancellable : 0);
    return frameBytes(Send.actions, writer.finish(), 0, flags, action?.decidedAt ?? 0n);
  }
}
