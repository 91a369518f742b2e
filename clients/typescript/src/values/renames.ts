import type { Case, Definition, Field, Schema, SchemaType } from "./schema.js";
import { recursiveDefinitions } from "./schema.js";
import { Codecs } from "./codecs.js";

/** How many fields and cases are compared. A hostile pair of schemas has more pairs of types than types. */
const mostMembers = 1 << 16;

/**
 * The codecs of their actions for values with my names of the fields and cases that correspond (PROTOCOL.md, 11.2).
 *
 * What has no partner keeps its name. That is never one of mine, because members of the same name correspond.
 */
export function codecsNamedBy(mine: Codecs, theirs: Codecs): Codecs {
  const schemas = [mine.schema, theirs.schema];
  if (!schemas.some(schema => schema.definitions.some(one => members(one).some(part => part.formerNames.length > 0)))) {
    return theirs;
  }
  return new Pairs(mine.schema, theirs.schema).codecs();
}

function members(definition: Definition): readonly (Field | Case)[] {
  return definition.kind === "struct" ? definition.fields : definition.cases;
}

/** The definitions of a new schema: one for each pair of types that correspond. */
class Pairs {
  private readonly indices = new Map<string, number>();
  private readonly pairs: { readonly theirs: Definition; readonly mine: Definition | undefined; readonly index: number }[] = [];
  private left = mostMembers;

  constructor(private readonly mine: Schema, private readonly theirs: Schema) {}

  codecs(): Codecs {
    const action = this.type(this.theirs.action, this.mine.action);
    const definitions: Definition[] = [];
    // The pairs grow meanwhile.
    for (let index = 0; index < this.pairs.length; index += 1) definitions.push(this.definition(index));
    const recursive = recursiveDefinitions(this.theirs);
    const own = new Set(this.pairs.flatMap(({ index }, place) => (recursive.has(index) ? [place] : [])));
    return new Codecs({ state: { name: "Never", parts: [] }, action, definitions }, own);
  }

  private type(theirs: SchemaType, mine: SchemaType | undefined): SchemaType {
    if (typeof theirs === "number") return this.index(theirs, typeof mine === "number" ? mine : undefined);
    const isSame = typeof mine === "object" && mine.name === theirs.name && mine.parts.length === theirs.parts.length;
    return { name: theirs.name, parts: theirs.parts.map((part, index) => this.type(part, isSame ? mine.parts[index] : undefined)) };
  }

  private index(theirs: number, mine: number | undefined): number {
    const key = `${theirs} ${mine}`;
    const found = this.indices.get(key);
    if (found !== undefined) return found;
    const pair = { theirs: this.theirs.definitions[theirs]!, mine: mine === undefined ? undefined : this.mine.definitions[mine]!, index: theirs };
    if (pair.mine !== undefined) {
      this.left -= members(pair.theirs).length + members(pair.mine).length;
      if (pair.theirs.kind !== pair.mine.kind || this.left < 0) return this.index(theirs, undefined);
    }
    this.indices.set(key, this.pairs.length);
    return this.pairs.push(pair) - 1;
  }

  private definition(index: number): Definition {
    const { theirs, mine } = this.pairs[index]!;
    if (theirs.kind === "struct") {
      const partners = corresponding(theirs.fields, mine?.kind === "struct" ? mine.fields : []);
      return {
        ...theirs,
        fields: theirs.fields.map((field, place) => {
          const partner = partners[place];
          return { ...field, name: partner?.name ?? field.name, type: this.type(field.type, partner?.type) };
        }),
      };
    }
    const partners = corresponding(theirs.cases, mine?.kind === "enum" ? mine.cases : []);
    return {
      ...theirs,
      cases: theirs.cases.map((one, place) => {
        const found = partners[place];
        const hasSameLabels = found !== undefined && String(found.labels) === String(one.labels);
        const partner = found?.name === one.name || hasSameLabels ? found : undefined;
        const isComparable = partner?.payload.length === one.payload.length;
        const payload = one.payload.map((type, position) => this.type(type, isComparable ? partner?.payload[position] : undefined));
        return { ...one, name: partner?.name ?? one.name, payload };
      }),
    };
  }
}

/**
 * For each of their fields or cases the one of mine that corresponds.
 *
 * Members of the same name correspond. Of the others, two do if the name of one is a former name of the other; one that
 * fits two has no partner.
 */
function corresponding<Member extends Field | Case>(theirs: readonly Member[], mine: readonly Member[]): (Member | undefined)[] {
  const own = new Map(mine.map(one => [one.name, one]));
  const others = new Map(theirs.map(one => [one.name, one]));
  const byTheirs = new Map<Member, Set<Member>>();
  const byMine = new Map<Member, Set<Member>>();
  const claim = (one: Member | undefined, other: Member | undefined): void => {
    if (one === undefined || other === undefined || own.has(one.name) || others.has(other.name)) return;
    byTheirs.set(one, (byTheirs.get(one) ?? new Set()).add(other));
    byMine.set(other, (byMine.get(other) ?? new Set()).add(one));
  };
  for (const one of theirs) for (const name of one.formerNames) claim(one, own.get(name));
  for (const other of mine) for (const name of other.formerNames) claim(others.get(name), other);
  return theirs.map(one => {
    const same = own.get(one.name);
    const [found, ...more] = byTheirs.get(one) ?? [];
    if (same !== undefined || found === undefined || more.length > 0) return same;
    return byMine.get(found)!.size === 1 ? found : undefined;
  });
}
