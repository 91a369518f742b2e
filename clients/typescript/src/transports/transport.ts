/** What a connection tells its owner. It calls none of these before `open` has returned, nor after `close`. */
export interface TransportHandlers {
  opened(): void;
  /** Bytes have arrived, cut in any way. */
  received(bytes: Uint8Array): void;
  /** After `write` has returned false: the connection takes more again. */
  writable(): void;
  /** The connection has ended, or could not be made. If that is final, another attempt would have the same end. */
  closed(error?: Error, isFinal?: boolean): void;
}

export interface Connection {
  /** Sends bytes. Returns false if the connection should get no more until `writable`. */
  write(bytes: Uint8Array): boolean;
  /** Ends the connection after what was written. */
  close(): void;
}

/** A way to a hub: both directions are streams of bytes. */
export interface Transport {
  open(handlers: TransportHandlers): Connection;
}
