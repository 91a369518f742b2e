// Random numbers from a seed, and random values of a schema's types.

import { HubDate, Opaque } from "../dist/values/types.js";

/** A generator of numbers from 0 to 1 (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Values {
  constructor(schema, next) {
    this.schema = schema;
    this.next = next;
    this.ids = 0;
  }

  below(count) {
    return Math.floor(this.next() * count);
  }

  bits(count) {
    let value = 0n;
    const size = this.below(count + 1);
    for (let index = 0; index < size; index += 1) value = (value << 1n) | BigInt(this.below(2));
    return value;
  }

  text() {
    const alphabet = ["a", "Z", "0", " ", "é", "€", "😀", "\0", "\ufeff"];
    return Array.from({ length: this.below(40) }, () => alphabet[this.below(alphabet.length)]).join("");
  }

  float() {
    const choices = [0, -0, 1.5, 65504, 65520, 2 ** -24, 2 ** -25, 3.4e38, 0.1, 1e300, Infinity, -Infinity, NaN, this.next()];
    return choices[this.below(choices.length)];
  }

  bytes(size) {
    return Uint8Array.from({ length: size }, () => this.below(256));
  }

  many(make, most = 4) {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  of(type, depth = 0) {
    if (typeof type === "number") return this.defined(this.schema.definitions[type], depth);
    const [first, second] = type.parts;
    const signed = count => this.bits(count - 1) * (this.below(2) ? 1n : -1n);
    switch (type.name) {
      case "Bool": return this.below(2) === 1;
      case "Int": case "Int64": return signed(64);
      case "Int128": return signed(128);
      case "StackElementID": return BigInt(this.ids += 1);
      case "UInt": case "UInt64": return this.bits(64);
      case "UInt128": return this.bits(128);
      case "Int8": case "Int16": case "Int32": return Number(signed(Number(type.name.slice(3))));
      case "UInt8": case "UInt16": case "UInt32": return Number(this.bits(Number(type.name.slice(4))));
      case "Float": return Math.fround(this.float());
      case "Double": return this.float();
      case "Date": return new HubDate(this.next() * 1e9);
      case "String": case "Substring": case "Decimal": case "URL": return this.text();
      case "Character": case "Unicode.Scalar": return "é";
      case "Data": return this.bytes(this.below(40));
      case "UUID": return "1b4e28ba-2fa1-11d2-883f-0016d3cca427".replace(/./g, one => one === "-" ? one : "0123456789abcdef"[this.below(16)]);
      case "Duration": return { seconds: this.bits(40), attoseconds: this.bits(59) };
      case "TextState": return [{ text: this.text(), bold: true, color: { red: 0.5, green: 1, blue: 0 } }];
      case "Optional": case "PresentationState": {
        if (this.below(3) === 0 || depth > 8) return null;
        const isNested = typeof first === "object" && ["Optional", "PresentationState"].includes(first.name);
        const some = this.of(first, depth + 1);
        return isNested ? { some } : some;
      }
      case "Array": return depth > 8 ? [] : this.many(() => this.of(first, depth + 1));
      case "IdentifiedArray": return depth > 8 ? [] : this.distinct(() => this.of(second, depth + 1));
      case "StackState": return depth > 8 ? [] : this.many(() => ({ id: BigInt(this.ids += 1), element: this.of(first, depth + 1) }));
      case "Set": return new Set(this.keys(first));
      case "Dictionary": return new Map(this.keys(first).map(key => [key, this.of(second, depth + 1)]));
      case "Result": {
        const index = this.below(2);
        return { case: ["success", "failure"][index], value: this.of([first, second][index], depth + 1) };
      }
      case "Range": case "ClosedRange": return { lower: this.of(first), upper: this.of(first) };
      case "raw": return this.of(second, depth);
      case "ButtonState": return { role: "cancel", action: null, label: [] };
      case "AlertState": return { title: [], message: null, buttons: [this.of({ name: "ButtonState", parts: [first] })] };
      case "ConfirmationDialogState": return { titleVisibility: "hidden", title: [], message: [], buttons: [] };
      default: return new Opaque(Uint8Array.of(0x82, 0x01, 0xf6));
    }
  }

  defined(definition, depth) {
    if (definition.kind === "struct") {
      return Object.fromEntries(definition.fields.map(({ name, type }) => [name, this.of(type, depth + 1)]));
    }
    // Deep inside, only what does not lead deeper.
    const simple = definition.cases.filter(one => one.payload.every(type => typeof type !== "number"));
    const choices = depth > 8 && simple.length > 0 ? simple : definition.cases;
    const one = choices[this.below(choices.length)];
    return { case: one.name, ...Object.fromEntries(one.members.map((name, index) => [name, this.of(one.payload[index], depth + 1)])) };
  }

  distinct(make) {
    const seen = new Set();
    return this.many(make).filter(element => !seen.has(String(element.id)) && seen.add(String(element.id)));
  }

  /** Keys without two equal ones. */
  keys(type) {
    const shown = key => JSON.stringify(key, (_, part) => typeof part === "bigint" ? `${part}n` : part instanceof Uint8Array ? [...part] : part);
    const seen = new Set();
    return this.many(() => this.of(type)).filter(key => !Number.isNaN(key) && !seen.has(shown(key)) && seen.add(shown(key)));
  }
}
