// Options, callbacks and iterators that a program gives wrongly or leaves: nothing stays open, and nothing waits for ever.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { connect, Hub, SocketTransport } from "../dist/node.js";
import { cbor, frame, schemas, Script } from "./script.js";
import { eventually, pause, temporaryDirectory } from "./support.js";

/** A transport whose connections the test sees. */
function counted() {
  const connections = [];
  return {
    connections,
    get open() {
      return handlers => {
        const one = { handlers, isClosed: false, written: [], write: bytes => (one.written.push(bytes[4]), true), close: () => { one.isClosed = true; } };
        connections.push(one);
        return one;
      };
    },
  };
}

/** A client that is live, on a connection that the test plays. */
function played(t, options = {}) {
  const transport = counted();
  const hub = new Hub(transport, { backOff: { first: 1, longest: 1 }, ...options });
  t.after(() => hub.close());
  const answer = connection => {
    connection.handlers.opened();
    connection.handlers.received(new Script().welcome());
    connection.handlers.received(frame(0x8c, schemas[0]));
  };
  answer(transport.connections[0]);
  assert.equal(hub.state.phase, "live");
  return { hub, answer, connections: transport.connections };
}

test("a signal that is none is refused, and leaves no client", async () => {
  const refuse = () => { throw new TypeError("a trap"); };
  for (const signal of [{}, 5, "signal", { addEventListener: 5 }, { addEventListener: refuse, removeEventListener: refuse },
    { addEventListener: () => {}, removeEventListener: () => {}, get aborted() { return refuse(); } }]) {
    const transport = counted();
    await assert.rejects(connect({ transport, signal, timeout: Infinity }), error => error.name === "ValueError" || /a trap/.test(error.message));
    assert.ok(transport.connections.every(({ isClosed }) => isClosed), "a connection stays open");
  }
});
