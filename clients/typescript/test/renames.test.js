// Actions that wait for a hub that comes back with other names of fields and cases (PROTOCOL.md, 11.2).

import assert from "node:assert/strict";
import test from "node:test";
import { toHex } from "../dist/cbor/bytes.js";
import { CborReader } from "../dist/cbor/reader.js";
import { readSchema } from "../dist/values/schema.js";
import { Codecs } from "../dist/values/codecs.js";
import { codecsNamedBy } from "../dist/values/renames.js";
import { actionsOf, cbor, frame, Script } from "./script.js";

/** A feature with these cases of its actions. */
const schema = (cases, ...more) => cbor([0, 1, ["State", 0, [], [0, "count", "Int", true]], ["Action", 1, ...cases], ...more]);

const old = schema([[0, "reset"], [1, "added", "", "Int"]]);
// The former case comes first, so that its key is another one, under which the old hub had a different action.
const renamed = schema([[0, "counted", "", "Int", ["added"]], [1, "reset"], [2, "halved"]]);
const tallied = (...former) => schema([[5, "reset"], [6, "tallied", "", "Int", former]]);

let hubs = 0;

/** The hub begins with a schema: the actions that the client then sends, in hexadecimal. */
function live(script, described, { processed, history = 1 } = {}) {
  hubs += 1;
  const keys = { 2: processed !== undefined, 3: processed ?? 0, 6: new Uint8Array(32).fill(hubs), 7: history };
  return sent(script, script.connect(keys, described));
}

/** The hub restarts with another schema. */
function again(script, described, keys = { processed: 0 }) {
  script.cut();
  return live(script, described, keys);
}

function sent(script, frames = []) {
  script.core.flush();
  return [...frames, ...script.sent()].filter(({ kind }) => kind === 3).flatMap(({ payload }) => actionsOf(payload).items.map(toHex));
}

const hex = (...items) => items.map(item => toHex(cbor(item)));
const none = "f6";

/** What becomes of an action that was written for one schema, on a hub with another one: null for an action of no feature. */
function rewritten(from, to, value) {
  const script = new Script();
  live(script, from);
  const action = script.core.send(value, 0);
  sent(script);
  again(script, to);
  if (toHex(action.bytes) === none) return null;
  const codecs = new Codecs(readSchema(to));
  return CborReader.whole(action.bytes, reader => codecs.of(codecs.schema.action).read(reader));
}

const outcomes = script => script.events.filter(({ kind }) => kind === "outcome").map(({ outcome }) => [outcome.action.number, outcome.error]);

test("the client asks for former names", () => {
  const script = new Script();
  const frames = script.connect();
  assert.deepEqual(frames.filter(({ kind }) => kind === 8).map(({ flags }) => flags), [2]);
});

test("an action is sent under its new name once", () => {
  const script = new Script();
  live(script, old);
  script.core.send({ case: "added", value: 2n }, 0);
  script.core.send({ case: "reset" }, 0);
  assert.deepEqual(sent(script), hex([1, 2], 0));
  script.cut();
  script.core.send({ case: "added", value: 3n }, 0);
  // The hub has processed the first one before it ended.
  assert.deepEqual(live(script, renamed, { processed: 1 }), hex(1, [0, 3]));
  script.receive(frame(0x84, cbor(3)));
  assert.deepEqual(outcomes(script), [[1, undefined], [2, undefined], [3, undefined]]);
  assert.deepEqual(again(script, renamed, { processed: 3 }), []);
});

test("the marks of either side are enough", () => {
  assert.deepEqual(rewritten(old, renamed, { case: "added", value: 2n }), { case: "counted", value: 2n });
  assert.deepEqual(rewritten(renamed, old, { case: "counted", value: 2n }), { case: "added", value: 2n });
});

test("names that change twice are followed, and versions are not chained by marks alone", () => {
  const script = new Script();
  live(script, old);
  script.core.send({ case: "added", value: 2n }, 0);
  sent(script);
  assert.deepEqual(again(script, renamed), hex([0, 2]));
  assert.deepEqual(again(script, tallied("counted")), hex([6, 2]));
  // And back.
  assert.deepEqual(again(script, renamed), hex([0, 2]));
  // What one hub does not have, the next one may.
  assert.deepEqual(again(script, schema([[0, "reset"]])), [none]);
  assert.deepEqual(again(script, old), hex([1, 2]));
  assert.equal(rewritten(old, tallied("counted"), { case: "added", value: 2n }), null);
  assert.deepEqual(rewritten(old, tallied("counted", "added"), { case: "added", value: 2n }), { case: "tallied", value: 2n });
});

test("a present name is more certain than a former one", () => {
  const before = schema([[0, "a", "", "Int"], [1, "b", "", "Int"]]);
  const after = schema([[0, "b", "", "Int"], [1, "c", "", "Int", ["a"]]]);
  assert.deepEqual(rewritten(before, after, { case: "a", value: 1n }), { case: "c", value: 1n });
  assert.deepEqual(rewritten(before, after, { case: "b", value: 1n }), { case: "b", value: 1n });
});

test("a name that fits two is refused, and others are sent", () => {
  // By its own mark the case was `p`, and by the new one's it is `y` now.
  const before = schema([[0, "x", "", "Int", ["p"]], [1, "reset"]]);
  const after = schema([[0, "p", "", "Int"], [1, "y", "", "Int", ["x"]], [2, "reset"]]);
  assert.equal(rewritten(before, after, { case: "x", value: 1n }), null);
  assert.deepEqual(rewritten(before, after, { case: "reset" }), { case: "reset" });
  const two = schema([[0, "x", "", "Int"], [1, "y", "", "Int"]]);
  for (const name of ["x", "y"]) {
    assert.equal(rewritten(two, schema([[0, "z", "", "Int", ["x", "y"]]]), { case: name, value: 1n }), null);
  }
});

test("a renamed case with other values is another one", () => {
  for (const values of [[], ["by", "Int"], ["", "Int", "", "Int"], ["", "String"]]) {
    assert.equal(rewritten(old, schema([[0, "counted", ...values, ["added"]]]), { case: "added", value: 2n }), null);
  }
});

test("fields and cases at any depth are renamed", () => {
  const version = (type, isNew) => schema([[0, "edit", "", type]],
    ["Edit", 0, [], isNew ? [0, "body", "String", false, ["text"]] : [0, "text", "String", false], [1, "kind", 3, true]],
    ["Kind", 1, ...(isNew ? [[0, "strong", ["bold"]], [1, "plain"]] : [[0, "plain"], [1, "bold"]])]);
  const before = { text: "a", kind: { case: "bold" } };
  const after = { body: "a", kind: { case: "strong" } };
  for (const [type, value, result] of [
    [2, before, after], [["Optional", 2], before, after], [["Optional", 2], null, null], [["Array", 2], [before], [after]],
    [["Dictionary", "Int", ["Array", 3]], new Map([[1n, [before.kind]]]), new Map([[1n, [after.kind]]])],
    [["Result", 2, 3], { case: "failure", value: before.kind }, { case: "failure", value: after.kind }],
  ]) {
    assert.deepEqual(rewritten(version(type, false), version(type, true), { case: "edit", value }), { case: "edit", value: result });
  }
});

test("types that contain themselves are followed, and count for nesting as the hub's do", () => {
  const before = schema([[0, "put", "", 2]], ["First", 1, [0, "leaf"], [1, "node", "", 3]], ["Rest", 1, [0, "leaf"], [1, "node", "", 3]]);
  const after = schema([[0, "put", "", 2]], ["Tree", 1, [0, "branch", "", 2, ["node"]], [1, "leaf"]]);
  const nested = (count, name) => (count === 0 ? { case: "leaf" } : { case: name, value: nested(count - 1, name) });
  const put = (count, name) => ({ case: "put", value: nested(count, name) });
  assert.deepEqual(rewritten(before, after, put(64, "node")), put(64, "branch"));
  assert.equal(rewritten(before, after, put(65, "node")), null);
});

test("a change that merges has no value, and is written by its own names", () => {
  const note = (...fields) => ["Note", 0, [], ...fields];
  const before = schema([[0, "merge", "", ["Change", 2]]], note([0, "title", "String", true], [1, "body", "String", true]));
  const after = schema([[3, "merged", "", ["Change", 2], ["merge"]]],
    note([0, "body", "String", true], [1, "heading", "String", true, ["title"]]));
  const script = new Script();
  live(script, before);
  script.core.send({ case: "merge", value: { set: { title: "a" } } }, 0);
  sent(script);
  assert.deepEqual(again(script, after), hex([3, new Map([[1, "a"]])]));
  assert.deepEqual(again(script, before), hex([0, new Map([[0, "a"]])]));
});

test("hostile former names are no schema", () => {
  for (const cases of [
    [[0, "a", ["x"]], [1, "b", ["x"]]], [[0, "a", ["b"]], [1, "b"]], [[0, "a", ["a"]]], [[0, "a", ["x", "x"]]], [[0, "a", []]],
    [[0, "a", "x"]], [[0, "a", [1]]], [[0, "a", [["x"]]]], [[0, "a", Array.from({ length: 65 }, (_, index) => `${index}`)]],
  ]) {
    assert.throws(() => readSchema(schema(cases)), { name: "ProtocolError" });
    const fields = cases.map(([key, name, ...former]) => [key, name, "Int", true, ...former]);
    assert.throws(() => readSchema(schema([], ["More", 0, [], ...fields])), { name: "ProtocolError" });
  }
  readSchema(schema([[0, "a", Array.from({ length: 64 }, (_, index) => `${index}`)]]));
});

test("many pairs of types end", () => {
  // Two circles whose lengths have no common divisor: each of the types of one meets each of the other.
  const circle = (count, ...mark) => new Codecs(readSchema(cbor([0, 0, ...Array.from({ length: count }, (_, index) =>
    [`T${index}`, 1, [0, mark.length ? "end" : "stop", ...mark], [1, "on", "", (index + 1) % count]])])));
  const { schema: named } = codecsNamedBy(circle(299), circle(300, ["stop"]));
  assert.ok(named.definitions.length < 100_000);
  assert.equal(named.definitions[0].cases[0].name, "stop");
});
