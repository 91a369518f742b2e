import { PathError, StoreHubError } from "../errors.js";
import { Root, Scope } from "./scope.js";

/** The most parts of a client; a hub takes 64 by default, and may take more. */
const most = 1024;

/** The parts of a client, and their numbers on the connection. */
export class Scopes implements Iterable<Scope> {
  private readonly all = new Set<Scope>();
  private readonly numbered = new Map<number, Scope>();
  /** Numbers that were detached, until the hub has said so. */
  private readonly retired = new Set<number>();
  private nextNumber = 1;
  /** How often parts were detached that left room for others. */
  private detachments = 0;
  /** True after one of several new parts was refused: they are attached one at a time, to find out which. */
  private isCareful = false;

  [Symbol.iterator](): Iterator<Scope> {
    return this.all[Symbol.iterator]();
  }

  /** True if the hub owes an answer for a part. */
  get isWaiting(): boolean {
    for (const scope of this.numbered.values()) if (scope.isWaiting) return true;
    return false;
  }

  /** True if the client has a part that contains everything that the feature presents. */
  get showEverything(): boolean {
    for (const scope of this.all) {
      if (scope.root === Root.feature && scope.isKnown && scope.isPresent && scope.isWhole) return true;
    }
    return false;
  }

  add(scope: Scope): void {
    if (this.all.size >= most) throw new StoreHubError(`a client has at most ${most} parts`);
    this.all.add(scope);
  }

  remove(scope: Scope): boolean {
    return this.all.delete(scope);
  }

  /** The part with a number; undefined for frames that still arrive for a part that was detached. */
  withNumber(number: number): Scope | undefined {
    return this.numbered.get(number);
  }

  /** The connection has ended. */
  disconnected(): void {
    this.numbered.clear();
    this.retired.clear();
    for (const scope of this.all) scope.detached();
  }

  /** The parts that can be attached now. */
  *unattached(): Iterable<Scope> {
    if (this.isCareful) this.isCareful = [...this.all].some(scope => !scope.isConfirmed);
    for (const scope of this.all) {
      if (scope.number !== undefined || scope.awaitsRoom) continue;
      if (this.isCareful && !scope.isConfirmed && this.isTrying) continue;
      yield scope;
    }
  }

  /** True while the hub has not answered for a new part. */
  private get isTrying(): boolean {
    return [...this.numbered.values()].some(scope => scope.isWaiting && !scope.isConfirmed);
  }

  /** Gives a part a number that is not in use. */
  number(scope: Scope): number {
    while (this.numbered.has(this.nextNumber) || this.retired.has(this.nextNumber)) this.advance();
    const number = this.nextNumber;
    this.advance();
    scope.number = number;
    scope.detachments = this.detachments;
    this.numbered.set(number, scope);
    return number;
  }

  private advance(): void {
    this.nextNumber = (this.nextNumber % 0xffff) + 1;
  }

  /** Ends a subscription, and returns its number, which is used again when the hub has said *detached*. */
  retire(scope: Scope): number | undefined {
    const number = scope.number;
    scope.detached();
    if (number === undefined) return undefined;
    this.numbered.delete(number);
    this.retired.add(number);
    return number;
  }

  /**
   * The hub has said *detached*. Returns the part that has the number, which the hub has therefore refused, if any.
   *
   * @param isOverLimit True if it has refused the part because of a limit.
   */
  release(number: number, isOverLimit: boolean): Scope | undefined {
    if (this.retired.delete(number)) return undefined;
    const scope = this.numbered.get(number);
    this.numbered.delete(number);
    if (scope === undefined) return undefined;
    scope.refused(isOverLimit);
    // It may have been refused before the hub read of the last detached part; and its elements are free for windows.
    for (const other of this.all) if (other.detachments < this.detachments) other.awaitsRoom = false;
    return scope;
  }

  /**
   * A part was detached: all parts that wait for room are requested, the oldest first. Which of them has room is known to
   * the hub alone, whose limits are of numbers and of sizes, of the client and of its user.
   *
   * Each is requested at most once for each detached part. One whose request is on its way is requested again when the hub
   * has refused it, since it may have done so before it read of the detached part (`release`).
   */
  admitThoseWithoutRoom(): void {
    this.detachments += 1;
    for (const scope of this.all) scope.awaitsRoom = false;
  }

  /** Refuses a window with which all windows would have more elements than the hub serves. */
  checkWindow(scope: Scope, limit: number): void {
    const own = scope.resolved.windowElements;
    if (own === 0) return;
    let sum = own;
    for (const other of this.numbered.values()) sum += other.resolved.windowElements;
    if (sum > limit) throw new PathError(`${scope.path}: the hub serves windows of ${limit} elements together`);
  }

  /**
   * The hub has refused a new part, and does not say which.
   *
   * Without a new one, the hub permits less than it did, and each part is tried anew.
   *
   * @returns The part, if there is only one new one; "one of several", which are then tried one at a time; or "none".
   */
  refused(): Scope | "one of several" | "none" {
    const suspects = [...this.numbered.values()].filter(scope => !scope.isConfirmed);
    if (suspects.length === 1) return suspects[0]!;
    if (this.numbered.size === 0) return "none";
    if (suspects.length === 0) for (const scope of this.numbered.values()) scope.doubt();
    this.isCareful = true;
    return "one of several";
  }
}
