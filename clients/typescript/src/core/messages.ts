// The payloads of the messages (PROTOCOL.md, 6).

import { CborReader } from "../cbor/reader.js";
import { CborWriter } from "../cbor/writer.js";
import { ProtocolError } from "../errors.js";
import type { WireStep } from "./path.js";

/** The version of the protocol that this client speaks. */
export const version = 1;

export interface Hello {
  readonly session?: Uint8Array;
  readonly acknowledged: number;
  readonly name: string;
  readonly fingerprint?: Uint8Array;
  readonly history?: bigint;
}

export function helloPayload(hello: Hello): Uint8Array {
  return CborWriter.bytes(writer => {
    const isResuming = hello.session !== undefined;
    writer.map(3 + (isResuming ? 2 : 0) + (hello.fingerprint ? 1 : 0) + (hello.history !== undefined ? 1 : 0));
    for (const key of [0, 1]) {
      writer.uint(key);
      writer.uint(version);
    }
    if (hello.session) {
      writer.uint(2);
      writer.byteString(hello.session);
      writer.uint(3);
      writer.uint(hello.acknowledged);
    }
    writer.uint(4);
    writer.text(hello.name);
    if (hello.fingerprint) {
      writer.uint(5);
      writer.byteString(hello.fingerprint);
    }
    if (hello.history !== undefined) {
      writer.uint(6);
      writer.int(hello.history);
    }
  });
}

export interface Welcome {
  version: number;
  session: Uint8Array;
  isResumed: boolean;
  processed: number;
  payloadLimit: number;
  hubName: string;
  fingerprint?: Uint8Array;
  history?: bigint;
  mayAttachHub: boolean;
  takesCancel: boolean;
  windowElements: number;
  /** The fingerprint of the schema of the views that the feature declares. */
  views?: Uint8Array;
}

export function readWelcome(payload: Uint8Array): Welcome {
  return CborReader.whole(payload, reader => {
    const welcome: Welcome = {
      version: -1, session: new Uint8Array(), isResumed: false, processed: 0, payloadLimit: 1 << 20, hubName: "",
      mayAttachHub: true, takesCancel: false, windowElements: 0,
    };
    reader.struct(key => {
      switch (key) {
        case 0: welcome.version = reader.uint(); break;
        case 1: welcome.session = sized(reader.byteString(), 16); break;
        case 2: welcome.isResumed = reader.bool(); break;
        case 3: welcome.processed = reader.uint(); break;
        case 4: welcome.payloadLimit = Number(reader.uint64()); break;
        case 5: welcome.hubName = reader.text(); break;
        case 6: welcome.fingerprint = sized(reader.byteString(), 32); break;
        case 7: welcome.history = reader.uint64(); break;
        case 8: welcome.mayAttachHub = reader.bool(); break;
        case 10: welcome.takesCancel = reader.bool(); break;
        case 11: welcome.windowElements = Number(reader.uint64()); break;
        case 15: welcome.views = sized(reader.byteString(), 32); break;
        default: reader.skip();
      }
    });
    if (welcome.version < 0 || welcome.session.length === 0) {
      throw new ProtocolError("a welcome without version or session");
    }
    return welcome;
  });
}

function sized(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length !== size) throw new ProtocolError(`expected ${size} bytes`);
  return bytes.slice();
}

export interface Attach {
  readonly path: readonly WireStep[];
  readonly revision?: bigint;
  readonly root: number;
}

/** The longest path that a hub takes, in bytes. A longer one is the end of the connection. */
export const pathLimit = 4096;

export function pathLength(path: readonly WireStep[]): number {
  return CborWriter.bytes(writer => writePath(writer, path)).length;
}

function writePath(writer: CborWriter, path: readonly WireStep[]): void {
  writer.array(path.length);
  for (const step of path) {
    if (typeof step === "number") {
      writer.uint(step);
    } else if ("id" in step) {
      writer.array(1);
      writer.raw(step.id);
    } else {
      writer.array(2);
      writer.smallInt(step.start);
      writer.smallInt(step.count);
    }
  }
}

export function attachPayload(attach: Attach): Uint8Array {
  return CborWriter.bytes(writer => {
    writer.map(1 + (attach.revision !== undefined ? 1 : 0) + (attach.root !== 0 ? 1 : 0));
    writer.uint(0);
    writePath(writer, attach.path);
    if (attach.revision !== undefined) {
      writer.uint(1);
      writer.int(attach.revision);
    }
    if (attach.root !== 0) {
      writer.uint(2);
      writer.uint(attach.root);
    }
  });
}

export function numberPayload(value: number): Uint8Array {
  return CborWriter.bytes(writer => writer.uint(value));
}

export function readNumber(payload: Uint8Array): number {
  return CborReader.whole(payload, reader => reader.uint());
}

export function readHash(payload: Uint8Array): bigint {
  return CborReader.whole(payload, reader => reader.uint64());
}

/** A piece of a snapshot. */
export function readSnapshot(payload: Uint8Array): { reason: number; offset: number; piece: Uint8Array } {
  return CborReader.whole(payload, reader => {
    reader.tuple(3);
    return { reason: reader.uint(), offset: reader.uint(), piece: reader.byteString() };
  });
}

/** The base of a delta, and a reader at its changes. */
export function readDelta(payload: Uint8Array): { base: bigint; reader: CborReader } {
  const reader = new CborReader(payload);
  reader.tuple(2);
  return { base: reader.uint64(), reader };
}

export function readRejected(payload: Uint8Array): { sequence: number; code: number; text: string } {
  return CborReader.whole(payload, reader => {
    reader.tuple(3);
    return { sequence: reader.uint(), code: reader.uint(), text: reader.text() };
  });
}

/** The reason in an *absent*. */
export function readText(payload: Uint8Array): string {
  return CborReader.whole(payload, reader => reader.text());
}

/** The code and the reason of an *error* or a *goodbye*. */
export function readReason(payload: Uint8Array): { code: number; text: string } {
  return CborReader.whole(payload, reader => {
    reader.tuple(2);
    return { code: reader.uint(), text: reader.text() };
  });
}
