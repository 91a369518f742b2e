import { concatenate } from "../cbor/bytes.js";
import { ProtocolError } from "../errors.js";

/** The kinds of frames from the client (PROTOCOL.md, 4.1). */
export const enum Send {
  hello = 0x01, attach = 0x02, actions = 0x03, ping = 0x04, leave = 0x05, detach = 0x06, verify = 0x07, describe = 0x08,
  cancel = 0x09,
}

/** The kinds of frames from the hub (PROTOCOL.md, 4.2). */
export const enum Receive {
  welcome = 0x81, snapshot = 0x82, delta = 0x83, applied = 0x84, rejected = 0x85, error = 0x86, goodbye = 0x87,
  pong = 0x88, absent = 0x89, detached = 0x8a, hash = 0x8b, schema = 0x8c, bookmark = 0x8d,
}

export const headerSize = 16;

export interface Frame {
  readonly kind: number;
  readonly flags: number;
  readonly scope: number;
  readonly revision: bigint;
  readonly payload: Uint8Array;
}

/** A frame as bytes. */
export function frameBytes(kind: Send, payload?: Uint8Array, scope = 0, flags = 0, revision = 0n): Uint8Array {
  const bytes = new Uint8Array(headerSize + (payload?.length ?? 0));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload?.length ?? 0, true);
  bytes[4] = kind;
  bytes[5] = flags;
  view.setUint16(6, scope, true);
  view.setBigUint64(8, revision, true);
  if (payload) bytes.set(payload, headerSize);
  return bytes;
}

/** Finds the frames in a stream that is cut and joined in any way. */
export class FrameReader {
  private pieces: Uint8Array[] = [];
  private size = 0;
  /** The bytes of the next frame; the header alone while that is not there. */
  private needed = headerSize;

  /** @param limit The largest payload that is accepted, in bytes. A larger one is refused when its header is there. */
  constructor(private readonly limit: number) {}

  /** Takes bytes, and calls the closure with each frame that is whole. The closure returns false to stop. */
  take(bytes: Uint8Array, handle: (frame: Frame) => boolean): void {
    this.pieces.push(bytes);
    this.size += bytes.length;
    if (this.size < this.needed) return;
    const whole = this.pieces.length === 1 ? bytes : concatenate(this.pieces, this.size);
    const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
    let at = 0;
    this.needed = headerSize;
    while (whole.length - at >= headerSize) {
      const length = view.getUint32(at, true);
      if (length > this.limit) throw new ProtocolError(`a frame of ${length} bytes exceeds the limit of ${this.limit}`);
      if (whole.length - at < headerSize + length) {
        this.needed = headerSize + length;
        break;
      }
      const frame = {
        kind: whole[at + 4]!, flags: whole[at + 5]!, scope: view.getUint16(at + 6, true),
        revision: view.getBigUint64(at + 8, true),
        payload: whole.subarray(at + headerSize, at + headerSize + length),
      };
      at += headerSize + length;
      if (!handle(frame)) return this.clear();
    }
    const rest = whole.subarray(at);
    this.pieces = rest.length > 0 ? [rest] : [];
    this.size = rest.length;
  }

  /** Forgets the bytes of a frame that is not whole. */
  clear(): void {
    this.pieces = [];
    this.size = 0;
    this.needed = headerSize;
  }
}
