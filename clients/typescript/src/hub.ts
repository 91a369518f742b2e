import { ClientCore } from "./core/core.js";
import type { CoreEvent } from "./core/events.js";
import type { PendingAction } from "./core/outbox.js";
import type { Path } from "./core/path.js";
import { ownPath } from "./core/path.js";
import { Root, Scope } from "./core/scope.js";
import type { PathError } from "./errors.js";
import { ConnectionError, NotSent, StoreHubError } from "./errors.js";
import type { Attendee, ConnectionState, HubOptions } from "./options.js";
import { backOff, coreOptions, longestTimer } from "./options.js";
import type { PartOwner } from "./part.js";
import { callSafely, Part } from "./part.js";
import type { Connection, Transport } from "./transports/transport.js";
import { checkFunction, checkSignal, describe, expected } from "./values/codec.js";

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The wait for the signal of one action. */
interface Cancellation {
  /** Undefined until the action is kept. */
  action: PendingAction | undefined;
  /** True if the signal was given. */
  isDue: boolean;
  readonly abort: () => void;
  readonly end: () => void;
}

/** The actions whose signals are heard. A hub keeps no more with running effects for a session, either. */
const mostCancellations = 1024;
/** A connection that was open for so many milliseconds was a good one: the next attempt is made at once. */
const goodConnection = 1000;

/** What precedes the name of a view in a path. */
const viewPrefix = "view:";

/**
 * A connection to a hub, which is made again when it ends.
 *
 * `Action` is the type of the feature's actions, for the compiler.
 */
export class Hub<Action = unknown> {
  private readonly core: ClientCore;
  private connection: Connection | undefined;
  private current: ConnectionState = { phase: "connecting", attempt: 1 };
  private readonly stateListeners = new Set<(state: ConnectionState) => void>();
  private readonly faultListeners = new Set<(error: StoreHubError) => void>();
  private readonly parts = new Map<Scope, Part<unknown>>();
  private readonly sends = new Map<PendingAction, Waiter>();
  private readonly capacityWaiters: Waiter[] = [];
  /** Set while a waiter has been told of room and has not sent yet: the next one is told afterwards. */
  private offer: ReturnType<typeof setTimeout> | undefined;
  private readonly settledWaiters: Waiter[] = [];
  /** End the wait for the signals of the last actions, oldest first. */
  private readonly cancellations: (() => void)[] = [];
  private readonly verifications = new Map<Scope, ((isEqual: boolean | undefined) => void)[]>();
  private readonly first: number;
  private readonly longest: number;
  private attempts = 0;
  private openedAt = 0;
  /** The milliseconds within which a connection must be made. */
  private readonly openLimit: number;
  private opening: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private timerAt = Infinity;
  private isFlushDue = false;
  private isRunning = false;
  private readonly owner: PartOwner;

  constructor(private readonly transport: Transport, options: HubOptions) {
    if (typeof transport?.open !== "function") throw expected("an object that opens connections", transport).within("transport");
    const settings = coreOptions(options);
    this.core = new ClientCore(settings);
    this.openLimit = settings.answerTimeout;
    ({ first: this.first, longest: this.longest } = backOff(options));
    this.owner = {
      detach: scope => this.detach(scope),
      verify: scope => this.verify(scope),
    };
    this.open();
  }

  /** The state of the connection. */
  get state(): ConnectionState {
    return this.current;
  }

  /** Calls a function after each change of the connection's state. Returns a function that ends the calls. */
  onState(listener: (state: ConnectionState) => void): () => void {
    checkFunction(listener);
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  /** Calls a function for each defect that was found and repaired, such as a part with a wrong hash. */
  onFault(listener: (error: StoreHubError) => void): () => void {
    checkFunction(listener);
    this.faultListeners.add(listener);
    return () => this.faultListeners.delete(listener);
  }

  /** The number of actions whose outcome is not known. */
  get pendingCount(): number {
    return this.core.pendingCount;
  }

  /**
   * Subscribes to a part of the feature's state, and returns at once. `part.ready` ends with its first value.
   *
   * @param path A typed path, or one in users' notation, such as `todos.todos[3].text`, or `view:active[0..<50]` of a
   *   view that the hub's feature declares.
   */
  part<T = unknown>(path: Path<T> | string): Part<T> {
    let own: Path | string;
    try {
      own = ownPath(path);
    } catch (error) {
      // As with a path that leads nowhere.
      const part = new Part<T>(this.owner, new Scope(describe(path), Root.feature));
      part.update("failed", error as PathError);
      return part;
    }
    const view = typeof own === "string" && own.startsWith(viewPrefix) ? own.slice(viewPrefix.length) : undefined;
    return this.subscribe<T>(view === undefined ? new Scope(own, Root.feature) : new Scope(view, Root.views));
  }

  /** Subscribes to a part, and waits for its first value or its absence. */
  async attach<T = unknown>(path: Path<T> | string): Promise<Part<T>> {
    return this.whenReady(this.part(path));
  }

  /** Subscribes to the list of the hub's clients, which the hub may keep from this user. */
  attendees(): Promise<Part<readonly Attendee[]>> {
    return this.whenReady(this.subscribe<readonly Attendee[]>(new Scope("attendees", Root.hub)));
  }

  /** Subscribes to the hub's metrics (PROTOCOL.md, 9.3), which the hub may keep from this user. */
  metrics(): Promise<Part<Readonly<Record<string, unknown>>>> {
    return this.whenReady(this.subscribe<Readonly<Record<string, unknown>>>(new Scope("", Root.metrics)));
  }

  private async whenReady<T>(part: Part<T>): Promise<Part<T>> {
    await part.ready;
    return part;
  }

  private subscribe<T>(scope: Scope): Part<T> {
    const part = new Part<T>(this.owner, scope);
    if (this.current.phase === "refused" || this.current.phase === "closed") {
      part.update("failed", this.endError());
      return part;
    }
    this.core.attach(scope, now());
    this.parts.set(scope, part as Part<unknown>);
    this.scheduleRun();
    return part;
  }

  private detach(scope: Scope): void {
    this.parts.delete(scope);
    this.core.detach(scope);
    this.verified(scope, undefined);
    this.scheduleRun();
  }

  private async verify(scope: Scope): Promise<boolean> {
    const notAttached = new ConnectionError("the part is not attached at the moment");
    if (!this.core.verify(scope, now())) throw notAttached;
    const waiters = this.verifications.get(scope) ?? [];
    this.verifications.set(scope, waiters);
    this.scheduleRun();
    return new Promise((resolve, reject) => {
      waiters.push(isEqual => (isEqual === undefined ? reject(notAttached) : resolve(isEqual)));
    });
  }

  private verified(scope: Scope, isEqual: boolean | undefined): void {
    const waiters = this.verifications.get(scope) ?? [];
    this.verifications.delete(scope);
    for (const answer of waiters) answer(isEqual);
  }

  /**
   * Sends an action. It takes effect exactly once, also if the connection ends or the hub restarts meanwhile.
   *
   * @param options `signal` takes the action back if it was not sent yet, and otherwise cancels the effects that it has
   *   started, also after this has ended.
   * @returns When the hub has applied it, and has stored it if it stores at all. The parts have its result then, unless
   *   the connection ended meanwhile: then it arrives when they are attached again.
   * @throws Rejected if the hub refused it; NotSent if it was given up; ValueError if it is no action of the feature.
   */
  async send(action: Action, options?: { readonly signal?: AbortSignal }): Promise<void> {
    const signal = options?.signal ?? undefined;
    // Heard before the action is kept, so that nothing is kept if that fails.
    const cancellation = signal === undefined ? undefined : this.listen(signal);
    let pending: PendingAction;
    try {
      pending = this.core.send(action, now());
    } catch (error) {
      cancellation?.end();
      throw error;
    }
    if (cancellation) cancellation.action = pending;
    this.offerEnded();
    if (!this.isFlushDue) {
      this.isFlushDue = true;
      // Actions of one turn share a frame.
      queueMicrotask(() => this.flush());
    }
    await new Promise<void>((resolve, reject) => {
      this.sends.set(pending, { resolve, reject });
      if (cancellation) this.keep(cancellation);
    });
  }

  /** Waits for the signal of an action that is not kept yet. */
  private listen(signal: AbortSignal): Cancellation {
    checkSignal(signal);
    if (signal.aborted) throw new NotSent("closed", "the action was cancelled before it was sent");
    const abort = (): void => {
      cancellation.isDue = true;
      if (cancellation.action === undefined) return;
      this.core.cancel(cancellation.action);
      this.run();
    };
    const cancellation: Cancellation = {
      action: undefined, isDue: false, abort,
      end: () => callSafely(() => signal.removeEventListener("abort", abort)),
    };
    signal.addEventListener("abort", abort, { once: true });
    return cancellation;
  }

  private keep(cancellation: Cancellation): void {
    // The program's own code may have given the signal while the action was read.
    if (cancellation.isDue) return cancellation.abort();
    this.cancellations.push(cancellation.end);
    if (this.cancellations.length > mostCancellations) this.cancellations.shift()!();
  }

  /**
   * Waits until `send` takes another action: the way to send many without an unbounded queue.
   *
   * Those that wait are told one after the other, each when the one before it has sent, or has done something else.
   */
  async capacity(): Promise<void> {
    if (this.current.phase === "refused" || this.current.phase === "closed") return;
    await new Promise<void>((resolve, reject) => {
      this.capacityWaiters.push({ resolve, reject });
      this.offerCapacity();
    });
  }

  private offerCapacity(): void {
    if (this.offer !== undefined || this.capacityWaiters.length === 0 || !this.core.hasCapacity) return;
    this.capacityWaiters.shift()!.resolve();
    // If it has not sent when all that was ready has run, it will not.
    this.offer = setTimeout(() => this.offerEnded(), 0);
  }

  private offerEnded(): void {
    if (this.offer === undefined) return;
    clearTimeout(this.offer);
    this.offer = undefined;
    this.offerCapacity();
  }

  /** Waits until the outcomes of all actions are known. */
  async settled(): Promise<void> {
    if (this.core.pendingCount === 0) return;
    await new Promise<void>((resolve, reject) => this.settledWaiters.push({ resolve, reject }));
  }

  /** Ends the session and the connection. Actions without an outcome fail: wait for `settled` first to keep them. */
  close(): void {
    if (this.current.phase === "closed") return;
    this.core.close();
    this.run();
    // If a callback closes, `run` is on the stack and goes on when the connection has ended.
    this.writeOutput();
    this.endConnection();
    this.finish({ phase: "closed" });
  }

  // Connection

  private open(): void {
    this.attempts += 1;
    this.setState({ phase: "connecting", attempt: this.attempts });
    // A listener may have closed the client.
    if (this.current.phase !== "connecting") return;
    const isOwn = (): boolean => this.connection === connection;
    let connection: Connection | undefined;
    try {
      connection = this.transport.open({
        opened: () => {
          if (!isOwn()) return;
          clearTimeout(this.opening);
          this.core.opened(now());
          this.run();
        },
        received: bytes => {
          if (!isOwn()) return;
          this.core.received(bytes, now());
          this.run();
        },
        writable: () => {
          if (!isOwn()) return;
          this.core.isWritable = true;
          this.flush();
        },
        closed: (error, isFinal = false) => {
          if (!isOwn()) return;
          if (isFinal && error instanceof StoreHubError) this.refused(error);
          else this.lost(error);
        },
      });
    } catch (error) {
      return this.lost(error as Error);
    }
    this.connection = connection;
    this.core.isWritable = true;
    if (this.openLimit > longestTimer) return;
    this.opening = setTimeout(() => {
      if (!isOwn()) return;
      this.endConnection();
      this.lost(new ConnectionError(`no connection within ${this.openLimit} ms`));
    }, this.openLimit);
  }

  /** Closes the connection, of which nothing is heard afterwards. */
  private endConnection(): void {
    const { connection } = this;
    this.connection = undefined;
    try {
      connection?.close();
    } catch {
      // A transport of the program's own; the connection is given up anyway.
    }
  }

  private refused(error: StoreHubError): void {
    this.connection = undefined;
    this.core.closed();
    this.core.close();
    this.run();
    this.finish({ phase: "refused", error });
  }

  private lost(error: Error | undefined): void {
    this.connection = undefined;
    clearTimeout(this.opening);
    this.core.closed();
    for (const scope of [...this.verifications.keys()]) this.verified(scope, undefined);
    const reason = error instanceof StoreHubError
      ? error : new ConnectionError(error?.message ?? "the connection has ended");
    if (this.openedAt > 0 && now() - this.openedAt >= goodConnection) this.attempts = 0;
    this.openedAt = 0;
    // Longer each time and by a random part, so that the clients of a restarted hub do not come all at once.
    const longest = Math.min(this.longest, this.first * 2 ** Math.min(this.attempts, 30));
    const delay = longest * (0.5 + Math.random() / 2);
    this.setTimer();
    this.setState({ phase: "waiting", error: reason, delay });
    if (this.current.phase === "waiting") this.retry = setTimeout(() => this.open(), delay);
  }

  private flush(): void {
    this.isFlushDue = false;
    this.core.flush();
    this.run();
  }

  private scheduleRun(): void {
    queueMicrotask(() => this.run());
  }

  /** Sends what the core has to send, and does what it reports. */
  private run(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      while (this.core.output.length > 0 || this.core.events.length > 0) {
        this.writeOutput();
        const events = this.core.events;
        this.core.events = [];
        for (const event of events) this.handle(event);
      }
    } finally {
      this.isRunning = false;
    }
    this.setTimer();
  }

  private writeOutput(): void {
    while (this.core.output.length > 0) {
      const output = this.core.output;
      this.core.output = [];
      try {
        for (const bytes of output) this.core.isWritable = this.connection?.write(bytes) ?? false;
      } catch (error) {
        // A transport of the program's own.
        this.endConnection();
        return this.lost(error as Error);
      }
      this.core.flush();
    }
  }

  private handle(event: CoreEvent): void {
    switch (event.kind) {
      case "live":
        this.openedAt = now();
        return this.setState({ phase: "live", hubName: event.welcome.hubName });
      case "changed": return this.parts.get(event.scope)?.update(event.scope.isPresent ? "present" : "absent");
      case "failed": {
        const part = this.parts.get(event.scope);
        this.parts.delete(event.scope);
        return part?.update("failed", event.error);
      }
      case "outcome": {
        const { action, error } = event.outcome;
        const waiter = this.sends.get(action);
        this.sends.delete(action);
        if (error) waiter?.reject(error);
        else waiter?.resolve();
        return this.wake();
      }
      case "verified": return this.verified(event.scope, event.isEqual);
      case "fault":
        for (const listener of [...this.faultListeners]) callSafely(() => listener(event.error));
        return;
      case "drop": {
        this.endConnection();
        if (event.isFinal) return this.finish({ phase: "refused", error: event.error });
        return this.lost(event.error);
      }
    }
  }

  private wake(): void {
    this.offerCapacity();
    if (this.core.pendingCount === 0) for (const waiter of this.settledWaiters.splice(0)) waiter.resolve();
  }

  private finish(state: ConnectionState): void {
    this.connection = undefined;
    clearTimeout(this.retry);
    clearTimeout(this.opening);
    this.setState(state);
    const error = this.endError();
    for (const part of this.parts.values()) {
      if (state.phase === "closed") part.update("detached");
      else part.update("failed", error);
    }
    this.parts.clear();
    for (const scope of [...this.verifications.keys()]) this.verified(scope, undefined);
    for (const waiter of [...this.capacityWaiters.splice(0), ...this.settledWaiters.splice(0)]) waiter.reject(error);
    this.setTimer();
  }

  private endError(): StoreHubError {
    return this.current.phase === "refused" ? this.current.error : new NotSent("closed", "the client is closed");
  }

  private setState(state: ConnectionState): void {
    if (this.current.phase === "refused" || this.current.phase === "closed") return;
    this.current = state;
    for (const listener of [...this.stateListeners]) callSafely(() => listener(state));
  }

  /** Starts the timer for the core's deadline, if that is earlier than the one that runs. */
  private setTimer(): void {
    const deadline = this.connection ? this.core.deadline : undefined;
    if (deadline === undefined) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.timerAt = Infinity;
    } else if (this.timer === undefined || deadline < this.timerAt) {
      clearTimeout(this.timer);
      this.timerAt = deadline;
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.core.tick(now());
        this.run();
      }, Math.min(Math.max(0, deadline - now()), longestTimer));
    }
  }
}

function now(): number {
  return performance.now();
}
