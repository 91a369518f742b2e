/** The actions whose effects are to be cancelled, until the hub has read so (PROTOCOL.md, 6.13). */
export class Cancellations {
  /** The numbers of actions, each with the ping after its *cancel* on this connection. */
  private readonly pings = new Map<number, number | undefined>();

  /** True if the hub may not have read one that was written. */
  get isWaiting(): boolean {
    return this.pings.size > 0;
  }

  add(action: number): void {
    this.pings.set(action, undefined);
  }

  clear(): void {
    this.pings.clear();
  }

  /** Forgets those of later actions, which are given up: others get their numbers. */
  keepUpTo(action: number): void {
    for (const one of this.pings.keys()) if (one > action) this.pings.delete(one);
  }

  /** The connection has ended: those without a pong are written again. */
  disconnected(): void {
    for (const action of this.pings.keys()) this.pings.set(action, undefined);
  }

  /** Those to write now: not before their actions. A ping with the number must follow them. */
  take(lastWritten: number, ping: number): number[] {
    const due: number[] = [];
    for (const [action, sent] of this.pings) if (sent === undefined && action <= lastWritten) due.push(action);
    for (const action of due) this.pings.set(action, ping);
    return due;
  }

  /** The hub has read everything up to a ping. */
  ponged(ping: number): void {
    for (const [action, sent] of this.pings) if (sent !== undefined && sent <= ping) this.pings.delete(action);
  }
}
