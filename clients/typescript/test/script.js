// A hub's side of a conversation, written by a test: frames by hand.

import { fromHex } from "../dist/cbor/bytes.js";
import { CborReader } from "../dist/cbor/reader.js";
import { CborWriter } from "../dist/cbor/writer.js";
import { ClientCore } from "../dist/core/core.js";
import { FrameReader } from "../dist/core/frames.js";
import { sections } from "./golden.js";

/** The schemas of storehubd's feature and of the hub's own state, from the golden transcripts. */
export const schemas = Object.fromEntries(sections("scopes.txt").filter(({ name }) => name.startsWith("schema"))
  .map(({ fields }) => [parseInt(fields.header.split(" ")[3], 16) & 0xff ? 1 : parseInt(fields.header.split(" ")[3].slice(0, 2), 16), fields])
  .filter(([, fields]) => fields.header.split(" ")[2] === "00").map(([root, fields]) => [root, fromHex(fields.payload)]));

export const defaults = {
  name: "example", acceptsOtherSchema: false, discardAfterLoss: false, answerTimeout: 10_000, keepAlive: Infinity,
  payloadLimit: 1 << 20, stateLimit: 1 << 20, actionLimit: 100_000, actionByteLimit: 1 << 26,
};

export function frame(kind, payload = new Uint8Array(), { flags = 0, scope = 0, revision = 0n } = {}) {
  const bytes = new Uint8Array(16 + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length, true);
  view.setUint8(4, kind);
  view.setUint8(5, flags);
  view.setUint16(6, scope, true);
  view.setBigUint64(8, BigInt(revision), true);
  bytes.set(payload, 16);
  return bytes;
}

/** CBOR of a JavaScript value: a Map for a map, a bigint or a number for an integer, an array for an array. */
export function cbor(value) {
  const write = (writer, part) => {
    if (part === null) writer.null();
    else if (typeof part === "boolean") writer.bool(part);
    else if (typeof part === "number" || typeof part === "bigint") writer.int(BigInt(part));
    else if (typeof part === "string") writer.text(part);
    else if (part instanceof Uint8Array) writer.byteString(part);
    else if (part instanceof Map) {
      writer.map(part.size);
      for (const pair of part) pair.forEach(one => write(writer, one));
    } else {
      writer.array(part.length);
      part.forEach(one => write(writer, one));
    }
  };
  return CborWriter.bytes(writer => write(writer, value));
}

export function actionsOf(payload) {
  const reader = new CborReader(payload);
  const [first, acknowledged] = [reader.uint(), reader.uint()];
  const items = [];
  while (!reader.isAtEnd) items.push(reader.item());
  return { first, acknowledged, items };
}

/** A client's core and a hub that a test plays. */
export class Script {
  constructor(options = {}) {
    this.core = new ClientCore({ ...defaults, ...options });
    this.time = 0;
    this.session = new Uint8Array(16).fill(7);
    this.events = [];
  }

  /** The frames that the client has sent since the last call. */
  sent() {
    const frames = [];
    const reader = new FrameReader(1 << 26);
    for (const bytes of this.core.output.splice(0)) reader.take(bytes, one => frames.push({ ...one, payload: one.payload.slice() }));
    return frames;
  }

  receive(...frames) {
    for (const bytes of frames) this.core.received(bytes, this.time);
    return this.take();
  }

  /** The events since the last call. */
  take() {
    const events = this.core.events;
    this.core.events = [];
    this.events.push(...events);
    return events;
  }

  welcome(keys = {}) {
    const all = { 0: 1, 1: this.session, 2: false, 3: 0, 4: 1 << 20, 6: new Uint8Array(32).fill(1), 7: 1, 10: true, 11: 4096, ...keys };
    return frame(0x81, cbor(new Map(Object.entries(all).map(([key, value]) => [Number(key), value]))));
  }

  /** Makes a connection, and answers until the schema is known. Returns the client's frames. */
  connect(keys = {}, schema = schemas[0]) {
    this.core.opened(this.time);
    const frames = this.sent();
    this.receive(this.welcome(keys));
    frames.push(...this.sent());
    if (frames.some(one => one.kind === 8)) {
      this.receive(frame(0x8c, schema));
      frames.push(...this.sent());
    }
    return frames;
  }

  cut() {
    this.core.closed();
  }
}
