// The entry point for Node.

import type { ConnectOptions as BrowserOptions } from "./browser.js";
import { Hub } from "./hub.js";
import { whenLive } from "./live.js";
import { defaultSocket, SocketTransport } from "./transports/socket.js";
import { WebSocketTransport } from "./transports/websocket.js";

export * from "./common.js";
export { defaultSocket, SocketTransport };

export type ConnectOptions = BrowserOptions & {
  /** The path of the hub's socket. Without `socket`, `url` and `transport`, it is that of this user's hub. */
  readonly socket?: string;
};

/** Connects to a hub, and waits until it has answered. */
export async function connect<Action = unknown>(options: ConnectOptions = {}): Promise<Hub<Action>> {
  return whenLive(() => {
    const transport = options.transport ?? (options.url === undefined
      ? new SocketTransport(options.socket ?? defaultSocket()) : new WebSocketTransport(options.url, options));
    return new Hub<Action>(transport, options);
  }, options);
}
