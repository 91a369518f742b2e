// Exactly once: a hub with a journal is killed, and its connections are cut inside of frames, while a client sends.

import assert from "node:assert/strict";
import test from "node:test";
import { connect, Rejected } from "../dist/node.js";
import { random } from "./random.js";
import { eventually, FaultProxy, pause, TestHub, withHub } from "./support.js";

const kills = Number(process.env.STOREHUB_KILLS ?? 10);

test(`each action takes effect exactly once over ${kills} kills and many cuts`, { ...withHub, timeout: 900_000 }, async t => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  const next = random(seed);
  const server = await new TestHub(t, { isDurable: true }).start();
  const proxy = await new FaultProxy(t, server.socket, next).start();
  proxy.most = 20_000;
  const hub = await connect({ socket: proxy.path, timeout: 240_000, answerTimeout: 120_000, backOff: { first: 2, longest: 20 } });
  t.after(() => hub.close());
  const faults = [];
  hub.onFault(error => faults.push(error));
  const todos = await hub.attach("todos.todos");
  const count = await hub.attach("counter.count");

  let sent = 0;
  let isDone = false;
  const outcomes = [];
  /** The increments and the texts that took effect. */
  let increments = 0;
  const texts = [];
  /** A hub whose process was killed twice while it handled an action refuses the action (code 5). */
  const settle = (send, applied) => outcomes.push(send.then(applied, error => {
    if (!(error instanceof Rejected) || error.reason !== "reducerCrashed") throw error;
  }));
  const sender = (async () => {
    while (!isDone) {
      for (let burst = 1 + Math.floor(next() * 20); burst > 0; burst -= 1) {
        await hub.capacity();
        sent += 1;
        settle(hub.send({ case: "counter", value: { case: "incrementButtonTapped" } }), () => (increments += 1));
        if (sent % 50 !== 0) continue;
        const text = `${sent}`;
        settle(hub.send({ case: "todos", value: { case: "addButtonTapped", text } }), () => texts.push(text));
      }
      await pause(next() * 5);
    }
  })();
  let revision = 0n;
  count.subscribe(() => {
    assert.ok(count.revision >= revision, `the revision went back; SEED=${seed}`);
    revision = count.revision;
  });
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(next() * 40);
    await server.kill();
    await server.start();
  }
  // Few kills leave the connections no time for as many bytes.
  await eventually(() => proxy.cuts >= 5, `SEED=${seed}: five cuts`);
  isDone = true;
  await sender;
  proxy.most = Infinity;
  proxy.cutAll();
  await Promise.all(outcomes);
  await eventually(() => hub.state.phase === "live", "the last connection");
  await hub.settled();
  // After a cut the outcomes follow the welcome, and the parts come after them.
  await eventually(() => count.value === BigInt(increments), `SEED=${seed}: the count becomes ${increments}`);
  assert.equal(await count.verify(), true, `SEED=${seed}`);
  await eventually(() => todos.value.length === texts.length, `SEED=${seed}: ${texts.length} todos`);
  assert.deepEqual(todos.value.map(todo => todo.text), texts, `SEED=${seed}`);
  assert.ok(increments > sent - 10, `SEED=${seed}: ${sent - increments} actions were refused`);
  assert.equal(await todos.verify(), true, `SEED=${seed}`);
  assert.deepEqual(faults, [], `SEED=${seed}`);
  t.diagnostic(`SEED=${seed}: ${sent} actions, ${kills} kills, ${proxy.cuts} cuts`);
});
