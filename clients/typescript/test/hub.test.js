import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { connect, ConnectionError, HubError, NotSent, Path, PathError, Rejected, ValueError } from "../dist/node.js";
import { Hub } from "../dist/hub.js";
import { partHook } from "../dist/react.js";
import { cbor, frame, schemas, Script } from "./script.js";
import { eventually, patience, pause, stop, temporaryDirectory, TestHub, withHub } from "./support.js";

const add = text => ({ case: "todos", value: { case: "addButtonTapped", text } });
const increment = { case: "counter", value: { case: "incrementButtonTapped" } };

async function connected(t, hub, options = {}) {
  const client = await connect({ socket: hub.socket, ...patience, ...options });
  t.after(() => client.close());
  return client;
}

test("a part has its value, and each action's result when send ends", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start());
  assert.equal(hub.state.phase, "live");
  const todos = await hub.attach("todos.todos");
  assert.deepEqual(todos.value, []);
  const seen = [];
  todos.subscribe(value => seen.push(value.length));
  await hub.send(add("bread"));
  assert.deepEqual(todos.value.map(todo => todo.text), ["bread"]);
  await Promise.all([hub.send(add("milk")), hub.send(add("eggs"))]);
  assert.equal(todos.value.length, 3);
  assert.equal(seen.at(-1), 3);
  assert.equal(await todos.verify(), true);
});

test("typed paths, elements, windows, and absent parts", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start());
  const path = new Path(["todos", "todos"]);
  const text = await hub.attach(path.to({ id: 0n }).to("text"));
  assert.equal(text.status, "absent");
  const window = await hub.attach(path.to({ start: -2, count: 2 }));
  for (const name of ["bread", "milk", "eggs"]) await hub.send(add(name));
  assert.equal(text.value, "bread");
  assert.deepEqual([window.value.count, window.value.start], [3, 1]);
  assert.deepEqual(window.value.elements.map(todo => todo.text), ["milk", "eggs"]);
  assert.equal(await window.verify(), true);
  const other = await hub.attach("todos.todos[0..<1]");
  assert.deepEqual(other.value.elements.map(todo => todo.text), ["bread"]);
  await hub.send({ case: "todos", value: { case: "deleteButtonTapped", id: 0n } });
  assert.equal(text.status, "absent");
  assert.equal(text.value, undefined);
  other.detach();
  assert.equal(other.status, "detached");
});

test("paths that the state does not have, and what is no action, are refused here", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start());
  for (const path of ["nothing", "todos.todos[x]", "counter.count.more", "todos[3]", "counter[0..<2]", "todos..todos", "todos.todos[0..<0]"]) {
    await assert.rejects(hub.attach(path), PathError, path);
  }
  for (const action of [null, "increment", { case: "none" }, { case: "todos" }, { case: "todos", value: { case: "addButtonTapped", text: 1 } }]) {
    await assert.rejects(hub.send(action), ValueError);
  }
  await assert.rejects(hub.send({ case: "todos", value: { case: "addButtonTapped", text: "x".repeat(2 << 20) } }), { reason: "tooLarge" });
  // The connection has not noticed.
  await hub.send(increment);
  assert.equal((await hub.attach("counter.count")).value, 1n);
});

test("an async iterator has the newest value, and ends with the part", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start());
  const count = await hub.attach("counter.count");
  const seen = [];
  const loop = (async () => {
    for await (const value of count) {
      seen.push(value);
      if (value === 3n) count.detach();
    }
  })();
  for (let index = 0; index < 3; index += 1) await hub.send(increment);
  await loop;
  assert.equal(seen[0], 0n);
  assert.equal(seen.at(-1), 3n);
});

test("a user with few rights: rejections are typed, and parts are refused one by one", withHub, async t => {
  const directory = temporaryDirectory(t);
  const config = join(directory, "hub.conf");
  writeFileSync(config, `[user ${process.getuid()}]\nread = counter\nact = counter.incrementButtonTapped\n`);
  const hub = await connected(t, await new TestHub(t, { options: ["--config", config] }).start(), { backOff: { first: 1 } });
  const parts = ["counter.count", "todos", "counter", "favourites"].map(path => hub.part(path));
  const ends = await Promise.allSettled(parts.map(part => part.ready));
  assert.deepEqual(ends.map(end => end.reason?.reason ?? end.status), ["fulfilled", "notPermitted", "fulfilled", "notPermitted"]);
  // More refusals than the hub keeps for a session.
  const outcomes = await Promise.allSettled(Array.from({ length: 3000 }, (_, index) => hub.send(index % 3 === 0 ? increment : add("bread"))));
  assert.ok(outcomes.every((outcome, index) => index % 3 === 0 ? outcome.status === "fulfilled"
    : outcome.reason instanceof Rejected && outcome.reason.reason === "notPermitted"));
  assert.equal(parts[0].value, 1000n);
  await assert.rejects(hub.attendees(), { reason: "notPermitted" });
});

test("attendees, and the hub's metrics", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start(), { name: "a test" });
  const attendees = await hub.attendees();
  assert.deepEqual(attendees.value.map(attendee => attendee.name), ["a test"]);
  const metrics = await hub.metrics();
  assert.equal(typeof metrics.value.connections, "bigint");
});

test("a hub that restarts continues the session: nothing is lost or doubled", withHub, async t => {
  const server = await new TestHub(t, { isDurable: true }).start();
  const hub = await connected(t, server);
  const count = await hub.attach("counter.count");
  const phases = [];
  hub.onState(state => phases.push(state.phase));
  await hub.send(increment);
  await server.kill("SIGTERM");
  const sends = [hub.send(increment), hub.send(increment)];
  await server.start();
  await Promise.all(sends);
  await eventually(() => count.value === 3n, "the value after the restart");
  assert.ok(phases.includes("waiting") && phases.at(-1) === "live");
  assert.equal(await count.verify(), true);
});

test("a hub without a journal forgets the session: sent actions have no known outcome", withHub, async t => {
  const server = await new TestHub(t).start();
  const hub = await connected(t, server);
  const count = await hub.attach("counter.count");
  await hub.send(increment);
  // The hub does not read any more, so that the action is sent and not answered.
  await stop(server.process);
  const sent = assert.rejects(hub.send(increment), error => error instanceof NotSent && error.reason === "outcomeUnknown");
  await pause(20);
  await server.kill();
  await eventually(() => hub.state.phase !== "live", "the end of the connection");
  const later = hub.send(increment);
  await server.start();
  await Promise.all([sent, later]);
  await eventually(() => count.value === 1n, "the state of the new hub");
  assert.equal(await count.verify(), true);
});

test("an aborted action that was not sent is taken back; a sent one loses its effects", withHub, async t => {
  const server = await new TestHub(t).start();
  const hub = await connected(t, server);
  const counter = await hub.attach("counter");
  const early = new AbortController();
  const send = hub.send(increment, { signal: early.signal });
  early.abort();
  await assert.rejects(send, NotSent);
  assert.equal(hub.pendingCount, 0);
  const late = new AbortController();
  await hub.send({ case: "counter", value: { case: "toggleTimerButtonTapped" } }, { signal: late.signal });
  assert.equal(counter.value.isTimerOn, true);
  late.abort();
  // The action itself is not taken back, and the timer that it has started ticks no more.
  await hub.send(increment);
  assert.equal(counter.value.isTimerOn, true);
  const metrics = await hub.metrics();
  assert.equal(metrics.status, "present");
  assert.equal(counter.value.count, 1n);
});

test("actions beyond the limit are refused until there is room", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start(), { actionLimit: 10 });
  const sends = Array.from({ length: 10 }, () => hub.send(increment));
  await assert.rejects(hub.send(increment), { reason: "queueFull" });
  await hub.capacity();
  await Promise.all(sends);
  await hub.settled();
  await hub.send(increment);
});

test("each free place is one sender's: those that wait for capacity are never refused", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start(), { actionLimit: 3 });
  let most = 0;
  const order = [];
  await Promise.all(Array.from({ length: 200 }, async (_, index) => {
    await hub.capacity();
    const sent = hub.send(increment);
    order.push(index);
    most = Math.max(most, hub.pendingCount);
    await sent;
  }));
  assert.equal(most, 3);
  assert.deepEqual(order, Array.from({ length: 200 }, (_, index) => index));
});

test("a place that was offered and not taken is the next one's", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start(), { actionLimit: 1 });
  const sent = hub.send(increment);
  const idle = [hub.capacity(), hub.capacity()];
  await hub.capacity();
  await Promise.all([sent, ...idle]);
});

test("thousands of actions of one turn are stored in order", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start());
  const todos = await hub.attach("todos.todos");
  await Promise.all(Array.from({ length: 2000 }, (_, index) => hub.send(add(`${index}`))));
  assert.deepEqual(todos.value.map(todo => todo.text), Array.from({ length: 2000 }, (_, index) => `${index}`));
  assert.equal(await todos.verify(), true);
});

test("a connection that gives no answer is given up", async t => {
  const path = join(temporaryDirectory(t), "mute.sock");
  const server = createServer(socket => socket.resume()).listen(path);
  t.after(() => server.close());
  await assert.rejects(connect({ socket: path, answerTimeout: 50, timeout: 3000 }), /not answered for 50 ms/);
});

test("a connection that is never made is given up, and tried again", async t => {
  let attempts = 0;
  const closed = [];
  // A transport that neither connects nor fails, such as a gateway whose machine is off.
  const transport = {
    open: () => {
      const attempt = ++attempts;
      return { write: () => true, close: () => closed.push(attempt) };
    },
  };
  const hub = new Hub(transport, { answerTimeout: 20, backOff: { first: 1, longest: 1 } });
  t.after(() => hub.close());
  await eventually(() => attempts >= 3, "a third attempt");
  assert.deepEqual(closed.slice(0, 2), [1, 2]);
  assert.match(String(hub.state.error ?? ""), /^$|no connection within 20 ms/);
});

test("a connection that is refused for good is not tried again, and what waits ends", async t => {
  let attempts = 0, handlers;
  const transport = { open: given => { attempts += 1; handlers = given; return { write: () => true, close: () => {} }; } };
  const hub = new Hub(transport, { backOff: { first: 1, longest: 1 } });
  t.after(() => hub.close());
  const part = hub.part("todos");
  const room = hub.capacity().catch(error => error);
  handlers.closed(new ConnectionError("the token was revoked"), true);
  assert.equal(hub.state.phase, "refused");
  assert.match(hub.state.error.message, /revoked/);
  await assert.rejects(part.ready, /revoked/);
  await room;
  await pause(20);
  assert.equal(attempts, 1);
  await assert.rejects(hub.send(increment), NotSent);
});

test("a client that waits without a limit sets no timer that ends at once", withHub, async t => {
  const warnings = [];
  const note = warning => warnings.push(warning.name);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  const server = await new TestHub(t).start();
  const hub = await connected(t, server, { answerTimeout: Infinity });
  await stop(server.process);
  const sent = hub.send(increment);
  await pause(20);
  server.process.kill("SIGCONT");
  await sent;
  assert.deepEqual(warnings, []);
});

test("no hub, a signal, and a closed client", async t => {
  const socket = join(temporaryDirectory(t), "none.sock");
  await assert.rejects(connect({ socket, timeout: 2000 }), /ENOENT/);
  await assert.rejects(connect({ socket, signal: AbortSignal.abort() }), /aborted/);
});

test("another schema than the program's is refused, or accepted if asked for", withHub, async t => {
  const server = await new TestHub(t).start();
  const fingerprint = "00".repeat(32);
  await assert.rejects(connect({ socket: server.socket, fingerprint, ...patience }), { name: "SchemaError" });
  const hub = await connected(t, server, { fingerprint, otherSchema: "accept" });
  await hub.send(increment);
});

test("a part that is not attached cannot be verified", withHub, async t => {
  const server = await new TestHub(t).start();
  const hub = await connected(t, server);
  const part = hub.part("counter");
  await part.ready;
  await server.kill();
  await eventually(() => hub.state.phase !== "live", "the end of the connection");
  await assert.rejects(part.verify(), /not attached/);
});

test("a closed client refuses everything", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start());
  const count = await hub.attach("counter.count");
  hub.close();
  assert.equal(count.status, "detached");
  assert.equal(hub.state.phase, "closed");
  await assert.rejects(hub.send(increment), { reason: "closed" });
  await assert.rejects(hub.attach("counter"), NotSent);
});

test("the hook for React renders again for a new value, and for nothing else", withHub, async t => {
  const hub = await connected(t, await new TestHub(t).start());
  const todos = await hub.attach("todos");
  // What React does with a store: it subscribes once, and compares snapshots by identity.
  let renders = 0, snapshot, last, unsubscribe, subscribed;
  const useSyncExternalStore = (subscribe, getSnapshot) => {
    if (subscribed !== subscribe) {
      unsubscribe?.();
      subscribed = subscribe;
      unsubscribe = subscribe(() => { if (!Object.is(snapshot(), last)) { last = snapshot(); renders += 1; } });
    }
    snapshot = getSnapshot;
    return (last = getSnapshot());
  };
  const usePart = partHook(useSyncExternalStore);
  assert.equal(usePart(todos), todos.value);
  const first = subscribed;
  usePart(todos);
  assert.equal(subscribed, first, "the hook has subscribed again");
  await hub.send(add("bread"));
  assert.equal(renders, 1);
  await hub.send(increment);
  assert.equal(renders, 1);
  unsubscribe();
});

test("a name that no hub takes is refused before a connection is made", async () => {
  const transport = { open: () => assert.fail("a connection") };
  for (const name of ["a\ud800", "x".repeat(129), "\u{1f4a7}".repeat(33), 5, {}, Symbol("name")]) {
    await assert.rejects(connect({ transport, name }), ValueError);
  }
});

/** A client whose hub the test plays: the frames that it writes, and a function that gives it bytes. */
function played(t) {
  let handlers;
  const written = [];
  const transport = { open: given => { handlers = given; return { write: bytes => (written.push(bytes[4]), true), close: () => {} }; } };
  const hub = new Hub(transport, {});
  t.after(() => hub.close());
  handlers.opened();
  handlers.received(new Script().welcome());
  handlers.received(frame(0x8c, schemas[0]));
  assert.equal(hub.state.phase, "live");
  written.length = 0;
  return { hub, written, pong: () => handlers.received(frame(0x88, cbor(1))) };
}

/** Objects whose parts cannot be read. */
function hostile() {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const refuse = () => { throw revoked.proxy; };
  const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map(name => [name, refuse]));
  return [revoked.proxy, new Proxy({}, traps), new Proxy([], traps), { toString: refuse }, Object.create(null), { get constructor() { return refuse(); } }];
}

test("what is no path fails, and nothing of it stays", async t => {
  const { hub, written, pong } = played(t);
  const refuse = () => { throw new TypeError("a getter"); };
  const paths = [
    null, undefined, 5, Symbol("path"), {}, { steps: null }, { steps: [null] }, { steps: [5] }, { steps: [{}] }, { steps: { length: 1 } },
    { steps: new Array(2) }, { steps: new Array(2 ** 32 - 1) }, { get steps() { return refuse(); } }, { steps: [{ get id() { return refuse(); } }] },
    { steps: ["counter", "nothing"], toString: refuse }, ...hostile(),
    ...hostile().flatMap(one => [{ steps: one }, { steps: [one] }, new Path(["todos", "todos", { id: one }])]),
  ];
  for (const [index, path] of paths.entries()) {
    const part = hub.part(path);
    await assert.rejects(part.ready, PathError, `${index}`);
    await assert.rejects(hub.attach(path), PathError, `${index}`);
    assert.equal(part.status, "failed");
    assert.equal(typeof part.path, "string");
    pong();
  }
  assert.deepEqual(written, []);
  hub.part("counter.count");
  await pause(0);
  assert.deepEqual(written, [2]);
});

test("a path is read once: what the program changes afterwards does not matter", async t => {
  const { hub, written, pong } = played(t);
  const path = new Path(["counter", "count"]);
  const part = hub.part(path);
  path.steps.length = 0;
  path.steps.push(null);
  await pause(0);
  pong();
  assert.deepEqual([written, part.path, part.status], [[2], "counter.count", "loading"]);
});

test("what cannot be read is no action, and nothing of it stays", async t => {
  const { hub, written, pong } = played(t);
  const actions = [null, undefined, 5, Symbol("action"), {}, ...hostile()];
  for (const one of [...hostile(), Symbol("value"), null]) {
    actions.push({ case: one }, { case: "todos", value: one }, { case: "todos", value: { case: "addButtonTapped", text: one } });
    actions.push({ get case() { throw one; } }, { case: "todos", get value() { throw one; } });
  }
  for (const [index, action] of actions.entries()) {
    await assert.rejects(hub.send(action), ValueError, `${index}`);
    assert.equal(hub.pendingCount, 0);
    pong();
  }
  assert.deepEqual(written, []);
});

test("with a signal that is none, nothing is sent", async t => {
  const { hub, written, pong } = played(t);
  const refuse = () => { throw new TypeError("a trap"); };
  for (const signal of [5, {}, "signal"]) await assert.rejects(hub.send(increment, { signal }), ValueError);
  for (const options of [{ get signal() { return refuse(); } }, { signal: { addEventListener: refuse, removeEventListener: () => {} } }]) {
    await assert.rejects(hub.send(increment, options), /a trap/);
  }
  await pause(0);
  pong();
  assert.deepEqual([hub.pendingCount, written], [0, []]);
  const abort = new AbortController();
  const action = { case: "counter", get value() { abort.abort(); return increment.value; } };
  await assert.rejects(hub.send(action, { signal: abort.signal }), { reason: "closed" });
  assert.deepEqual([hub.pendingCount, written], [0, []]);
  for (const options of [null, undefined, {}, { signal: null }]) hub.send(increment, options).catch(() => {});
  await pause(0);
  assert.deepEqual([hub.pendingCount, written], [4, [3]]);
});
