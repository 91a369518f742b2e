// The package in a real browser: headless chromium, its own WebSocket, and a page that is served from here.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createConnection } from "node:net";
import { join, normalize } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory, TestHub, withHub } from "./support.js";

const folder = "/usr/share/nodejs/ws";
const hasChromium = spawnSync("chromium", ["--version"]).status === 0;
const skip = withHub.skip || (hasChromium && existsSync(folder) ? false : "chromium or node-ws is not installed");
const dist = fileURLToPath(new URL("../dist/", import.meta.url));

const page = `<!doctype html><title>storehub</title><script type="module">
import { connect, HubDate } from "/dist/browser.js";
const report = result => fetch("/result", { method: "POST", body: result });
try {
  const hub = await connect({ url: "ws://" + location.host + "/hub", token: "a-token" });
  const todos = await hub.attach("todos.todos");
  const add = text => hub.send({ case: "todos", value: { case: "addButtonTapped", text } });
  await Promise.all(["bread", "milk", "é".repeat(20000)].map(add));
  const isEqual = await todos.verify();
  const texts = todos.value.map(todo => todo.text.slice(0, 5)).join();
  await report(texts + " " + isEqual + " " + hub.state.phase + " " + new HubDate(0.5).toISOString());
} catch (error) {
  await report(String(error.stack));
}
</script>`;

test("a page in chromium attaches, sends and verifies over its own WebSocket", { ...withHub, skip }, async t => {
  const hub = await new TestHub(t).start();
  const ws = createRequire(import.meta.url)(folder);
  let done;
  const result = new Promise(resolve => (done = resolve));
  const server = createServer((request, response) => {
    if (request.url === "/result") {
      let body = "";
      request.on("data", data => (body += data));
      request.on("end", () => { response.end(); done(body); });
    } else if (request.url === "/") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(page);
    } else {
      const file = join(dist, normalize(request.url.replace(/^\/dist\//, "/")));
      response.statusCode = existsSync(file) ? 200 : 404;
      response.setHeader("content-type", "text/javascript");
      response.end(existsSync(file) ? readFileSync(file) : "");
    }
  });
  const protocols = [];
  const sockets = new ws.WebSocketServer({ server, path: "/hub", handleProtocols: offered => { protocols.push(...offered); return "storehub"; } });
  sockets.on("connection", client => {
    const stream = createConnection({ path: hub.socket });
    client.on("message", data => stream.write(data));
    client.on("close", () => stream.destroy());
    stream.on("data", bytes => client.send(bytes));
    stream.on("error", () => client.close());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let chromium, ended;
  t.after(async () => {
    // Its own process group: the browser and its helpers.
    process.kill(-chromium.pid, "SIGKILL");
    await ended;
    for (const client of sockets.clients) client.terminate();
    server.close();
    server.closeAllConnections();
  });
  // Removed after the browser has ended, because hooks run in the order in which they are added.
  const profile = temporaryDirectory(t);
  chromium = spawn("chromium", [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`,
    `http://127.0.0.1:${server.address().port}/`,
  ], { stdio: "ignore", detached: true });
  ended = once(chromium, "exit");
  assert.equal(await result, "bread,milk,ééééé true live 2001-01-01T00:00:00.500Z");
  assert.deepEqual(protocols, ["storehub", "storehub.token.a-token"]);
});
