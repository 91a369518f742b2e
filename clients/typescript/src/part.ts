import type { StoreHubError } from "./errors.js";
import type { Scope } from "./core/scope.js";
import { checkFunction } from "./values/codec.js";

export type PartStatus =
  /** The hub has not answered yet. */
  | "loading"
  | "present"
  /** The path has no value at the moment; the part is told when it has one. */
  | "absent"
  /** The part cannot be attached; `error` says why. */
  | "failed"
  | "detached";

/** What a part asks of its hub. */
export interface PartOwner {
  detach(scope: Scope): void;
  verify(scope: Scope): Promise<boolean>;
}

/** Calls a function of the user's; its error is the user's as well, and does not disturb the client. */
export function callSafely(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * A part of the hub's state, kept up to date.
 *
 * While the connection is away, the value stays as it was last.
 */
export class Part<T> implements AsyncIterable<T | undefined> {
  /** Ends when the first value, or its absence, is known; fails if the part cannot be attached. */
  readonly ready: Promise<void>;
  /** Why the part cannot be attached. */
  error: StoreHubError | undefined;
  private current: PartStatus = "loading";
  private readonly listeners = new Set<() => void>();
  private settle!: { resolve: () => void; reject: (error: Error) => void };

  constructor(private readonly owner: PartOwner, private readonly scope: Scope) {
    this.ready = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    // Who does not wait for it reads `status`.
    this.ready.catch(() => {});
  }

  /** The path, as it was given. */
  get path(): string {
    return String(this.scope.path);
  }

  get status(): PartStatus {
    return this.current;
  }

  /** The value; undefined while it is not known, or absent. */
  get value(): T | undefined {
    return this.scope.value as T | undefined;
  }

  /**
   * The reason why the hub has no value of a view (`docs/VIEWS.md`), or has not attached the part; undefined if there is
   * none.
   */
  get refusal(): string | undefined {
    return this.scope.refusal;
  }

  /**
   * True if the hub has not attached the part because of one of its limits, which `refusal` names. It is attached when
   * other parts are detached and leave room for it, or after a new connection.
   */
  get isOverLimit(): boolean {
    return this.scope.isOverLimit;
  }

  /** The revision of the value: the number of actions that had taken effect. */
  get revision(): bigint {
    return this.scope.revision;
  }

  /**
   * Calls a function after each change of the value or the status, once for all that has arrived together.
   *
   * @returns A function that ends the calls.
   */
  subscribe(listener: (value: T | undefined) => void): () => void {
    checkFunction(listener);
    const call = (): void => listener(this.value);
    this.listeners.add(call);
    return () => this.listeners.delete(call);
  }

  /**
   * The value, and then each new one. If several arrive while the loop is busy, it gets the last; undefined while the
   * part is absent. The loop ends when the part is detached, and throws if it cannot be attached. `return` ends it at
   * once, also while it waits.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<T | undefined> {
    return new PartIterator<T>(this);
  }

  /**
   * Compares the part's hash with the hub's: true if they are equal. A part that differs is read again.
   *
   * @throws ConnectionError if the part is not attached, also because the hub has just refused it.
   */
  verify(): Promise<boolean> {
    return this.owner.verify(this.scope);
  }

  /** Ends the subscription. */
  detach(): void {
    if (this.current === "failed" || this.current === "detached") return;
    this.owner.detach(this.scope);
    this.update("detached");
  }

  /** For the hub: the part has changed. */
  update(status: PartStatus, error?: StoreHubError): void {
    this.current = status;
    this.error = error;
    if (error) this.settle.reject(error);
    else this.settle.resolve();
    for (const listener of [...this.listeners]) callSafely(listener);
  }
}

interface Step<T> {
  readonly resolve: (result: IteratorResult<T | undefined, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** Not a generator, whose `return` waits until its `next` has a value. */
class PartIterator<T> implements AsyncIterableIterator<T | undefined> {
  private readonly waiting: Step<T>[] = [];
  private isNew = true;
  private isEnded = false;
  /** Ends the calls; undefined before the first step, so that an iterator that is not used is forgotten. */
  private stop: (() => void) | undefined;

  constructor(private readonly part: Part<T>) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T | undefined, undefined>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      if (!this.isEnded) {
        this.stop ??= this.part.subscribe(() => {
          this.isNew = true;
          this.step();
        });
      }
      this.step();
    });
  }

  async return(): Promise<IteratorResult<T | undefined, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<never> {
    this.end();
    throw error;
  }

  private step(): void {
    const { status } = this.part;
    if (this.isEnded || status === "detached") return this.end();
    if (status === "failed") {
      this.waiting.shift()?.reject(this.part.error);
      return this.end();
    }
    if (status === "loading" || !this.isNew || this.waiting.length === 0) return;
    this.isNew = false;
    this.waiting.shift()!.resolve({ done: false, value: this.part.value });
  }

  private end(): void {
    this.isEnded = true;
    this.stop?.();
    for (const step of this.waiting.splice(0)) step.resolve({ done: true, value: undefined });
  }
}
