// What both entry points have.

export * from "./errors.js";
export { Path, parsePath } from "./core/path.js";
export type { PathStep } from "./core/path.js";
export { Hub } from "./hub.js";
export type { Attendee, ConnectionState, HubOptions } from "./options.js";
export { Part } from "./part.js";
export type { PartStatus } from "./part.js";
export type { Connection, Transport, TransportHandlers } from "./transports/transport.js";
export { WebSocketTransport } from "./transports/websocket.js";
export type { WebSocketConstructor, WebSocketLike, WebSocketOptions } from "./transports/websocket.js";
export * from "./values/types.js";
