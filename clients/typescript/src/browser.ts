// The entry point for browsers.

import { Hub } from "./hub.js";
import { whenLive } from "./live.js";
import type { HubOptions } from "./options.js";
import type { Transport } from "./transports/transport.js";
import type { WebSocketOptions } from "./transports/websocket.js";
import { WebSocketTransport } from "./transports/websocket.js";

export * from "./common.js";

export type ConnectOptions = HubOptions & WebSocketOptions & {
  /** The address of a gateway, `wss://…`. */
  readonly url?: string;
  /** Another way to the hub. */
  readonly transport?: Transport;
};

/** Connects to a hub through a gateway, and waits until the hub has answered. */
export async function connect<Action = unknown>(
  options: ConnectOptions & ({ url: string } | { transport: Transport }),
): Promise<Hub<Action>> {
  return whenLive(() => new Hub<Action>(options.transport ?? new WebSocketTransport(options.url!, options), options), options);
}
