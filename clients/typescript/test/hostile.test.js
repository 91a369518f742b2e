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
  const answer = (connection, keys) => {
    connection.handlers.opened();
    connection.handlers.received(new Script().welcome(keys));
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

test("options of wrong types are refused before a connection is made", async () => {
  const transport = { open: () => assert.fail("a connection") };
  for (const name of ["timeout", "answerTimeout", "keepAlive", "stateLimit", "actionLimit", "actionByteLimit"]) {
    for (const value of ["5", NaN, 0, -1, {}, 5n]) await assert.rejects(connect({ transport, [name]: value }), { name: "ValueError" }, `${name}`);
  }
  for (const options of [
    { backOff: { first: "1" } }, { backOff: { longest: NaN } }, { otherSchema: "Accept" }, { transport: {} }, { transport: 5 }, { transport: null, socket: 5 },
    { transport: undefined, socket: "" },
  ]) await assert.rejects(connect({ transport, timeout: 100, ...options }), { name: "ValueError" }, JSON.stringify(options));
  assert.throws(() => new SocketTransport(5), { name: "ValueError" });
});

test("waits that are longer than a timer can be do not end at once", async t => {
  const warnings = [];
  const note = warning => warnings.push(warning.name);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  const transport = counted();
  const abort = new AbortController();
  const ended = connect({ transport, signal: abort.signal, timeout: 2 ** 40, backOff: { first: 2 ** 40, longest: Infinity } }).then(() => "live", error => error.message);
  transport.connections[0].handlers.closed();
  await pause(20);
  assert.deepEqual([transport.connections.length, warnings], [1, []]);
  assert.equal(await Promise.race([ended, pause(20)]), undefined);
  abort.abort();
  assert.match(await ended, /aborted/);
});

test("what is no function is refused when it is given", t => {
  const { hub } = played(t);
  for (const listener of [null, undefined, 5, {}]) {
    assert.throws(() => hub.onState(listener), { name: "ValueError" });
    assert.throws(() => hub.onFault(listener), { name: "ValueError" });
    assert.throws(() => hub.part("counter").subscribe(listener), { name: "ValueError" });
  }
});

test("a listener that closes the client when it connects again leaves no connection", async t => {
  const { hub, connections } = played(t);
  hub.onState(({ phase }) => phase === "connecting" && hub.close());
  connections[0].handlers.closed();
  await eventually(() => hub.state.phase === "closed", "the end");
  assert.equal(connections.length, 1);
});

test("a client that is closed by a callback leaves its session", async t => {
  const { hub, connections: [connection] } = played(t);
  const part = hub.part("counter.count");
  part.subscribe(() => hub.close());
  await pause(0);
  connection.handlers.received(frame(0x82, cbor([0, 0, cbor(5)]), { flags: 1, scope: 1, revision: 1n }));
  assert.deepEqual([connection.written.at(-1), connection.isClosed, part.status], [5, true, "detached"]);
});

test("a transport that throws when it writes is one that has ended", async t => {
  const { hub, answer, connections } = played(t);
  const sent = hub.send({ case: "counter", value: { case: "incrementButtonTapped" } });
  connections[0].write = () => { throw new Error("no more"); };
  connections[0].close = () => { throw new Error("not that either"); };
  await eventually(() => connections.length === 2, "another connection");
  answer(connections[1], { 2: true });
  assert.ok(connections[1].written.includes(3));
  connections[1].handlers.received(frame(0x84, cbor(1)));
  await sent;
});

test("an iterator that is left while it waits ends at once, and hears no more", async t => {
  const { hub, connections: [connection] } = played(t);
  const part = hub.part("counter.count");
  await pause(0);
  const early = part[Symbol.asyncIterator]();
  const first = early.next();
  assert.deepEqual(await early.return(), { done: true, value: undefined });
  assert.deepEqual(await first, { done: true, value: undefined });
  connection.handlers.received(frame(0x82, cbor([0, 0, cbor(5)]), { flags: 1, scope: 1, revision: 1n }));
  const iterator = part[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.next(), { done: false, value: 5n });
  const pending = [iterator.next(), iterator.next()];
  await iterator.return();
  assert.deepEqual(await Promise.all(pending), Array(2).fill({ done: true, value: undefined }));
  assert.deepEqual(await iterator.next(), { done: true, value: undefined });
  assert.equal(part.listeners.size, 0);
  // Two steps that wait get one value each, and one whose part ends gets no more.
  const both = part[Symbol.asyncIterator]();
  const steps = [both.next(), both.next(), both.next()];
  connection.handlers.received(frame(0x83, cbor([1, 6]), { scope: 1, revision: 2n }));
  part.detach();
  assert.deepEqual((await Promise.all(steps)).map(({ value }) => value), [5n, 6n, undefined]);
  await assert.rejects(part[Symbol.asyncIterator]().throw(new Error("left")), /left/);
  const failed = hub.part("nothing")[Symbol.asyncIterator]();
  await assert.rejects(failed.next(), { name: "PathError" });
  assert.equal((await failed.next()).done, true);
});

test("a check of the hash that has no answer is no difference", async t => {
  const { hub, connections: [connection] } = played(t);
  const part = hub.part("counter.count");
  await pause(0);
  connection.handlers.received(frame(0x82, cbor([0, 0, cbor(5)]), { flags: 1, scope: 1, revision: 1n }));
  const check = part.verify();
  connection.handlers.closed();
  await assert.rejects(check, { name: "ConnectionError" });
});

test("two closes, a close while it connects, and the use of a closed client", async () => {
  const transport = counted();
  const hub = new Hub(transport, {});
  const part = hub.part("counter");
  hub.close();
  hub.close();
  assert.deepEqual([transport.connections[0].isClosed, part.status, hub.state.phase], [true, "detached", "closed"]);
  transport.connections[0].handlers.opened();
  assert.deepEqual(transport.connections[0].written, []);
  await Promise.all([hub.capacity(), hub.settled()]);
  await assert.rejects(hub.send({ case: "x" }), { reason: "closed" });
  await assert.rejects(hub.attach("counter"), { reason: "closed" });
  await assert.rejects(part.verify(), { name: "ConnectionError" });
  assert.deepEqual(await part[Symbol.asyncIterator]().next(), { done: true, value: undefined });
});

test("a closed client does not keep the process alive, whatever its hub does", { timeout: 120_000 }, async t => {
  const path = join(temporaryDirectory(t), "mute.sock");
  const server = createServer(socket => {
    socket.on("error", () => {});
    socket.write(new Script().welcome());
    // It reads nothing from here on.
    socket.write(frame(0x8c, schemas[0]));
    socket.pause();
  }).listen(path);
  await once(server, "listening");
  const module = fileURLToPath(new URL("../dist/node.js", import.meta.url));
  const program = `
    import { connect } from ${JSON.stringify(module)};
    const hub = await connect({ socket: ${JSON.stringify(path)}, timeout: 100_000, answerTimeout: Infinity });
    const text = "x".repeat(500_000);
    for (let index = 0; index < 20; index += 1) hub.send({ case: "todos", value: { case: "addButtonTapped", text } }).catch(() => {});
    setTimeout(() => hub.close(), 20);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
  t.after(() => {
    child.kill("SIGKILL");
    server.close();
  });
  assert.deepEqual(await once(child, "exit"), [0, null]);
});
