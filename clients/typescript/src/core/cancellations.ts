/**
 * The actions whose effects are to be cancelled, until the hub has read so and acknowledged them (PROTOCOL.md, 6.13): an
 * action that is sent again starts its effects again.
 */
export class Cancellations {
  /** The numbers of actions, each with the ping after its *cancel* on this connection. */
  private readonly pings = new Map<number, number | undefined>();
  /** Those that the hub has read, and that it has not acknowledged. */
  private readonly read = new Set<number>();

  /** True if the hub may not have read one that was written. */
  get isWaiting(): boolean {
    return this.pings.size > 0;
  }

  add(action: number): void {
    this.pings.set(action, undefined);
  }

  clear(): void {
    this.pings.clear();
    this.read.clear();
  }

  /** Forgets those of later actions, which are given up: others get their numbers. */
  keepUpTo(action: number): void {
    for (const one of this.pings.keys()) if (one > action) this.pings.delete(one);
    for (const one of this.read) if (one > action) this.read.delete(one);
  }

  /** The connection has ended: those without a pong, or without an acknowledgement, are written again. */
  disconnected(): void {
    for (const action of this.pings.keys()) this.pings.set(action, undefined);
    for (const action of this.read) this.pings.set(action, undefined);
    this.read.clear();
  }

  /** Those to write now: not before their actions. A ping with the number must follow them. */
  take(lastWritten: number, ping: number): number[] {
    const due: number[] = [];
    for (const [action, sent] of this.pings) if (sent === undefined && action <= lastWritten) due.push(action);
    for (const action of due) this.pings.set(action, ping);
    return due;
  }

  /** The hub has read everything up to a ping, and has acknowledged the actions up to one. */
  ponged(ping: number, acknowledged: number): void {
    for (const [action, sent] of this.pings) {
      if (sent === undefined || sent > ping) continue;
      this.pings.delete(action);
      if (action > acknowledged) this.read.add(action);
    }
  }

  /** The hub has acknowledged the actions up to one. */
  acknowledged(number: number): void {
    for (const action of this.read) if (action <= number) this.read.delete(action);
  }
}
