import { CborReader, Major } from "../cbor/reader.js";
import { ProtocolError } from "../errors.js";

/** A type in a schema: the index of a definition, or a named type with its parts (PROTOCOL.md, 11). */
export type SchemaType = number | NamedType;

export interface NamedType {
  readonly name: string;
  readonly parts: readonly SchemaType[];
}

export interface Field {
  readonly key: number;
  readonly name: string;
  readonly type: SchemaType;
  readonly hasDefault: boolean;
  /** The names that it had in earlier versions of the feature. */
  readonly formerNames: readonly string[];
}

export interface Case {
  readonly key: number;
  readonly name: string;
  /** The types of its values. */
  readonly payload: readonly SchemaType[];
  /** The labels of its values in the source; empty where there is none. */
  readonly labels: readonly string[];
  /** The names of its values in JavaScript. */
  readonly members: readonly string[];
  /** The names that it had in earlier versions of the feature. */
  readonly formerNames: readonly string[];
}

export interface StructDefinition {
  readonly kind: "struct";
  readonly name: string;
  /** The keys that lead to the field with the element's id, or none. */
  readonly id: readonly number[];
  readonly fields: readonly Field[];
}

export interface EnumDefinition {
  readonly kind: "enum";
  readonly name: string;
  readonly cases: readonly Case[];
}

export type Definition = StructDefinition | EnumDefinition;

/** The types of a hub's state and of its actions. */
export interface Schema {
  readonly state: SchemaType;
  readonly action: SchemaType;
  readonly definitions: readonly Definition[];
}

/** The deepest nesting of parts in a type. */
const deepestType = 64;

/** Reads the schema in the payload of a *schema* frame. */
export function readSchema(bytes: Uint8Array): Schema {
  return CborReader.whole(bytes, reader => {
    const count = reader.array();
    if (count < 2) throw new ProtocolError("a schema has a type of the state and one of the actions");
    const state = readType(reader);
    const action = readType(reader);
    const definitions: Definition[] = [];
    for (let index = 2; index < count; index += 1) definitions.push(readDefinition(reader));
    const schema = { state, action, definitions };
    check(schema);
    return schema;
  });
}

function readType(reader: CborReader, depth = 0): SchemaType {
  if (depth > deepestType) throw new ProtocolError("a type in the schema is nested too deep");
  switch (reader.next()) {
    case Major.unsigned: return reader.uint();
    case Major.text: return { name: reader.text(), parts: [] };
    default: {
      const count = reader.array();
      if (count < 2) throw new ProtocolError("a type with parts has a name and a part");
      const name = reader.text();
      const parts: SchemaType[] = [];
      for (let index = 1; index < count; index += 1) parts.push(readType(reader, depth + 1));
      return { name, parts };
    }
  }
}

function readDefinition(reader: CborReader): Definition {
  const count = reader.array();
  if (count < 2) throw new ProtocolError("a definition has a name and a kind");
  const name = reader.text();
  const kind = reader.uint();
  if (kind > 1) throw new ProtocolError(`the definition of ${name} is of the unknown kind ${kind}`);
  if (kind === 1) {
    const cases: Case[] = [];
    for (let index = 2; index < count; index += 1) cases.push(readCase(reader));
    checkNames(name, cases);
    return { kind: "enum", name, cases };
  }
  if (count < 3) throw new ProtocolError(`the struct ${name} has no place for its id`);
  const id: number[] = [];
  for (let left = reader.array(); left > 0; left -= 1) id.push(reader.uint());
  const fields: Field[] = [];
  for (let index = 3; index < count; index += 1) {
    fields.push(readField(reader));
  }
  checkNames(name, fields);
  return { kind: "struct", name, id, fields };
}

function readField(reader: CborReader): Field {
  const count = reader.array();
  if (count !== 4 && count !== 5) throw new ProtocolError("a field has a key, a name, a type, and whether it has a default");
  return {
    key: reader.uint(), name: reader.text(), type: readType(reader), hasDefault: reader.bool(),
    formerNames: count === 5 ? readFormerNames(reader) : [],
  };
}

function readCase(reader: CborReader): Case {
  const count = reader.array();
  if (count < 2) throw new ProtocolError("a case has a key, a name, and pairs of labels and types");
  const key = reader.uint();
  const name = reader.text();
  const labels: string[] = [];
  const payload: SchemaType[] = [];
  for (let index = 2; index + 1 < count; index += 2) {
    labels.push(reader.text());
    payload.push(readType(reader));
  }
  const formerNames = count % 2 === 1 ? readFormerNames(reader) : [];
  return { key, name, payload, labels, members: memberNames(labels), formerNames };
}

/** The most former names of a field or a case. */
const mostFormerNames = 64;

/** The last item of a field or a case that has former names (PROTOCOL.md, 11.2). */
function readFormerNames(reader: CborReader): string[] {
  const count = reader.array();
  if (count < 1 || count > mostFormerNames) throw new ProtocolError(`${count} former names, of 1 to ${mostFormerNames}`);
  return Array.from({ length: count }, () => reader.text());
}

/** The names of a case's values in JavaScript. */
export function memberNames(labels: readonly string[]): string[] {
  const positions = labels.map((_, index) => `_${index}`);
  const names = labels.length === 1
    ? [labels[0] || "value"] : labels.map((label, index) => label || positions[index]!);
  return new Set([...names, "case"]).size === names.length + 1 ? names : positions;
}

function checkNames(name: string, parts: readonly (Field | Case)[]): void {
  parts.forEach((part, index) => {
    if (index > 0 && part.key <= parts[index - 1]!.key) {
      throw new ProtocolError(`the keys of ${name} are not in order`);
    }
  });
  const names = parts.flatMap(part => [part.name, ...part.formerNames]);
  if (new Set(names).size !== names.length) {
    throw new ProtocolError(`two parts of ${name} have the same name, or had it in an earlier version`);
  }
}

/** Types that end the search for definitions that contain themselves, since they count for nesting on their own. */
const nesting = ["Array", "Set", "Dictionary", "IdentifiedArray", "StackState", "PresentationState", "opaque"];

/** The definitions that contain themselves without a collection between: indirect enums (PROTOCOL.md, 5.7). */
export function recursiveDefinitions(schema: Schema): ReadonlySet<number> {
  const collect = (type: SchemaType, into: Set<number>): void => {
    if (typeof type === "number") into.add(type);
    else if (!nesting.includes(type.name)) {
      type.parts.forEach((part, index) => (type.name === "raw" && index === 0) || collect(part, into));
    }
  };
  const inside = schema.definitions.map(definition => {
    const found = new Set<number>();
    if (definition.kind === "struct") definition.fields.forEach(field => collect(field.type, found));
    else definition.cases.forEach(one => one.payload.forEach(type => collect(type, found)));
    return found;
  });
  return onCycles(inside);
}

/** The nodes of a graph that lead back to themselves, in time linear in its size: schemas may have many definitions. */
function onCycles(edges: readonly ReadonlySet<number>[]): Set<number> {
  const back = edges.map((): number[] => []);
  edges.forEach((targets, from) => targets.forEach(to => back[to]!.push(from)));
  const order: number[] = [];
  const forward = new Set<number>();
  for (const start of edges.keys()) {
    for (const node of finished(start, each => edges[each]!, forward)) order.push(node);
  }
  // By the algorithm of Kosaraju, what is reached backwards from the last that was left is one component.
  const found = new Set<number>();
  const backward = new Set<number>();
  for (const start of order.reverse()) {
    const component = finished(start, node => back[node]!, backward);
    if (component.length > 1 || edges[start]!.has(start)) for (const node of component) found.add(node);
  }
  return found;
}

/** The nodes that are reached from one and were not seen before, in the order in which a search leaves them. */
function finished(start: number, next: (node: number) => Iterable<number>, seen: Set<number>): number[] {
  if (seen.has(start)) return [];
  seen.add(start);
  const left: number[] = [];
  const stack = [{ node: start, targets: next(start)[Symbol.iterator]() }];
  while (stack.length > 0) {
    const { node, targets } = stack[stack.length - 1]!;
    const step = targets.next();
    if (step.done) {
      left.push(node);
      stack.pop();
    } else if (!seen.has(step.value)) {
      seen.add(step.value);
      stack.push({ node: step.value, targets: next(step.value)[Symbol.iterator]() });
    }
  }
  return left;
}

/** Refuses references to definitions that do not exist. */
function check(schema: Schema): void {
  const checkType = (type: SchemaType): void => {
    if (typeof type !== "number") return type.parts.forEach(checkType);
    if (type >= schema.definitions.length) throw new ProtocolError(`the schema has no definition ${type}`);
  };
  checkType(schema.state);
  checkType(schema.action);
  for (const definition of schema.definitions) {
    if (definition.kind === "struct") definition.fields.forEach(field => checkType(field.type));
    else definition.cases.forEach(one => one.payload.forEach(checkType));
  }
}
