import { statSync } from "node:fs";
import { createConnection } from "node:net";
import { env, getuid } from "node:process";
import { ConnectionError } from "../errors.js";
import { expected } from "../values/codec.js";
import type { Connection, Transport, TransportHandlers } from "./transport.js";

/** The milliseconds in which a hub must read something of what a closed connection still has to write. */
const closeTimeout = 5000;

/** The way to a hub on the same machine: its Unix socket. */
export class SocketTransport implements Transport {
  /** @param path The path of the socket. */
  constructor(private readonly path: string) {
    if (typeof path !== "string" || path === "") throw expected("a path", path).within("socket");
  }

  open(handlers: TransportHandlers): Connection {
    const socket = createConnection({ path: this.path });
    let isClosed = false;
    let failure: Error | undefined;
    socket.on("connect", () => isClosed || handlers.opened());
    socket.on("data", bytes => isClosed || handlers.received(bytes));
    socket.on("drain", () => isClosed || handlers.writable());
    socket.on("error", error => {
      failure = error;
    });
    socket.on("close", () => {
      if (isClosed) return;
      isClosed = true;
      const text = failure ? `${this.path}: ${failure.message}` : "the hub has closed the connection";
      handlers.closed(new ConnectionError(text));
    });
    return {
      write: bytes => socket.write(bytes),
      close: () => {
        isClosed = true;
        // After what was written. What the hub still sends is read by nobody, and does not keep the process alive.
        if (socket.connecting) socket.destroy();
        else socket.end(() => socket.destroy());
        // Nor does a hub that reads nothing any more.
        socket.setTimeout(closeTimeout, () => socket.destroy());
      },
    };
  }
}

/**
 * The socket of this user's hub: `$STOREHUB_SOCKET`, or `$XDG_RUNTIME_DIR/storehub/hub.sock`, or
 * `${TMPDIR:-/tmp}/storehub-UID/hub.sock`.
 *
 * @throws ConnectionError if others may have made the last one.
 */
export function defaultSocket(): string {
  if (env["STOREHUB_SOCKET"]) return env["STOREHUB_SOCKET"];
  if (env["XDG_RUNTIME_DIR"]) return `${env["XDG_RUNTIME_DIR"]}/storehub/hub.sock`;
  const user = getuid();
  const directory = `${env["TMPDIR"] || "/tmp"}/storehub-${user}`;
  const status = statSync(directory, { throwIfNoEntry: false });
  if (status !== undefined && (status.uid !== user || (status.mode & 0o022) !== 0)) {
    throw new ConnectionError(`${directory} belongs to another user, or others may write to it`);
  }
  return `${directory}/hub.sock`;
}
