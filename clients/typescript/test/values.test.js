import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { toHex } from "../dist/cbor/bytes.js";
import { CborReader } from "../dist/cbor/reader.js";
import { CborWriter } from "../dist/cbor/writer.js";
import { extendSequence } from "../dist/hashing/sequence.js";
import { xxh3 } from "../dist/hashing/xxh3.js";
import { encoded } from "../dist/values/codec.js";
import { Codecs } from "../dist/values/codecs.js";
import { hashOf, summaryOf } from "../dist/values/hash.js";
import { memberNames, readSchema, recursiveDefinitions } from "../dist/values/schema.js";
import { elementWithID, HubDate, Opaque } from "../dist/values/types.js";
import { bytesOf, sections } from "./golden.js";
import { random, Values } from "./random.js";
import { cbor } from "./script.js";

const write = (codec, value) => toHex(CborWriter.bytes(writer => codec.write(writer, value)));
const read = (codec, hex) => CborReader.whole(bytesOf(hex), reader => codec.read(reader));

/** Calls a function with each section of a file that has values, and the codec of its state. */
function forEachValue(file, name, body) {
  let count = 0;
  let schema, codec;
  for (const section of sections(file)) {
    if (section.fields.schema) {
      schema = readSchema(bytesOf(section.fields.schema));
      codec = new Codecs(schema).of(schema.state);
    } else if (section.name === name) {
      body(section.fields, codec, schema);
      count += 1;
    }
  }
  assert.ok(count > 10, `${file} has only ${count} sections`);
}

test("golden deltas lead from the old value to the new one, and values keep their bytes", () => {
  forEachValue("deltas.txt", "delta", ({ old, new: after, delta }, codec) => {
    const value = read(codec, old);
    assert.equal(write(codec, value), old);
    let changed;
    try {
      changed = CborReader.whole(bytesOf(delta), reader => codec.change(reader, value));
    } catch (error) {
      // The ids of these elements are computed by the feature's code.
      assert.equal(error.name, "OpaqueChangeError", error.stack);
      return;
    }
    assert.equal(write(codec, changed), after);
    assert.equal(write(codec, value), old, "the old value has changed");
  });
});

test("golden hashes and summaries", () => {
  forEachValue("hashes.txt", "hash", ({ value: hex, summary, hash }, codec) => {
    const value = read(codec, hex);
    assert.equal(toHex(summaryOf(codec, value)), summary);
    assert.equal(hashOf(codec, value).toString(16).padStart(16, "0"), hash);
  });
});

test("random values of the golden schemas survive writing and reading", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  const next = random(seed);
  for (const section of sections("deltas.txt").filter(section => section.fields.schema)) {
    const schema = readSchema(bytesOf(section.fields.schema));
    const codec = new Codecs(schema).of(schema.state);
    for (let round = 0; round < 40; round += 1) {
      const value = new Values(schema, next).of(schema.state);
      const hex = write(codec, value);
      assert.equal(write(codec, read(codec, hex)), hex, `SEED=${seed}`);
    }
  }
});

test("the hash function gives the hashes of libxxhash for every length", () => {
  const bytes = new Uint8Array(100001);
  let x = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    x = (Math.imul(x, 1103515245) + 12345) & 0x7fffffff;
    bytes[index] = (x >> 16) & 255;
  }
  const lines = readFileSync(new URL("vectors/xxh3.txt", import.meta.url), "utf8").split("\n");
  for (const line of lines.filter(line => line && !line.startsWith("#"))) {
    const [length, hash] = line.split(" ");
    // At an odd place, too.
    const shifted = new Uint8Array(Number(length) + 1);
    shifted.set(bytes.subarray(0, Number(length)), 1);
    assert.equal(xxh3(shifted.subarray(1)).toString(16).padStart(16, "0"), hash, `length ${length}`);
  }
});

test("the hash of a sequence is the polynomial of section 13", () => {
  const [p, base] = [2n ** 61n - 1n, 0x13c6ef372fe94f8en];
  const hashes = [0n, 1n, p - 1n, p, p + 1n, 2n ** 64n - 1n, 0x0123456789abcdefn];
  let sequence = 0n;
  for (const hash of hashes) sequence = extendSequence(sequence, hash);
  const expected = hashes.reduce((sum, hash, index) => (sum + hash * base ** BigInt(hashes.length - 1 - index)) % p, 0n);
  assert.equal(sequence, expected);
});

test("what is not deterministic CBOR is refused", () => {
  const skip = hex => CborReader.whole(bytesOf(hex), reader => reader.skip());
  const refused = [
    "", "1817", "190017", "1a00000017", "1b0000000000000017", "1c", "1f", "3817", "5f", "5f4100ff", "41", "7f", "61ff", "62c080",
    "63eda080", "81", "9f00ff", "9bffffffffffffffff", "5bffffffffffffffff", "bbffffffffffffffff", "a10", "a20100", "a201000000",
    "a2010001", "a200000000", "f800", "f81f", "f9", "fa00000000", "fa7fc00000", "fb0000000000000000", "fb7ff8000000000000",
    "fc", "ff", "0000", "fb3ff0000000000000", "fa3f800000",
  ];
  for (const hex of refused) {
    if (hex.length % 2 === 0) assert.throws(() => skip(hex), { name: "ProtocolError" }, hex);
  }
  assert.throws(() => skip("81".repeat(700) + "00"), { name: "ProtocolError" });
  for (const hex of ["00", "f97e00", "f90000", "fa7fc00001", "fb3fb999999999999a", "c249010000000000000000", "f8ff", "e0"]) skip(hex);
});

test("bytes that were changed at random never give anything but a value or a ProtocolError", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  const next = random(seed);
  let accepted = 0;
  forEachValue("deltas.txt", "delta", ({ old, delta }, codec) => {
    const value = read(codec, old);
    for (let round = 0; round < 60; round += 1) {
      const bytes = bytesOf(delta).slice();
      bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      try {
        const changed = CborReader.whole(bytes, reader => codec.change(reader, value));
        write(codec, changed);
        accepted += 1;
      } catch (error) {
        assert.ok(["ProtocolError", "OpaqueChangeError"].includes(error.name), `SEED=${seed} ${toHex(bytes)} ${error.stack}`);
      }
    }
  });
  assert.ok(accepted > 0);
});

test("changes that do not fit are refused", () => {
  const schema = readSchema(bytesOf(schemaOfItems()));
  const codec = new Codecs(schema).of(schema.state);
  const item = (id, title) => ({ id, title, tags: [], isDone: false });
  const value = [item(1n, "a"), item(2n, "b")];
  const apply = hex => CborReader.whole(bytesOf(hex), reader => codec.change(reader, value));
  assert.deepEqual(apply("a0"), value);
  for (const [what, hex] of [
    ["the removal of an element that is not there", "a1008103"],
    ["the same removed twice", "a100820101"],
    ["removed and moved", "a200810101820001"],
    ["moved beyond the end", "a101820501"],
    ["two moves to one place", "a1018400010002"],
    ["half a pair", "a1018100"],
    ["the change of an element that is not there", "a1038203a0"],
    ["a change of the id", "a1038201a10005"],
    ["a part that changes do not have", "a1048101"],
    ["the insertion of an element that is there", "a1028200a400020160078008f4"],
    ["an id of another type", "a100816131"],
  ]) {
    assert.throws(() => apply(hex), { name: "ProtocolError" }, what);
  }
});

/** The golden schema of an identified array of items. */
function schemaOfItems() {
  const found = sections("deltas.txt").filter(section => section.fields.notation?.startsWith('[["IdentifiedArray", "Int", 0]'));
  assert.ok(found.length > 0, "no golden schema of an identified array");
  return found[0].fields.schema;
}

test("unchanged parts stay the same objects", () => {
  const schema = readSchema(bytesOf(schemaOfItems()));
  const codec = new Codecs(schema).of(schema.state);
  const value = [1n, 2n].map(id => ({ id, title: "", tags: [], isDone: false }));
  const changed = CborReader.whole(bytesOf("a1038202a1016161"), reader => codec.change(reader, value));
  assert.equal(changed[0], value[0]);
  assert.equal(changed[1].title, "a");
  assert.equal(changed[1].tags, value[1].tags);
});

test("new values in changes that merge have the golden bytes", () => {
  let count = 0;
  let schema;
  for (const { name, fields } of sections("changes.txt")) {
    if (fields.schema) schema = readSchema(bytesOf(fields.schema));
    // A map is a change inside the old value, which this client does not write.
    if (name !== "change" || /^[ab]/.test(fields.change)) continue;
    const codecs = new Codecs(schema);
    const value = read(codecs.of(schema.state), fields.new);
    assert.equal(write(codecs.of({ name: "Change", parts: [schema.state] }), { set: value }), fields.change);
    count += 1;
  }
  assert.ok(count > 5);
  const named = name => ({ name, parts: [] });
  const counter = { name: "raw", parts: [named("SharedCounter"), named("Int")] };
  const change = new Codecs(schema).of({ name: "Change", parts: [counter] });
  assert.equal(write(change, { add: -3n }), "a10022");
  assert.throws(() => write(change, { set: 3n }), { name: "ValueError" });
  // A hub refuses a difference of more than 128 bits without saying what it was.
  for (const add of [1n << 127n, -(1n << 127n) - 1n, 1n << 200n]) {
    assert.throws(() => write(change, { add }), { name: "ValueError", message: /^add: expected a bigint from -17014/ });
  }
  for (const add of [(1n << 127n) - 1n, -(1n << 127n)]) assert.ok(write(change, { add }).startsWith("a100c"));
  for (const both of [{ set: 3n, add: 1n }, { set: undefined, add: 1n }]) {
    assert.throws(() => write(change, both), { name: "ValueError", message: /not both/ });
  }
});

test("the values of a case have the names that README.md says", () => {
  assert.deepEqual(memberNames([""]), ["value"]);
  assert.deepEqual(memberNames(["by"]), ["by"]);
  assert.deepEqual(memberNames(["", "before"]), ["_0", "before"]);
  assert.deepEqual(memberNames(["case", "x"]), ["_0", "_1"]);
  assert.deepEqual(memberNames(["case"]), ["_0"]);
  assert.deepEqual(memberNames(["x", "x"]), ["_0", "_1"]);
  assert.deepEqual(memberNames(["_1", ""]), ["_0", "_1"]);
});

test("dates keep all digits, and changed ones their milliseconds", () => {
  const date = new HubDate(812345678.123456789);
  assert.equal(HubDate.seconds(date), 812345678.123456789);
  assert.equal(date.getTime(), Math.trunc(978307200000 + 812345678123.456789));
  date.setTime(978307200000);
  assert.equal(HubDate.seconds(date), 0);
  assert.equal(HubDate.seconds(new Date("2001-01-01T00:00:01.5Z")), 1.5);
});

test("elements are found by ids of any type", () => {
  assert.equal(elementWithID([{ id: 1n }, { id: 2n }], 2n)?.id, 2n);
  assert.equal(elementWithID([{ id: { x: 1n, y: 2n } }], { x: 1n, y: 2n })?.id.y, 2n);
  assert.equal(elementWithID([{ id: 1n }], 3n), undefined);
});

/** A schema in which values of all kinds contain values of their own type. */
const nested = (() => {
  const types = [
    ["Tree", 0, [], [0, "children", ["Array", 0], false]],
    ["List", 1, [0, "end"], [1, "cons", "", "Int", "", 1]],
    ["Group", 0, [], [0, "members", ["Set", 2], false]],
    ["Table", 0, [], [0, "pairs", ["Dictionary", 3, 3], false]],
    ["Screen", 0, [], [0, "sheet", ["PresentationState", 4], true]],
    ["Page", 0, [], [0, "stack", ["StackState", 5], false]],
    ["Row", 0, [0], [0, "id", "Int", false], [1, "rows", ["IdentifiedArray", "Int", 6], false]],
  ];
  const codecs = new Codecs(readSchema(cbor(["Bool", "Bool", ...types])));
  const deep = (make, end) => count => {
    let value = end();
    for (let level = 1; level < count; level += 1) value = make(value);
    return value;
  };
  return {
    // Each with a value that counts so many times for nesting, and one that contains itself.
    Tree: [0, deep(inner => ({ children: [inner] }), () => ({ children: [] })), value => value.children.push(value)],
    List: [1, count => deep(inner => ({ case: "cons", _0: 1n, _1: inner }), () => ({ case: "end" }))(count + 1), undefined],
    Group: [2, deep(inner => ({ members: new Set([inner]) }), () => ({ members: new Set() })), value => value.members.add(value)],
    "Table's keys": [3, deep(inner => ({ pairs: new Map([[inner, { pairs: new Map() }]]) }), () => ({ pairs: new Map() })), value => value.pairs.set(value, value)],
    "Table's values": [3, deep(inner => ({ pairs: new Map([[{ pairs: new Map() }, inner]]) }), () => ({ pairs: new Map() })), undefined],
    Screen: [4, count => deep(inner => ({ sheet: inner }), () => ({ sheet: null }))(count + 1), value => (value.sheet = value)],
    Page: [5, deep(inner => ({ stack: [{ id: 0n, element: inner }] }), () => ({ stack: [] })), undefined],
    Row: [6, deep(inner => ({ id: 0n, rows: [inner] }), () => ({ id: 0n, rows: [] })), value => value.rows.push(value)],
    codecs,
  };
})();

test("values that are nested more than 64 deep are refused, and those that contain themselves", () => {
  const { codecs, ...kinds } = nested;
  for (const [name, [type, make, tie]] of Object.entries(kinds)) {
    const codec = codecs.of(type);
    const hex = toHex(encoded(codec, make(64)));
    assert.equal(write(codec, read(codec, hex)), hex, name);
    for (const count of [65, 700, 100_000]) {
      assert.throws(() => encoded(codec, make(count)), { name: "ValueError", message: /more than 64 deep/ }, `${name} ${count}`);
    }
    const value = make(1);
    if (tie) tie(value);
    if (tie) assert.throws(() => encoded(codec, value), { name: "ValueError", message: /more than 64 deep/ }, name);
  }
});

test("what is read at one place is counted anew where it is written", () => {
  const codec = nested.codecs.of(2);
  const group = count => nested.Group[1](count);
  const known = read(codec, toHex(encoded(codec, group(60))));
  let value = known;
  for (let level = 0; level < 5; level += 1) value = { members: new Set([value]) };
  assert.throws(() => encoded(codec, value), { name: "ValueError" });
});

test("URLs and opaque values are not deeper than hubs take", () => {
  const codecOf = name => nested.codecs.of({ name, parts: [] });
  const url = { url: "a", base: "b" };
  assert.equal(write(codecOf("URL"), url), "8261616162");
  url.base = url;
  assert.throws(() => encoded(codecOf("URL"), url), { name: "ValueError" });
  const opaque = depth => new Opaque(bytesOf(`${"81".repeat(depth)}00`));
  assert.equal(encoded(codecOf("Unheard"), opaque(320)).length, 321);
  for (const depth of [321, 700, 100_000]) {
    assert.throws(() => encoded(codecOf("Unheard"), opaque(depth)), { name: "ValueError" });
  }
  const change = nested.codecs.of({ name: "Change", parts: [{ name: "Int", parts: [] }] });
  assert.throws(() => encoded(change, opaque(321)), { name: "ValueError" });
});

test("a schema of very many definitions is read in time and memory of its size", () => {
  const many = 20_000;
  const next = index => [`T${index}`, 1, [0, "end"], [1, "next", "", index + 1 < many ? index + 1 : "Int"], [2, "other", "", Math.min(index + 2, many - 1)]];
  const schema = readSchema(cbor([0, "Bool", ...Array.from({ length: many }, (_, index) => next(index))]));
  assert.deepEqual([...recursiveDefinitions(schema)], [many - 1]);
  const ring = readSchema(cbor([0, "Bool", ["A", 1, [0, "b", "", 1]], ["B", 1, [0, "c", "", 2], [1, "d", "", 3]], ["C", 1, [0, "end"], [1, "a", "", 0]],
    ["D", 1, [0, "end"], [1, "e", "", ["Array", 3]], [2, "f", "", 4]], ["E", 1, [0, "end"], [1, "self", "", ["raw", "x", ["Optional", 4]]]]]));
  assert.deepEqual([...recursiveDefinitions(ring)].sort(), [0, 1, 2, 4]);
});

test("an array with a hole is refused", () => {
  const text = nested.codecs.of({ name: "TextState", parts: [] });
  assert.throws(() => encoded(text, [{ text: "a" }, , { text: "b" }]), { name: "ValueError", message: /^1: / });
  const codec = nested.codecs.of({ name: "Array", parts: [{ name: "Int", parts: [] }] });
  assert.throws(() => encoded(codec, [1n, , 2n]), { name: "ValueError", message: /^1: / });
});

test("a text with half of a surrogate pair is refused wherever it is written, and whole pairs are not", () => {
  const named = (name, ...parts) => ({ name, parts });
  const text = named("String");
  const whole = ["", "a\u{1f4a7}b", "\ud83d\udca7", `${"x".repeat(30)}\u{10ffff}`, "\ufffd"];
  const half = ["\ud800", "a\ud800b", "\udc00", "\udca7\ud83d", `${"x".repeat(30)}\ud83d`, "\ud83d\ud83d\udca7"];
  const places = [
    [text, one => one], [named("Character"), one => one], [named("URL"), one => one],
    [named("URL"), url => ({ url, base: "b" })], [named("URL"), base => ({ url: "a", base })],
    [named("Array", text), one => [one]], [named("Optional", text), one => one], [named("Set", text), one => new Set([one])],
    [named("Dictionary", text, text), one => new Map([[one, "a"]])], [named("Dictionary", text, text), one => new Map([["a", one]])],
    [named("TextState"), one => [{ text: one }]], [named("TextState"), one => [{ text: "a", accessibilityLabel: one }]],
    [named("Change", text), set => ({ set })],
  ];
  const check = () => {
    for (const [type, make] of places) {
      const codec = nested.codecs.of(type);
      for (const one of half) {
        assert.throws(() => encoded(codec, make(one)), { name: "ValueError", message: /surrogate/ }, `${type.name} ${JSON.stringify(one)}`);
      }
      for (const one of whole) encoded(codec, make(one));
    }
  };
  check();
  // Node 18 does not have the method.
  const { isWellFormed } = String.prototype;
  delete String.prototype.isWellFormed;
  try {
    check();
  } finally {
    if (isWellFormed) Object.defineProperty(String.prototype, "isWellFormed", { value: isWellFormed, writable: true, configurable: true });
  }
});

test("each part of a value is read once: what it is the next time does not matter", () => {
  const named = (name, ...parts) => ({ name, parts });
  const codecs = new Codecs(readSchema(cbor([
    "Bool", "Bool", ["Pair", 0, [], [0, "a", "Int", true], [1, "b", ["Optional", "Int"], true]],
    ["Item", 0, [], [0, "pair", 0, true]], ["Choice", 1, [0, "none"], [1, "one", "", "Int"]],
  ])));
  // Each member is something else each time, and the first one is right.
  const changing = parts => Object.defineProperties({}, Object.fromEntries(Object.entries(parts).map(([name, [...values]]) => [name, {
    enumerable: true, get: () => (values.length > 1 ? values.shift() : values[0]),
  }])));
  const date = new HubDate(1);
  Object.defineProperty(date, "secondsSince2001", { value: "x" });
  date.setTime(NaN);
  const cases = [
    [0, changing({ a: [1n, undefined], b: [2n, null] }), "a20001018102"],
    [0, changing({ a: [undefined, 1n], b: [undefined, 2n] }), "a101f6"],
    [named("Change", 0), { set: changing({ a: [1n, undefined], b: [undefined, 2n] }) }, "a10001"],
    [2, changing({ case: ["one", "none"], value: [1n, 2n] }), "820101"],
    [named("URL"), changing({ url: ["a", undefined], base: ["b", undefined] }), "8261616162"],
    [named("Duration"), changing({ seconds: [1n, "x"], attoseconds: [2n, 0.5] }), "820102"],
    [named("Date"), date, undefined],
    [named("TextState"), [changing({ text: ["a", 5], bold: [true, false], color: ["black", undefined] })], "82"],
  ];
  for (const [type, value, hex] of cases) {
    if (hex === undefined) assert.throws(() => encoded(codecs.of(type), value), { name: "ValueError" });
    else if (hex.length > 2) assert.equal(toHex(encoded(codecs.of(type), value)), hex, JSON.stringify(type));
    else CborReader.whole(encoded(codecs.of(type), value), reader => reader.skip());
  }
  const opaque = new Opaque(bytesOf("00"));
  const bytes = [bytesOf("00"), bytesOf("ff")];
  Object.defineProperty(opaque, "bytes", { get: () => bytes.shift() });
  assert.equal(toHex(encoded(codecs.of(named("Unheard")), opaque)), "00");
});
