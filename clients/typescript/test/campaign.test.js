// Exactly once: a hub with a journal is killed, and its connections are cut inside of frames, while a client sends.

import assert from "node:assert/strict";
import test from "node:test";
import { connect } from "../dist/node.js";
import { random } from "./random.js";
import { eventually, FaultProxy, pause, TestHub, withHub } from "./support.js";

const kills = Number(process.env.STOREHUB_KILLS ?? 100);

test(`each action takes effect exactly once over ${kills} kills and many cuts`, { ...withHub, timeout: 300_000 }, async t => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  const next = random(seed);
  const server = await new TestHub(t, { isDurable: true }).start();
  const proxy = await new FaultProxy(t, server.socket, next).start();
  proxy.most = 20_000;
  const hub = await connect({ socket: proxy.path, timeout: 60_000, backOff: { first: 2, longest: 20 } });
  t.after(() => hub.close());
  const faults = [];
  hub.onFault(error => faults.push(error));
  const todos = await hub.attach("todos.todos");
  const count = await hub.attach("counter.count");

  let sent = 0;
  let isDone = false;
  const outcomes = [];
  const sender = (async () => {
    while (!isDone) {
      for (let burst = 1 + Math.floor(next() * 20); burst > 0; burst -= 1) {
        await hub.capacity();
        sent += 1;
        outcomes.push(hub.send({ case: "counter", value: { case: "incrementButtonTapped" } }));
        if (sent % 50 === 0) outcomes.push(hub.send({ case: "todos", value: { case: "addButtonTapped", text: `${sent}` } }));
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
  isDone = true;
  await sender;
  proxy.most = Infinity;
  proxy.cutAll();
  await Promise.all(outcomes);
  await eventually(() => hub.state.phase === "live", "the last connection");
  await hub.settled();
  // After a cut the outcomes follow the welcome, and the parts come after them.
  await eventually(() => count.value === BigInt(sent), `SEED=${seed}: the count ${count.value} becomes ${sent}`);
  assert.equal(await count.verify(), true, `SEED=${seed}`);
  const added = Math.floor(sent / 50);
  await eventually(() => todos.value.length === added, `SEED=${seed}: ${todos.value.length} todos become ${added}`);
  assert.deepEqual(todos.value.map(todo => todo.text), Array.from({ length: added }, (_, index) => `${50 * (index + 1)}`), `SEED=${seed}`);
  assert.equal(await todos.verify(), true, `SEED=${seed}`);
  assert.deepEqual(faults, [], `SEED=${seed}`);
  assert.ok(proxy.cuts > 0);
  t.diagnostic(`SEED=${seed}: ${sent} actions, ${kills} kills, ${proxy.cuts} cuts`);
});
