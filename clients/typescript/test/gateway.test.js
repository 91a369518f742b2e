// The client through storegate, with the WebSocket of Debian's `ws`.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { connect } from "../dist/browser.js";
import { connect as connectLocally } from "../dist/node.js";
import { repository } from "./golden.js";
import { eventually, patience, temporaryDirectory, TestHub, withHub } from "./support.js";

const folder = "/usr/share/nodejs/ws";
const ws = existsSync(folder) ? createRequire(import.meta.url)(folder) : undefined;
const programs = process.env.STOREHUBD ? dirname(process.env.STOREHUBD) : `${repository}.build/debug`;
const isBuilt = existsSync(join(programs, "storegate")) && existsSync(join(programs, "storectl"));
const reason = ws ? "storegate and storectl are not built" : "the Debian package node-ws is not installed";
const options = { ...withHub, skip: ws && isBuilt ? withHub.skip : reason };

/** A hub, and a gateway in front of it with the token of a user who may do everything. */
async function gateway(t) {
  const server = new TestHub(t, { isDurable: true });
  const file = name => join(server.directory, name);
  writeFileSync(file("hub.conf"), `[gateway ${process.getuid()}]\nusers = 3000000000-3000000009\n[user 3000000001]\nread = all\nact = all\n`);
  writeFileSync(file("gateway.conf"), `[gateway]\nlisten = 127.0.0.1:0\nhub = ${server.socket}\ntokens = ${file("tokens")}\n`);
  server.options.push("--config", file("hub.conf"));
  const create = name => spawnSync(join(programs, "storectl"), ["token", "create", name, "--user", "3000000001", "--file", file("tokens")], { encoding: "utf8" }).stdout.trim();
  const token = create("test");
  await server.start();
  let log = "";
  const child = spawn(join(programs, "storegate"), ["--config", file("gateway.conf")], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  child.stderr.on("data", data => (log += data));
  await eventually(() => log.includes("listening on"), "the gateway");
  const url = log.match(/ws:\/\/127\.0\.0\.1:\d+\//)[0];
  const revoke = name => spawnSync(join(programs, "storectl"), ["token", "revoke", name, "--file", file("tokens")]);
  const memory = () => Number(readFileSync(`/proc/${child.pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]);
  /** Serves a page and the client, to which the page's own origin is added. */
  const serve = async page => {
    cpSync(fileURLToPath(new URL("../dist/", import.meta.url)), file("page/storehub"), { recursive: true });
    writeFileSync(file("page/index.html"), '<!doctype html><title>board</title><script type="module" src="page.js"></script>');
    writeFileSync(file("page/page.js"), page);
    const origin = url.replace("ws:", "http:").slice(0, -1);
    writeFileSync(file("gateway.conf"), `${readFileSync(file("gateway.conf"))}origins = ${origin}\n[files]\nroot = ${file("page")}\n`);
    child.kill("SIGHUP");
    await eventually(() => log.includes("reloaded the configuration"), "the new configuration");
    return `${origin}/#${token}`;
  };
  return { server, url, token, revoke, memory, serve };
}

const add = (hub, text) => hub.send({ case: "todos", value: { case: "addButtonTapped", text } });

test("a hub that restarts behind the gateway loses nothing", options, async t => {
  const { server, url, token } = await gateway(t);
  const hub = await connect({ url, token, WebSocket: ws.WebSocket, ...patience, backOff: { first: 5 } });
  t.after(() => hub.close());
  const todos = await hub.attach("todos.todos");
  await add(hub, "bread");
  for (const text of ["milk", "eggs"]) {
    await server.kill();
    const send = add(hub, text);
    await server.start();
    await send;
  }
  await eventually(() => todos.value.length === 3, "all todos");
  assert.deepEqual(todos.value.map(todo => todo.text), ["bread", "milk", "eggs"]);
  assert.equal(await todos.verify(), true);
});

test("large states and many actions pass in both directions", options, async t => {
  const { url, token } = await gateway(t);
  const hub = await connect({ url, token, WebSocket: ws.WebSocket, ...patience });
  t.after(() => hub.close());
  const text = "x".repeat(50_000);
  await Promise.all(Array.from({ length: 40 }, () => add(hub, text)));
  const other = await connect({ url, token, WebSocket: ws.WebSocket, ...patience });
  t.after(() => other.close());
  const todos = await other.attach("todos.todos");
  assert.equal(todos.value.length, 40);
  assert.equal(await todos.verify(), true);
});

test("a client that does not read costs the gateway no memory", options, async t => {
  const { url, token, memory } = await gateway(t);
  const slow = await connect({ url, token, WebSocket: ws.WebSocket, ...patience });
  t.after(() => slow.close());
  const todos = await slow.attach("todos.todos");
  // The socket below the WebSocket is not read any more.
  for (const socket of sockets(url)) socket.pause();
  const hub = await connect({ url, token, WebSocket: ws.WebSocket, ...patience });
  t.after(() => hub.close());
  const before = memory();
  const text = "x".repeat(100_000);
  for (let index = 0; index < 200; index += 1) await add(hub, text);
  const grown = memory() - before;
  assert.ok(grown < 8 * 1024, `the gateway has grown by ${grown} KiB, and 20 MB were sent`);
  for (const socket of sockets(url)) socket.resume();
  await eventually(() => todos.value.length === 200, "the slow client's todos");
});

/** The sockets of this process that are connected to the gateway. */
function sockets(url) {
  const port = Number(new URL(url).port);
  return process._getActiveHandles().filter(handle => handle.remotePort === port);
}

test("a revoked token ends the connection, and later ones", options, async t => {
  const { url, token, revoke } = await gateway(t);
  const hub = await connect({ url, token, WebSocket: ws.WebSocket, ...patience, backOff: { first: 5, longest: 20 } });
  t.after(() => hub.close());
  let error;
  hub.onState(state => (error ??= state.error));
  revoke("test");
  await eventually(() => error !== undefined, "the end of the connection");
  assert.match(String(error), /4401: the token was revoked/);
  // Its further attempts would count as guesses.
  hub.close();
  // On a busy machine, the time may pass before the first answer.
  let refusal;
  for (const timeout of [300, 3000, 30_000]) {
    refusal = await connect({ url, token, WebSocket: ws.WebSocket, timeout }).catch(String);
    if (/4401/.test(refusal)) break;
  }
  assert.match(refusal, /4401/);
});

const hasChromium = spawnSync("chromium", ["--version"]).status === 0;

test("a page that the gateway serves attaches in chromium", { ...options, skip: options.skip || (hasChromium ? false : "chromium is not installed") }, async t => {
  const { server, serve } = await gateway(t);
  const address = await serve(`
    import { connect } from "./storehub/browser.js";
    const hub = await connect({ url: "ws://" + location.host + "/", token: location.hash.slice(1), name: "a page" });
    const todos = await hub.attach("todos.todos");
    todos.subscribe(value => {
      const { text } = value.at(-1);
      if (!text.startsWith("seen ")) hub.send({ case: "todos", value: { case: "addButtonTapped", text: "seen " + text } });
    });
    await hub.send({ case: "todos", value: { case: "addButtonTapped", text: "bread" } });`);
  const hub = await connectLocally({ socket: server.socket });
  t.after(() => hub.close());
  const todos = await hub.attach("todos.todos");
  let chromium, ended;
  t.after(async () => {
    // Its own process group: the browser and its helpers.
    process.kill(-chromium.pid, "SIGKILL");
    await ended;
  });
  // Removed after the browser has ended, because hooks run in the order in which they are added.
  const profile = temporaryDirectory(t);
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`];
  chromium = spawn("chromium", [...flags, address], { stdio: "ignore", detached: true });
  ended = once(chromium, "exit");
  const texts = () => todos.value.map(todo => todo.text);
  await eventually(() => texts().includes("seen bread"), "what the page has sent and seen");
  await add(hub, "milk");
  await eventually(() => texts().includes("seen milk"), "the answer of the page");
});
