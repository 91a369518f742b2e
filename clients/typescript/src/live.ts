import { ConnectionError } from "./errors.js";
import type { Hub } from "./hub.js";
import type { HubOptions } from "./options.js";

/** Waits until a hub is live. */
export function whenLive<H extends Hub<any>>(hub: H, options: HubOptions): Promise<H> {
  return new Promise((resolve, reject) => {
    let last: Error | undefined;
    const timeout = options.timeout ?? 10_000;
    const fail = (error: Error): void => {
      end();
      hub.close();
      reject(error);
    };
    const timer = timeout === Infinity ? undefined
      : setTimeout(() => fail(last ?? new ConnectionError(`no answer within ${timeout} ms`)), timeout);
    const abort = (): void => fail(new ConnectionError("the attempt to connect was aborted"));
    const look = (): void => {
      const state = hub.state;
      if (state.phase === "waiting") last = state.error;
      if (state.phase === "refused") fail(state.error);
      if (state.phase !== "live") return;
      end();
      resolve(hub);
    };
    const stop = hub.onState(look);
    const end = (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", abort);
      stop();
    };
    options.signal?.addEventListener("abort", abort);
    if (options.signal?.aborted) abort();
    else look();
  });
}
