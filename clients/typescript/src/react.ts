import type { Part } from "./part.js";

/** React's hook of this name. */
export type UseSyncExternalStore = <Snapshot>(
  subscribe: (changed: () => void) => () => void, snapshot: () => Snapshot, serverSnapshot?: () => Snapshot,
) => Snapshot;

/**
 * Makes a hook from React's `useSyncExternalStore`, so that this package does not depend on React.
 *
 * ```js
 * const usePart = partHook(useSyncExternalStore);
 * function Count({ part }) { return usePart(part)?.toString() ?? "…"; }
 * ```
 *
 * The component is rendered again when the part's value has changed, and only then: an unchanged value is the same
 * object.
 */
export function partHook(useSyncExternalStore: UseSyncExternalStore): <T>(part: Part<T>) => T | undefined {
  const subscribers = new WeakMap<Part<any>, (changed: () => void) => () => void>();
  return <T>(part: Part<T>): T | undefined => {
    // React subscribes again to another function, so each part has one of its own.
    let subscribe = subscribers.get(part);
    if (subscribe === undefined) subscribers.set(part, (subscribe = changed => part.subscribe(() => changed())));
    const snapshot = (): T | undefined => part.value;
    return useSyncExternalStore(subscribe, snapshot, snapshot);
  };
}
