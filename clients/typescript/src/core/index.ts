// The client without I/O, for transports and event loops that this package does not have.

export { ClientCore } from "./core.js";
export type { CoreEvent, CoreOptions } from "./events.js";
export type { Outcome, PendingAction } from "./outbox.js";
export { Path, parsePath } from "./path.js";
export { Scope } from "./scope.js";
