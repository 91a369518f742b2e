// The WebSocket transport over Debian's `ws`, in front of a real hub: each message carries any bytes of the stream.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createConnection } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { connect } from "../dist/browser.js";
import { cbor, frame } from "./script.js";
import { eventually, patience, temporaryDirectory, TestHub, withHub } from "./support.js";

const folder = "/usr/share/nodejs/ws";
const ws = existsSync(folder) ? createRequire(import.meta.url)(folder) : undefined;
const skip = ws ? withHub.skip : "the Debian package node-ws is not installed";

/** A gateway without limits, which sends the hub's bytes in pieces of a size, and speaks for a user (PROTOCOL.md, 6.14). */
async function gateway(t, socket, size, user) {
  const server = new ws.WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => "storehub" });
  await once(server, "listening");
  server.on("connection", client => {
    const hub = createConnection({ path: socket });
    if (user !== undefined) hub.write(frame(0x0a, cbor(user)));
    client.on("message", data => hub.write(data));
    client.on("close", () => hub.destroy());
    hub.on("data", bytes => {
      for (let at = 0; at < bytes.length; at += size) client.send(bytes.subarray(at, at + size));
    });
    hub.on("close", () => client.close());
    hub.on("error", () => client.close());
  });
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return `ws://127.0.0.1:${server.address().port}/`;
}

test("without a WebSocket, connect fails at once, and names the remedy", async () => {
  const { WebSocket } = globalThis;
  globalThis.WebSocket = undefined;
  try {
    const start = performance.now();
    await assert.rejects(connect({ url: "ws://127.0.0.1:1/" }), /no WebSocket here; give one/);
    // The default timeout is ten seconds.
    assert.ok(performance.now() - start < 5_000);
  } finally {
    globalThis.WebSocket = WebSocket;
  }
});

test("one core serves a WebSocket: parts, actions, and a hub that restarts", { ...withHub, skip }, async t => {
  const server = await new TestHub(t, { isDurable: true }).start();
  const url = await gateway(t, server.socket, 7);
  const hub = await connect({ url, WebSocket: ws.WebSocket, ...patience, backOff: { first: 5 } });
  t.after(() => hub.close());
  const todos = await hub.attach("todos.todos");
  const add = text => hub.send({ case: "todos", value: { case: "addButtonTapped", text } });
  await add("bread");
  await server.kill();
  const send = add("milk");
  await server.start();
  await send;
  await eventually(() => todos.value.length === 2, "both todos");
  assert.equal(await todos.verify(), true);
});

test("a remote user behind a gateway has rights of its own", { ...withHub, skip }, async t => {
  const directory = temporaryDirectory(t);
  const config = join(directory, "hub.conf");
  // The gateway's own user is this one, who may do everything.
  writeFileSync(config, `[gateway ${process.getuid()}]\nusers = 3000000000-3000000009\n[user 3000000001]\nread = counter\nact = counter\n`);
  const server = await new TestHub(t, { options: ["--config", config] }).start();
  const increment = { case: "counter", value: { case: "incrementButtonTapped" } };
  const url = await gateway(t, server.socket, 1 << 16, 3_000_000_001);
  const hub = await connect({ url, WebSocket: ws.WebSocket, ...patience });
  t.after(() => hub.close());
  await hub.send(increment);
  assert.equal((await hub.attach("counter.count")).value, 1n);
  await assert.rejects(hub.send({ case: "todos", value: { case: "addButtonTapped", text: "bread" } }), { reason: "notPermitted" });
  await assert.rejects(hub.attach("todos"), { reason: "notPermitted" });
  await assert.rejects(hub.attendees(), { reason: "notPermitted" });
  // Users without a section, and numbers that are not the gateway's, are refused.
  for (const user of [3_000_000_002, 3_000_000_010, 0]) {
    const other = await gateway(t, server.socket, 1 << 16, user);
    await assert.rejects(connect({ url: other, WebSocket: ws.WebSocket, ...patience }), { reason: "notPermitted" });
  }
});

test("sends wait while a WebSocket has much to send", { ...withHub, skip }, async t => {
  const server = await new TestHub(t).start();
  const url = await gateway(t, server.socket, 1 << 16);
  const hub = await connect({ url, WebSocket: ws.WebSocket, ...patience });
  t.after(() => hub.close());
  const todos = await hub.attach("todos.todos");
  const text = "x".repeat(50_000);
  await Promise.all(Array.from({ length: 40 }, () => hub.send({ case: "todos", value: { case: "addButtonTapped", text } })));
  assert.equal(todos.value.length, 40);
});

test("a token is sent as a subprotocol, because pages set no headers", { skip: ws ? false : skip }, async t => {
  const server = new ws.WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: protocols => { offered.push(...protocols); return "storehub"; } });
  const offered = [];
  await once(server, "listening");
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const url = `ws://127.0.0.1:${server.address().port}/`;
  await assert.rejects(connect({ url, token: "abc", WebSocket: ws.WebSocket, timeout: 3000 }));
  assert.deepEqual(offered.slice(0, 2), ["storehub", "storehub.token.abc"]);
});
