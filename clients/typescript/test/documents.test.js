// Runs the examples of README.md, each in a process of its own, with a real hub.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { program, temporaryDirectory, TestHub, withHub } from "./support.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(root, "README.md"), "utf8");
const examples = [...page.matchAll(/<!-- test -->\n```js\n(.*?)```/gs)].map(([, code]) => code);

/** A folder in which `storehub` is this package. */
function project(t) {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, "node_modules"));
  symlinkSync(root, join(directory, "node_modules", "storehub"));
  return directory;
}

test("the page has examples", () => assert.ok(examples.length >= 4));

for (const [index, code] of examples.entries()) {
  test(`example ${index + 1} of README.md runs to its end`, withHub, async t => {
    const server = await new TestHub(t).start();
    const file = join(project(t), "example.mjs");
    writeFileSync(file, code);
    const child = spawn(process.execPath, [file], { env: { ...process.env, STOREHUB_SOCKET: server.socket }, timeout: 240_000 });
    let output = "";
    child.stdout.on("data", data => (output += data));
    child.stderr.on("data", data => (output += data));
    const [status] = await once(child, "exit");
    assert.equal(status, 0, output);
    assert.ok(output.length > 0 || !code.includes("console.log"));
  });
}

test("the example with generated types compiles, and runs to its end", withHub, async t => {
  const storectl = join(dirname(program), "storectl");
  const code = page.match(/<!-- test -->\n```ts\n(.*?)```/s)[1];
  if (!existsSync(storectl)) return t.skip("there is no storectl beside the hub");
  const server = await new TestHub(t).start();
  const directory = project(t);
  const env = { ...process.env, STOREHUB_SOCKET: server.socket };
  const run = (command, ...words) => spawnSync(command, words, { cwd: directory, env, encoding: "utf8", timeout: 240_000 });
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  writeFileSync(join(directory, "program.ts"), code);
  assert.equal(run(storectl, "generate", "typescript", "-o", "app.ts").status, 0);
  const compiled = run("tsc", "--strict", "--target", "es2022", "--module", "node16", "program.ts");
  if (compiled.error) return t.skip("tsc is not installed");
  assert.equal(compiled.status, 0, compiled.stdout);
  const ran = run(process.execPath, "program.js");
  assert.equal(ran.stdout, "[ 'oat milk' ]\n", ran.stderr);
});

test("a program with types is accepted by the compiler, and one with wrong types is not", t => {
  const directory = project(t);
  const check = code => {
    writeFileSync(join(directory, "program.mts"), code);
    const flags = ["--strict", "--noEmit", "--module", "node16", "--moduleResolution", "node16", "--target", "es2022", "--lib", "es2022,dom"];
    return spawnSync("tsc", [...flags, join(directory, "program.mts")], { encoding: "utf8" });
  };
  const program = `
    import { connect, Path, type Hub, type Part } from "storehub";
    import { partHook } from "storehub/react";
    import { ClientCore } from "storehub/core";
    interface State { readonly count: bigint }
    type Action = { readonly case: "increment" } | { readonly case: "add"; readonly value: bigint };
    const hub: Hub<Action> = await connect<Action>({ socket: "/tmp/none", fingerprint: "00".repeat(32) });
    const count: Part<bigint> = await hub.attach(new Path<State>().to<bigint>("count"));
    const value: bigint | undefined = count.value;
    await hub.send({ case: "add", value: value ?? 0n });
    for await (const next of count) console.log(next === undefined ? "" : next + 1n);
    declare const store: <S>(subscribe: (changed: () => void) => () => void, snapshot: () => S) => S;
    const shown: bigint | undefined = partHook(store)(count);
    console.log(shown, ClientCore);
  `;
  const right = check(program);
  if (right.error) return t.skip("tsc is not installed");
  assert.equal(right.status, 0, right.stdout);
  assert.match(check(program.replace('case: "add", value', 'case: "subtract", value')).stdout, /error TS/);
});
