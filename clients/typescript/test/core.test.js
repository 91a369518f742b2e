import assert from "node:assert/strict";
import test from "node:test";
import { toHex } from "../dist/cbor/bytes.js";
import { CborReader } from "../dist/cbor/reader.js";
import { Path } from "../dist/core/path.js";
import { PendingAction } from "../dist/core/outbox.js";
import { Scope } from "../dist/core/scope.js";
import { bytesOf, sections } from "./golden.js";
import { random } from "./random.js";
import { actionsOf, cbor, frame, Script, schemas } from "./script.js";

const increment = { case: "counter", value: { case: "incrementButtonTapped" } };
const count = () => new Scope("counter.count", 0);

function attached(script, scope = count(), value = cbor(0), revision = 1n) {
  script.core.attach(scope, script.time);
  const [attach] = script.sent();
  assert.equal(attach.kind, 2);
  script.receive(frame(0x82, cbor([0, 0, value]), { flags: 1, scope: attach.scope, revision }));
  return attach.scope;
}

/** The golden paths by their steps. */
const paths = {
  "[]": "", "[1, 0]": "todos.todos", "[0, 1]": "counter.numberFact", "[0, 4, 0, 0]": "counter.factAlert.title",
  "[0, 0]": "counter.count", "[1, 0, [1, 2]]": "todos.todos[1..<3]", "[1, 0, [-1, 1]]": "todos.todos[-1...]",
  "[1, 0, [0, 2]]": "todos.todos[0..<2]",
};

for (const file of ["session.txt", "bookmarks.txt", "windows.txt", "resume.txt"]) {
  test(`the golden transcript ${file}, with frames that are cut at random`, () => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    const next = random(seed);
    const script = new Script();
    const { core } = script;
    // The numbers of scopes are the client's own.
    const scopes = new Map();
    let own = file === "resume.txt" ? [] : ["A"];
    let isGreeted = false;
    let hashes = 0;
    const deliver = bytes => {
      for (let at = 0; at < bytes.length;) {
        const size = 1 + Math.floor(next() * bytes.length);
        core.received(bytes.slice(at, at + size), 0);
        at += size;
      }
    };
    for (const { sign, name, fields } of sections(file)) {
      const connection = /connection (\w)/.exec(name)?.[1];
      // In resume.txt, A, C and D are one client.
      if (file === "resume.txt" && sign === "@" && ["A", "C", "D"].includes(connection)) {
        if (name.endsWith("opens")) own = [connection];
        else if (own.includes(connection)) core.closed();
      }
      if (sign === "@" || !own.includes(connection)) continue;
      const kind = name.split(" ")[0];
      const [, , , number, revision] = fields.header.split(" ");
      const payload = bytesOf(fields.payload ?? "");
      if (sign === "<") {
        const scope = scopes.get(number)?.number ?? 0;
        if (kind === "error") continue;
        deliver(frame(parseInt(fields.header.split(" ")[1], 16), payload, {
          flags: parseInt(fields.header.split(" ")[2], 16), scope, revision: new DataView(bytesOf(revision).buffer).getBigUint64(0, true),
        }));
        if (kind === "welcome" && !isGreeted) {
          isGreeted = true;
          assert.deepEqual(script.sent().map(one => one.kind), [0x08]);
          deliver(frame(0x8c, schemas[0]));
          // The attach that the transcript has before the welcome.
          for (const scope of scopes.values()) assert.notEqual(scope.number, undefined);
        }
        if (kind === "hash") hashes += 1;
      } else if (kind === "hello") {
        core.opened(0);
        const [hello] = script.sent();
        const keys = bytes => {
          const found = {};
          CborReader.whole(bytes, reader => reader.struct(key => { found[key] = toHex(reader.item()); }));
          return found;
        };
        const { 5: fingerprint, 6: history, ...rest } = keys(hello.payload);
        assert.deepEqual(rest, keys(payload));
        assert.equal(fingerprint !== undefined, isGreeted);
        assert.equal(history !== undefined, isGreeted);
      } else if (kind === "attach") {
        // A second attach of the same client is the client's own doing, after the welcome.
        if (scopes.has(number) && file === "resume.txt") continue;
        const path = paths[/0: (.*?)(, 1: \d+)?\}$/.exec(fields.notation)[1]];
        if (path === undefined) continue;
        const scope = new Scope(path, 0);
        scopes.set(number, scope);
        core.attach(scope, 0);
        const sent = script.sent().find(one => one.kind === 2);
        if (sent) assert.equal(toHex(sent.payload), fields.payload);
      } else if (kind === "actions") {
        const golden = actionsOf(payload);
        // That client sends number 3 again, which this one does not: it knows the outcome.
        const isRepeated = golden.first === 3 && golden.acknowledged === 3;
        const [first, items] = isRepeated ? [4, golden.items.slice(1)] : [golden.first, golden.items];
        script.sent();
        for (const item of items) {
          const codec = core.schemas.get(0).codecs;
          try {
            core.send(CborReader.whole(item, reader => codec.of(codec.schema.action).read(reader)), 0);
          } catch {
            // The transcripts also have items that are no actions.
            const action = Object.create(PendingAction.prototype);
            core.outbox.add(Object.assign(action, { number: 0, isDone: false, bytes: item, decidedAt: core.scopes.showEverything ? core.seen : undefined }));
          }
        }
        core.flush();
        const [frame] = script.sent();
        // When a client acknowledges outcomes is its own choice.
        const sent = actionsOf(frame.payload);
        assert.deepEqual([sent.first, ...sent.items.map(toHex)], [first, ...items.map(toHex)]);
      } else if (kind === "verify") core.verify(scopes.get(number), 0);
      else if (kind === "detach") { core.detach(scopes.get(number)); scopes.delete(number); }
      const wrong = script.take().filter(event => ["drop", "fault", "failed"].includes(event.kind) && event.error.name !== "Goodbye");
      assert.deepEqual(wrong, [], `SEED=${seed}`);
    }
    script.take();
    const verified = script.events.filter(event => event.kind === "verified");
    assert.ok(verified.length >= hashes && verified.every(event => event.isEqual), `SEED=${seed}`);
    assert.ok(script.events.some(event => event.kind === "changed"));
  });
}

test("unknown kinds, keys of the welcome, codes, and fields that are not used", () => {
  const script = new Script();
  script.core.opened(0);
  script.receive(frame(0xf0), frame(0x40, cbor("?")));
  script.receive(script.welcome({ 12: [1, new Map([[0, "new"]])], 1000: null }), frame(0x8c, schemas[0]));
  script.receive(frame(0x99), frame(0x88, cbor(0), { flags: 255, scope: 9, revision: 77n }));
  const action = script.core.send(increment, 0);
  script.core.flush();
  assert.deepEqual(script.receive(frame(0x85, cbor([1, 4242, "no"]), { revision: 1n })).map(event => event.outcome?.error.reason), ["unknown"]);
  assert.equal(action.isDone, true);
  assert.equal(script.events.some(event => event.kind === "drop"), false);
});

test("actions are numbered, acknowledged, and sent again under their numbers after a cut", () => {
  const script = new Script();
  script.connect();
  for (let index = 0; index < 3; index += 1) script.core.send(increment, 0);
  script.core.flush();
  const [first] = script.sent();
  assert.deepEqual([actionsOf(first.payload).first, actionsOf(first.payload).items.length], [1, 3]);
  assert.equal(first.flags, 2, "cancellable, and without a revision: the client does not show the whole state");
  script.receive(frame(0x84, cbor(1), { revision: 1n }));
  script.cut();
  script.core.send(increment, 0);
  // The hub has processed 2; the outcome of 2 follows the welcome.
  const frames = script.connect({ 2: true, 3: 2 });
  const hello = frames[0];
  assert.match(toHex(hello.payload), /^a70001010102500707/);
  const actions = actionsOf(frames.at(-1).payload);
  assert.deepEqual([actions.first, actions.acknowledged, actions.items.length], [3, 1, 2]);
  const outcomes = script.receive(frame(0x84, cbor(2)), frame(0x84, cbor(4))).filter(event => event.kind === "outcome");
  assert.equal(outcomes.length, 3);
  assert.equal(outcomes.every(event => event.outcome.error === undefined), true);
});

test("a session that the hub does not know: sent actions are given up, others are numbered from 1", () => {
  const script = new Script();
  script.connect();
  script.core.send(increment, 0);
  script.core.flush();
  script.sent();
  script.cut();
  script.core.send(increment, 0);
  const frames = script.connect({ 1: new Uint8Array(16).fill(9) });
  script.take();
  const outcomes = script.events.filter(event => event.kind === "outcome").map(event => event.outcome.error?.reason);
  assert.deepEqual(outcomes, ["outcomeUnknown"]);
  assert.equal(actionsOf(frames.at(-1).payload).first, 1);
});

test("with a whole state the frames have the revision that was seen; actions that were decided on later are in others", () => {
  const script = new Script();
  script.connect();
  const state = cbor(new Map([[0, new Map()], [1, new Map()], [2, new Map()]]));
  const scope = attached(script, new Scope("", 0), state, 5n);
  script.core.send(increment, 0);
  script.receive(frame(0x8d, undefined, { scope, revision: 6n }));
  const [first] = script.sent();
  assert.deepEqual([first.flags, first.revision], [3, 5n]);
  script.core.isWritable = false;
  script.core.send(increment, 0);
  script.receive(frame(0x8d, undefined, { scope, revision: 9n }));
  script.core.send(increment, 0);
  script.core.isWritable = true;
  script.core.flush();
  assert.deepEqual(script.sent().map(one => one.revision), [6n, 9n]);
});

test("states that the hub has lost: the revision is not named, and actions are given up if the user wants that", () => {
  for (const discardAfterLoss of [false, true]) {
    const script = new Script({ discardAfterLoss });
    script.connect();
    attached(script);
    script.cut();
    script.core.send(increment, 0);
    const frames = script.connect({ 2: true, 7: 2 });
    const attach = frames.find(one => one.kind === 2);
    assert.equal(toHex(attach.payload), "a100820000");
    assert.equal(frames.some(one => one.kind === 3), !discardAfterLoss);
    script.take();
    const reasons = script.events.filter(event => event.kind === "outcome").map(event => event.outcome.error.reason);
    assert.deepEqual(reasons, discardAfterLoss ? ["statesLost"] : []);
  }
});

test("a part is resumed by its revision, for every reason that a snapshot can have", () => {
  for (const reason of [0, 1, 2, 3, 4, 99]) {
    const script = new Script();
    const scope = count();
    script.connect();
    attached(script, scope, cbor(0), 7n);
    script.cut();
    const frames = script.connect({ 2: true });
    const attach = frames.find(one => one.kind === 2);
    assert.equal(toHex(attach.payload), "a20082000001" + "07");
    // In two pieces, with a piece of an earlier snapshot before them.
    const text = cbor(123456);
    script.receive(
      frame(0x82, cbor([reason, 0, text.subarray(0, 2)]), { scope: attach.scope, revision: 8n }),
      frame(0x82, cbor([reason, 0, text.subarray(0, 1)]), { scope: attach.scope, revision: 9n }),
      frame(0x82, cbor([reason, 1, text.subarray(1)]), { scope: attach.scope, revision: 9n, flags: 1 }),
    );
    assert.deepEqual([scope.value, scope.revision], [123456n, 9n]);
  }
});

test("what a part must not get ends the connection, and the next one asks for the whole part", () => {
  const wrong = {
    "a delta from another revision": scope => frame(0x83, cbor([0, 1]), { scope, revision: 2n }),
    "a delta that leads back": scope => frame(0x83, cbor([1, 1]), { scope, revision: 1n }),
    "a delta that does not fit": scope => frame(0x83, cbor([1, new Map()]), { scope, revision: 2n }),
    "a value of another type": scope => frame(0x83, cbor([1, "x"]), { scope, revision: 2n }),
    "a bookmark that leads back": scope => frame(0x8d, undefined, { scope, revision: 1n }),
    "a piece that is missing": scope => frame(0x82, cbor([0, 1, new Uint8Array(1)]), { scope, revision: 2n, flags: 1 }),
    "bytes after the payload": scope => frame(0x83, new Uint8Array([...cbor([1, 1]), 0]), { scope, revision: 2n }),
  };
  for (const [what, bytes] of Object.entries(wrong)) {
    const script = new Script();
    const scope = count();
    script.connect();
    const number = attached(script, scope);
    const drop = script.receive(bytes(number)).find(event => event.kind === "drop");
    assert.equal(drop?.error.name, "ProtocolError", what);
    assert.equal(scope.value, 0n, what);
    script.cut();
    const attach = script.connect({ 2: true }).find(one => one.kind === 2);
    assert.equal(toHex(attach.payload), "a100820000", what);
  }
});

test("a value that the program has changed is read again, and brings nothing down", () => {
  const script = new Script();
  const scope = new Scope("counter", 0);
  script.connect();
  const state = cbor(new Map([[0, 0], [1, null], [2, false], [3, false], [4, null]]));
  const number = attached(script, scope, state);
  scope.value.count = "changed";
  const events = script.receive(frame(0x8b, cbor(1), { scope: number, revision: 1n }));
  assert.match(events.find(event => event.kind === "drop").error.message, /not as it arrived/);
  script.cut();
  assert.equal(toHex(script.connect({ 2: true }).find(one => one.kind === 2).payload), "a1008100");
});

test("limits hold before memory is taken", () => {
  const script = new Script({ payloadLimit: 1000, stateLimit: 10 });
  script.core.opened(0);
  const header = frame(0x81, new Uint8Array(1001)).subarray(0, 16);
  assert.match(script.receive(header)[0].error.message, /1001 bytes exceeds the limit/);
  const other = new Script({ stateLimit: 10 });
  other.connect();
  other.core.attach(count(), 0);
  const [{ scope }] = other.sent();
  const events = other.receive(frame(0x82, cbor([0, 0, new Uint8Array(11)]), { scope, revision: 1n }));
  assert.match(events[0].error.message, /more than 10 bytes/);
});

test("a part with another hash than the hub's is reported and read again", () => {
  const script = new Script();
  const scope = count();
  script.connect();
  const number = attached(script, scope);
  script.core.verify(scope, 0);
  assert.equal(script.sent()[0].kind, 7);
  const events = script.receive(frame(0x8b, cbor(1), { scope: number, revision: 1n }));
  assert.deepEqual(events.map(event => event.kind), ["verified", "fault"]);
  const frames = script.sent();
  assert.deepEqual(frames.map(one => one.kind), [6, 2]);
  assert.equal(toHex(frames[1].payload), "a100820000");
  assert.notEqual(frames[1].scope, number);
  // Frames for the old number may still arrive.
  script.receive(frame(0x83, cbor([1, 5]), { scope: number, revision: 2n }), frame(0x8a, undefined, { scope: number }));
  assert.equal(scope.value, 0n);
});

test("of several new parts, the one that is refused is found, and the others stay", () => {
  const script = new Script();
  const parts = ["counter", "todos", "favourites"].map(path => new Scope(path, 0));
  script.connect();
  for (const part of parts) script.core.attach(part, 0);
  script.sent();
  const refuse = () => {
    script.receive(frame(0x86, cbor([15, "no"])));
    script.cut();
  };
  refuse();
  for (let round = 0; round < 4; round += 1) {
    let frames = script.connect({ 2: true });
    for (;;) {
      const attach = frames.filter(one => one.kind === 2);
      if (attach.length === 0) break;
      // The user may not read todos, which are field 1.
      if (attach.some(one => toHex(one.payload) === "a1008101")) {
        refuse();
        break;
      }
      script.receive(...attach.map(one => frame(0x89, undefined, { scope: one.scope, revision: 1n })));
      frames = script.sent();
    }
  }
  script.take();
  const failed = script.events.filter(event => event.kind === "failed");
  assert.deepEqual(failed.map(event => event.scope.path), ["todos"]);
  assert.deepEqual(parts.map(part => part.isConfirmed), [true, false, true]);
});

test("a part that the hub no longer permits is found among those that it did, and the client goes on", () => {
  const script = new Script();
  const parts = ["counter", "todos"].map(path => new Scope(path, 0));
  script.connect();
  for (const part of parts) script.core.attach(part, 0);
  script.receive(...script.sent().map(one => frame(0x89, undefined, { scope: one.scope, revision: 1n })));
  for (let round = 0; round < 3; round += 1) {
    script.cut();
    let frames = script.connect({ 2: true });
    for (let attach; (attach = frames.filter(one => one.kind === 2)).length > 0; frames = script.sent()) {
      // Of the todos, which are field 1, with a revision or without.
      const isRefused = attach.some(one => /8101(01..)?$/.test(toHex(one.payload)));
      script.receive(...isRefused ? [frame(0x86, cbor([12, "no"]))]
        : attach.map(one => frame(0x89, undefined, { scope: one.scope, revision: 1n })));
    }
  }
  script.take();
  assert.deepEqual(script.events.filter(event => event.kind === "failed").map(event => event.scope.path), ["todos"]);
  assert.equal(script.events.some(event => event.kind === "drop" && event.isFinal), false);
  assert.notEqual(parts[0].number, undefined);
});

test("more actions than the hub keeps refusals for are sent as their outcomes arrive", () => {
  const script = new Script();
  script.connect();
  for (let index = 0; index < 3000; index += 1) script.core.send(increment, 0);
  let unacknowledged = 0, refused = 0;
  for (let processed = 0; processed < 3000;) {
    script.core.flush();
    const frames = script.sent().filter(one => one.kind === 3);
    assert.ok(frames.length > 0, "the client is stuck");
    for (const { payload } of frames) {
      const { acknowledged, items } = actionsOf(payload);
      unacknowledged = processed - acknowledged;
      for (const _ of items) {
        processed += 1;
        unacknowledged += 1;
        assert.ok(unacknowledged <= 1024, "the hub would end the connection with error 9");
        script.receive(frame(0x85, cbor([processed, 2, "no"])));
        refused += 1;
      }
    }
    script.receive(frame(0x84, cbor(processed)));
  }
  assert.equal(refused, 3000);
  assert.equal(script.core.pendingCount, 0);
});

test("a hub that answers for actions that were not sent is not believed", () => {
  for (const bytes of [frame(0x84, cbor(1)), frame(0x85, cbor([1, 1, ""]))]) {
    const script = new Script();
    script.connect();
    assert.equal(script.receive(bytes)[0].error.name, "ProtocolError");
  }
  // A resumed session that is ahead of the client: a new one is begun.
  const script = new Script();
  script.connect();
  script.cut();
  script.connect({ 2: true, 3: 5 });
  script.cut();
  const [hello] = script.connect();
  assert.equal(toHex(hello.payload).includes("0250"), false);
});

test("errors that are final, and errors that are not", () => {
  for (const [code, isFinal] of [[1, true], [10, true], [15, true], [2, false], [8, false], [14, false], [99, false]]) {
    const script = new Script();
    script.connect();
    const drop = script.receive(frame(0x86, cbor([code, "why"]))).find(event => event.kind === "drop");
    assert.equal(drop.isFinal, isFinal, `error ${code}`);
  }
});

test("an action is cancelled by its number, if the hub takes that", () => {
  for (const takesCancel of [true, false]) {
    const script = new Script();
    script.connect({ 10: takesCancel });
    const action = script.core.send(increment, 0);
    script.core.flush();
    assert.equal(script.sent()[0].flags, takesCancel ? 2 : 0);
    script.core.cancel(action);
    assert.deepEqual(script.sent().map(one => [one.kind, toHex(one.payload)]), takesCancel ? [[9, "01"], [4, "01"]] : []);
  }
});

test("a cancellation that the hub may not have read is sent again, after the actions", () => {
  const script = new Script();
  script.connect();
  const actions = [1, 2].map(() => script.core.send(increment, 0));
  script.core.flush();
  script.core.cancel(actions[0]);
  script.sent();
  script.receive(frame(0x88, cbor(1)), frame(0x84, cbor(1)));
  script.core.cancel(actions[1]);
  script.sent();
  script.cut();
  const kinds = script.connect({ 2: true, 3: 1 }).map(one => [one.kind, one.kind === 9 ? toHex(one.payload) : ""]);
  // The first was read, for its pong has come; without a pong for the second, it follows the action.
  assert.deepEqual(kinds.slice(-3), [[3, ""], [9, "02"], [4, ""]]);
  script.receive(frame(0x84, cbor(2)), frame(0x88, cbor(3)));
  script.cut();
  assert.equal(script.connect({ 2: true, 3: 2 }).some(one => one.kind === 9), false);
  // A new session knows nothing of it.
  script.core.cancel(actions[1]);
  script.cut();
  assert.equal(script.connect().some(one => one.kind === 9), false);
});

test("the cancellation of an action that is sent again is sent again, too", () => {
  const script = new Script();
  script.connect();
  const actions = [1, 2].map(() => script.core.send(increment, 0));
  script.core.flush();
  for (const action of actions) script.core.cancel(action);
  script.sent();
  // The hub has read both, but its log loses the second action.
  script.receive(frame(0x84, cbor(1)), frame(0x88, cbor(2)));
  script.cut();
  const kinds = script.connect({ 2: true, 3: 1 }).map(one => [one.kind, one.kind === 9 ? toHex(one.payload) : ""]);
  assert.deepEqual(kinds.slice(-3), [[3, ""], [9, "02"], [4, ""]]);
  script.receive(frame(0x88, cbor(3)), frame(0x84, cbor(2)));
  script.cut();
  assert.equal(script.connect({ 2: true, 3: 2 }).some(one => one.kind === 9), false);
});

test("a late cancellation of an action of an earlier session names no action of this one", () => {
  const script = new Script();
  script.connect();
  const old = script.core.send(increment, 0);
  script.core.flush();
  script.receive(frame(0x84, cbor(1)));
  script.cut();
  script.connect({ 1: new Uint8Array(16).fill(9) });
  script.core.send(increment, 0);
  script.core.flush();
  script.sent();
  script.core.cancel(old);
  script.core.flush();
  assert.deepEqual(script.sent().map(one => one.kind), []);
});

test("a cancellation of an action that was given up names none of those that get its number", () => {
  const script = new Script({ discardAfterLoss: true });
  script.connect();
  const [first, second] = [1, 2].map(() => script.core.send(increment, 0));
  script.core.flush();
  script.core.cancel(first);
  script.cut();
  script.connect({ 2: true, 7: 2 });
  for (let index = 0; index < 2; index += 1) script.core.send(increment, 0);
  script.core.flush();
  script.core.cancel(second);
  const frames = script.sent();
  assert.deepEqual([frames.map(one => one.kind), actionsOf(frames[0].payload).first], [[3], 1]);
});

test("an action that is too large for the next hub fails, and those after it take effect", () => {
  const add = text => ({ case: "todos", value: { case: "addButtonTapped", text } });
  const script = new Script();
  script.connect();
  const [, large] = [add("a"), add("b".repeat(200)), add("c")].map(value => script.core.send(value, 0));
  script.core.flush();
  script.sent();
  const waiting = (script.cut(), script.core.send(add("d".repeat(200)), 0));
  const frames = script.connect({ 2: true, 4: 100 });
  script.take();
  const outcomes = script.events.filter(event => event.kind === "outcome").map(event => event.outcome);
  assert.deepEqual(outcomes.map(({ action, error }) => [action, error.reason]), [[large, "tooLarge"], [waiting, "tooLarge"]]);
  // The number is not missing: the hub refuses null, which is no action.
  const actions = actionsOf(frames.at(-1).payload);
  assert.deepEqual([actions.first, actions.items.length, toHex(actions.items[1])], [1, 3, "f6"]);
  script.receive(frame(0x85, cbor([2, 1, "no action"])), frame(0x84, cbor(3)));
  assert.equal(script.core.pendingCount, 0);
});

test("an action whose refusal is known takes no effect on a hub that was set back before it", () => {
  const script = new Script();
  script.connect();
  for (let index = 0; index < 2; index += 1) script.core.send(increment, 0);
  script.core.flush();
  script.receive(frame(0x85, cbor([1, 6, "full"])));
  script.cut();
  const actions = actionsOf(script.connect({ 2: true }).at(-1).payload);
  assert.deepEqual([actions.first, toHex(actions.items[0]), actions.items.length], [1, "f6", 2]);
});

test("a hub that owes an answer is asked, and then given up", () => {
  const script = new Script();
  script.connect();
  assert.equal(script.core.deadline, undefined);
  script.time = 1000;
  script.core.send(increment, 1000);
  script.core.flush();
  script.sent();
  assert.equal(script.core.deadline, 6000);
  script.core.tick(6000);
  assert.equal(script.sent()[0].kind, 4);
  script.time = 7000;
  script.receive(frame(0x88, cbor(1)));
  assert.equal(script.core.deadline, 12_000);
  script.core.tick(12_000);
  script.core.tick(16_999);
  assert.deepEqual(script.take(), []);
  script.core.tick(17_000);
  assert.equal(script.take()[0].kind, "drop");
});

test("random bytes never bring the client down", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  const next = random(seed);
  for (let round = 0; round < 2000; round += 1) {
    const script = new Script();
    script.connect();
    const scope = attached(script);
    const payload = Uint8Array.from({ length: Math.floor(next() * 20) }, () => Math.floor(next() * 256));
    const kind = 0x81 + Math.floor(next() * 13);
    const bytes = frame(kind, payload, { flags: Math.floor(next() * 2), scope, revision: 2n });
    const drop = script.receive(bytes).find(event => event.kind === "drop");
    assert.ok(drop === undefined || ["ProtocolError", "HubError", "Goodbye"].includes(drop.error.name), `SEED=${seed} ${toHex(bytes)}`);
  }
});

test("paths in users' notation", () => {
  assert.equal(String(new Path(["todos", "todos", { id: 3n }, "text"])), "todos.todos[3].text");
  assert.equal(String(new Path(["todos", { start: -20, count: 20 }])), "todos[-20...]");
  assert.equal(String(new Path()), ".");
});

test("a view is found by its name in the schema of the views", () => {
  const script = new Script();
  script.connect({ 15: new Uint8Array(32).fill(5) });
  const scopes = [new Scope("active", 3), new Scope("tagged[h'f5']", 3), new Scope("missing", 3)];
  for (const scope of scopes) script.core.attach(scope, script.time);
  const [describe, ...others] = script.sent();
  assert.deepEqual([describe.kind, describe.scope, others.length], [8, 3, 0]);
  script.receive(frame(0x8c, cbor([0, "Never",
    ["Views", 0, [], [0, "active", ["Array", "String"], false], [4, "tagged", ["View", "Bool", "Int"], false]]]), { scope: 3 }));
  const attached = script.sent();
  assert.deepEqual(attached.map(one => toHex(one.payload)), ["a20081000203", "a200820481f50203"]);
  script.receive(frame(0x82, cbor([0, 0, cbor(["a"])]), { flags: 1, scope: attached[0].scope }));
  assert.deepEqual(scopes[0].value, ["a"]);
  script.receive(frame(0x89, cbor("it traps"), { scope: attached[0].scope }));
  assert.deepEqual([scopes[0].value, scopes[0].refusal], [undefined, "it traps"]);
  script.receive(frame(0x82, cbor([0, 0, cbor(["b"])]), { flags: 1, scope: attached[0].scope }));
  assert.deepEqual([scopes[0].value, scopes[0].refusal], [["b"], undefined]);
});

test("a path that is too long for hubs fails alone", () => {
  const script = new Script();
  script.connect({ 15: new Uint8Array(32).fill(5) });
  const [longest, longer] = [4090, 4091].map(length => new Scope(new Path(["named", { id: "x".repeat(length) }]), 3));
  for (const scope of [longest, longer]) script.core.attach(scope, script.time);
  script.sent();
  script.receive(frame(0x8c, cbor([0, "Never", ["Views", 0, [], [5, "named", ["View", "String", "Int"], false]]]), { scope: 3 }));
  assert.deepEqual(script.sent().map(({ kind, scope }) => [kind, scope]), [[2, longest.number]]);
  const failures = script.events.filter(({ kind }) => kind === "failed");
  assert.deepEqual(failures.map(({ scope, error }) => [scope === longer, error.message]), [
    [true, "the path has 4097 bytes; hubs take 4096"],
  ]);
});

test("parts beyond a limit wait for a place, and others go on", () => {
  const script = new Script();
  script.connect({ 15: new Uint8Array(32).fill(5) });
  const scopes = [0, 1, 2].map(() => new Scope("active", 3));
  for (const scope of scopes) script.core.attach(scope, script.time);
  script.sent();
  script.receive(frame(0x8c, cbor([0, "Never", ["Views", 0, [], [0, "active", ["Array", "String"], false]]]), { scope: 3 }));
  const attached = script.sent();
  script.receive(frame(0x82, cbor([0, 0, cbor(["a"])]), { flags: 1, scope: attached[0].scope }));
  for (const { scope } of attached.slice(1)) {
    script.receive(frame(0x89, cbor("views of this hub: 1"), { scope }));
    script.receive(frame(0x8a, cbor(12), { scope }));
  }
  assert.deepEqual(scopes.map(scope => [scope.value, scope.refusal, scope.awaitsRoom]), [
    [["a"], undefined, false], [undefined, "views of this hub: 1", true], [undefined, "views of this hub: 1", true],
  ]);
  assert.deepEqual(script.sent(), []);
  // The hub does not have the number of a refused part.
  script.core.detach(scopes[2]);
  assert.deepEqual(script.sent(), []);
  script.core.detach(scopes[0]);
  const [detach, again] = script.sent();
  assert.deepEqual([detach.kind, again.kind], [6, 2]);
  assert.notEqual(again.scope, attached[0].scope);
  script.receive(frame(0x82, cbor([0, 0, cbor(["b"])]), { flags: 1, scope: again.scope }));
  assert.deepEqual([scopes[1].value, scopes[1].refusal, scopes[1].awaitsRoom], [["b"], undefined, false]);
});

test("a part that is refused for another reason than a limit fails alone", () => {
  for (const code of [6, 99]) {
    const { script, scopes } = withRefused(1, 0);
    const refused = new Scope("active", 3);
    script.core.attach(refused, script.time);
    const [request] = script.sent();
    const before = script.events.length;
    script.receive(frame(0x89, cbor("the parameter of 'view:active' is refused"), { scope: request.scope }));
    script.receive(frame(0x8a, cbor(code), { scope: request.scope }));
    const events = script.events.slice(before);
    const failures = events.filter(({ kind }) => kind === "failed");
    assert.deepEqual(failures.map(({ scope, error }) => [scope === refused, error.code, error.text]), [
      [true, code, "the parameter of 'view:active' is refused"],
    ]);
    assert.equal(failures[0].error.reason, code === 6 ? "unknownScope" : "unknown");
    assert.equal(events.some(({ kind }) => kind === "drop"), false);
    // It is asked for no more, also when another one is detached.
    script.core.detach(scopes[0]);
    assert.deepEqual(script.sent().map(({ kind }) => kind), [6]);
    assert.deepEqual([refused.isOverLimit, refused.awaitsRoom, scopes[0].value], [false, false, ["a"]]);
  }
});

/** A script with parts of which the hub has attached some and refused the others. */
function withRefused(attachedCount, refusedCount) {
  const script = new Script();
  script.connect({ 15: new Uint8Array(32).fill(5) });
  const scopes = Array.from({ length: attachedCount + refusedCount }, () => new Scope("active", 3));
  for (const scope of scopes) script.core.attach(scope, script.time);
  script.sent();
  script.receive(frame(0x8c, cbor([0, "Never", ["Views", 0, [], [0, "active", ["Array", "String"], false]]]), { scope: 3 }));
  const requests = script.sent();
  for (const { scope } of requests.slice(0, attachedCount)) {
    script.receive(frame(0x82, cbor([0, 0, cbor(["a"])]), { flags: 1, scope }));
  }
  for (const { scope } of requests.slice(attachedCount)) refuse(script, scope);
  return { script, scopes };
}

function refuse(script, scope) {
  script.receive(frame(0x89, cbor("no room"), { scope }));
  script.receive(frame(0x8a, cbor(12), { scope }));
}

test("each part that waits for room is requested once for a detached part", () => {
  const { script, scopes } = withRefused(1, 3);
  script.core.detach(scopes[0]);
  const [detach, ...again] = script.sent();
  assert.deepEqual([detach.kind, ...again.map(({ kind }) => kind)], [6, 2, 2, 2]);
  refuse(script, again[0].scope);
  script.receive(frame(0x82, cbor([0, 0, cbor(["b"])]), { flags: 1, scope: again[1].scope }));
  refuse(script, again[2].scope);
  assert.deepEqual(scopes.slice(1).map(scope => [scope.value, scope.awaitsRoom]), [
    [undefined, true], [["b"], false], [undefined, true],
  ]);
  assert.deepEqual(script.sent(), []);
});

test("a part that was refused before the hub read of a detached one is requested again", () => {
  const { script, scopes } = withRefused(2, 1);
  script.core.detach(scopes[0]);
  script.core.detach(scopes[1]);
  const [, first] = script.sent();
  assert.equal(first.kind, 2);
  refuse(script, first.scope);
  const [second, ...more] = script.sent();
  assert.deepEqual([second.kind, more, scopes[2].isOverLimit], [2, [], true]);
  refuse(script, second.scope);
  assert.deepEqual(script.sent(), []);
  assert.equal(scopes[2].awaitsRoom, true);
});

test("a window that waits for room waits on while another takes its place, and follows if that is refused", () => {
  const script = new Script();
  script.connect();
  const attach = (path) => {
    const scope = new Scope(path, 0);
    script.core.attach(scope, script.time);
    return { scope, number: script.sent()[0].scope };
  };
  const count = attach("counter.count");
  script.receive(frame(0x82, cbor([0, 0, cbor(1)]), { flags: 1, scope: count.number }));
  const first = attach("todos.todos[0..<3000]");
  refuse(script, first.number);
  const second = attach("todos.todos[0..<2000]");
  refuse(script, second.number);
  script.take();
  script.core.detach(count.scope);
  const [, again, ...others] = script.sent();
  assert.deepEqual([again.kind, others], [2, []]);
  assert.deepEqual(script.take().filter(({ kind }) => kind === "failed"), []);
  assert.deepEqual([first.scope.number, second.scope.awaitsRoom], [again.scope, true]);
  refuse(script, again.scope);
  const [last, ...more] = script.sent();
  assert.deepEqual([second.scope.number, more], [last.scope, []]);
  refuse(script, last.scope);
  assert.deepEqual(script.sent(), []);
});

test("a comparison of a part that the hub has not attached ends", () => {
  const { script } = withRefused(1, 0);
  const scope = new Scope("active", 3);
  script.core.attach(scope, script.time);
  const number = script.sent().at(-1).scope;
  script.receive(frame(0x89, cbor("no room"), { scope: number }));
  assert.equal(script.core.verify(scope, script.time), true);
  const verified = script.receive(frame(0x8a, cbor(12), { scope: number })).filter(({ kind }) => kind === "verified");
  assert.deepEqual(verified.map(({ isEqual }) => isEqual), [undefined]);
  assert.equal(script.core.verify(scope, script.time), false);
});

test("a hub without views is not asked for them", () => {
  const script = new Script();
  script.connect();
  script.core.attach(new Scope("active", 3), script.time);
  assert.deepEqual(script.sent(), []);
});

/** A schema whose state has trees by their own shapes, and whose actions are trees. */
const trees = cbor([
  0, 1, ["State", 0, [], [0, "trees", ["IdentifiedArray", 1, 2], false]], ["Tree", 0, [], [0, "children", ["Array", 1], false]],
  ["Entry", 0, [0], [0, "id", 1, false]],
]);
const tree = count => {
  let value = { children: [] };
  for (let level = 1; level < count; level += 1) value = { children: [value] };
  return value;
};

test("an action that is nested too deep is refused before anything is sent", () => {
  const script = new Script();
  script.connect({}, trees);
  const ring = tree(1);
  ring.children.push(ring);
  for (const action of [tree(65), tree(700), tree(100_000), ring]) {
    assert.throws(() => script.core.send(action, 0), { name: "ValueError" });
  }
  script.core.flush();
  assert.deepEqual([script.core.pendingCount, script.sent()], [0, []]);
  script.core.send(tree(64), 0);
  script.core.flush();
  assert.deepEqual(script.sent().map(({ kind }) => kind), [3]);
});

test("an action is written for another schema as it was sent, whatever has become of the program's value", () => {
  const script = new Script();
  script.connect({}, trees);
  const [deep, broken] = [tree(1), tree(1)];
  script.core.send(deep, 0);
  script.core.send(broken, 0);
  script.cut();
  deep.children.push(deep);
  Object.defineProperty(broken, "children", { get: () => { throw new RangeError("no children"); }, enumerable: true });
  const other = cbor([0, 1, ["State", 0, [], [0, "trees", ["IdentifiedArray", 1, 2], false]], ["Tree", 0, [], [0, "children", ["Array", 1], true]],
    ["Entry", 0, [0], [0, "id", 1, false]]]);
  const frames = script.connect({ 6: new Uint8Array(32).fill(2) }, other);
  script.core.flush();
  const actions = actionsOf([...frames, ...script.sent()].find(({ kind }) => kind === 3).payload);
  assert.deepEqual(actions.items.map(toHex), ["a10080", "a10080"]);
});

test("an id that is nested too deep fails alone", () => {
  const script = new Script();
  script.connect({}, trees);
  const path = id => new Path(["trees", { id }]);
  const ring = tree(1);
  ring.children.push(ring);
  const written = `trees[h'${"a10081".repeat(64)}a10080']`;
  for (const wrong of [path(tree(65)), path(tree(700)), path(tree(100_000)), path(ring), written]) {
    script.core.attach(new Scope(wrong, 0), 0);
    const [failed] = script.take();
    assert.deepEqual([failed.kind, failed.error.name], ["failed", "PathError"], failed.error.message);
    assert.match(failed.error.message, /more than 64 deep/);
  }
  assert.deepEqual(script.sent(), []);
  script.core.attach(new Scope(path(tree(64)), 0), 0);
  assert.deepEqual(script.sent().map(({ kind }) => kind), [2]);
});

test("half of a surrogate pair in a path or in the parameter of a view fails alone", () => {
  const script = new Script();
  script.connect({}, cbor([0, "Bool", ["State", 0, [], [0, "rows", ["IdentifiedArray", "String", 1], false]],
    ["Row", 0, [0], [0, "id", "String", false]]]));
  for (const path of ["rows[\"a\ud800\"]", "rows[\"a\\ud800\"]", "rows[a\ud800]", new Path(["rows", { id: "a\ud800" }]), "`a\ud800`", new Path(["a\ud800"])]) {
    script.core.attach(new Scope(path, 0), 0);
    const [failed] = script.take();
    assert.deepEqual([failed?.kind, failed?.error.name], ["failed", "PathError"], `${path}`);
  }
  assert.deepEqual(script.sent(), []);
  const views = new Script();
  views.connect({ 15: new Uint8Array(32).fill(3) });
  for (const path of ["find[\"a\ud800\"]", "a\ud800"]) {
    views.core.attach(new Scope(path, 3), 0);
    if (views.sent().some(({ kind }) => kind === 8)) {
      views.receive(frame(0x8c, cbor([0, "Bool", ["Views", 0, [], [0, "find", ["View", "String", "Int"], false]]]), { scope: 3 }));
    }
    views.take();
    const failed = views.events.splice(0).find(({ kind }) => kind === "failed");
    assert.equal(failed?.error.name, "PathError", path);
  }
  assert.deepEqual(views.sent(), []);
  views.core.attach(new Scope('find["a"]', 3), 0);
  assert.deepEqual(views.sent().map(({ kind }) => kind), [2]);
});

test("a path that is none fails alone, and stays nowhere", () => {
  const script = new Script();
  script.connect();
  const wrong = [null, undefined, 5, {}, { steps: null }, { steps: [null] }, { steps: [5] }];
  for (const path of wrong) {
    script.core.attach(new Scope(path, 0), 0);
    const [failed] = script.take();
    assert.deepEqual([failed.kind, failed.error.name], ["failed", "PathError"]);
  }
  const scope = count();
  attached(script, scope);
  assert.deepEqual([scope.value, script.take().map(({ kind }) => kind)], [0n, []]);
});

test("a client that is closed while an action is read keeps nothing", () => {
  const script = new Script();
  script.connect();
  const action = { case: "counter", get value() { script.core.close(); return increment.value; } };
  assert.throws(() => script.core.send(action, 0), { name: "NotSent", reason: "closed" });
  assert.equal(script.core.pendingCount, 0);
});
