import { ConnectionError } from "./errors.js";
import type { Hub } from "./hub.js";
import { longestTimer, positive } from "./options.js";
import type { HubOptions } from "./options.js";
import { checkSignal } from "./values/codec.js";

/** Opens a client, and waits until its hub is live. */
export async function whenLive<H extends Hub<any>>(open: () => H, options: HubOptions): Promise<H> {
  const { signal } = options;
  const timeout = positive("timeout", options.timeout, 10_000);
  if (signal != null) checkSignal(signal);
  const hub = open();
  return new Promise((resolve, reject) => {
    let last: Error | undefined;
    const fail = (error: unknown): void => {
      end();
      hub.close();
      reject(error);
    };
    const abort = (): void => fail(new ConnectionError("the attempt to connect was aborted"));
    const look = (): void => {
      const state = hub.state;
      if (state.phase === "waiting") last = state.error;
      if (state.phase === "refused") fail(state.error);
      if (state.phase !== "live") return;
      end();
      resolve(hub);
    };
    const timer = timeout > longestTimer ? undefined
      : setTimeout(() => fail(last ?? new ConnectionError(`no answer within ${timeout} ms`)), timeout);
    const stop = hub.onState(look);
    const end = (): void => {
      clearTimeout(timer);
      stop();
      try {
        signal?.removeEventListener("abort", abort);
      } catch {
        // It is the program's own, and its error that of the attempt.
      }
    };
    try {
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
      else look();
    } catch (error) {
      // The signal is the program's own code.
      fail(error);
    }
  });
}
