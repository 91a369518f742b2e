import { ConnectionError } from "../errors.js";
import type { Connection, Transport, TransportHandlers } from "./transport.js";

/** What this transport uses of a WebSocket: that of browsers, of Node 22, and of the package `ws`. */
export interface WebSocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  send(data: Uint8Array): void;
  close(): void;
}

export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

export interface WebSocketOptions {
  /** A token that the gateway accepts. */
  readonly token?: string | undefined;
  /** Another implementation than the global one. */
  readonly WebSocket?: WebSocketConstructor | undefined;
}

/** Unsent bytes above which a connection takes no more actions. */
const highWater = 256 * 1024;
/** WebSockets do not say when they have sent something; they are asked at this interval in milliseconds. */
const pollInterval = 5;

/** The code with which a gateway closes a connection for its token. Another attempt would count as a guess. */
const tokenRefused = 4401;

/** The way to a hub through a gateway. Each message carries any number of bytes of the stream. */
export class WebSocketTransport implements Transport {
  private readonly WebSocket: WebSocketConstructor;

  constructor(private readonly url: string, private readonly options: WebSocketOptions = {}) {
    const WebSocket = options.WebSocket ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
    // Thrown here and not by `open`, whose errors another attempt may cure.
    if (WebSocket == null) {
      throw new ConnectionError("there is no WebSocket here; give one, such as that of the package ws");
    }
    this.WebSocket = WebSocket;
  }

  open(handlers: TransportHandlers): Connection {
    // A browser sends no headers of a page's choice, but it sends subprotocols.
    const token = this.options.token ?? undefined;
    const protocols = token === undefined ? ["storehub"] : ["storehub", `storehub.token.${token}`];
    const socket = new this.WebSocket(this.url, protocols);
    socket.binaryType = "arraybuffer";
    let poll: ReturnType<typeof setInterval> | undefined;
    const stop = (): void => {
      clearInterval(poll);
      poll = undefined;
      socket.onopen = socket.onmessage = socket.onclose = null;
      // A failure after the end is of no interest, but `ws` throws what nobody handles.
      socket.onerror = () => {};
    };
    socket.onopen = () => handlers.opened();
    socket.onmessage = event => {
      if (event.data instanceof ArrayBuffer) return handlers.received(new Uint8Array(event.data));
      stop();
      socket.close();
      handlers.closed(new ConnectionError("the gateway has sent a text"));
    };
    socket.onerror = () => {};
    socket.onclose = event => {
      stop();
      const reason = event.reason ? `: ${event.reason}` : "";
      handlers.closed(new ConnectionError(`the WebSocket has closed (${event.code}${reason})`), event.code === tokenRefused);
    };
    return {
      write: bytes => {
        socket.send(bytes);
        if (socket.bufferedAmount <= highWater) return true;
        poll ??= setInterval(() => {
          if (socket.bufferedAmount > highWater) return;
          clearInterval(poll);
          poll = undefined;
          handlers.writable();
        }, pollInterval);
        return false;
      },
      close: () => {
        stop();
        socket.close();
      },
    };
  }
}
