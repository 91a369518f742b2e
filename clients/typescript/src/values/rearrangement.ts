import { ProtocolError } from "../errors.js";

/** The elements that a change removes from an ordered collection, moves in it and inserts (PROTOCOL.md, 10.2). */
export class Rearrangement {
  /** The places of elements that leave their places. */
  private readonly taken = new Set<number>();
  private readonly moved: [offset: number, element: unknown][] = [];
  private readonly inserted: [offset: number, element: unknown][] = [];

  constructor(private readonly old: readonly unknown[]) {}

  /** True if nothing but additions at the end was asked for: the old elements keep their places. */
  get isAppend(): boolean {
    return this.taken.size === 0 && this.inserted.every(([offset], index) => offset === this.old.length + index);
  }

  /** The new elements, in order. */
  get newElements(): unknown[] {
    return this.inserted.map(([, element]) => element);
  }

  remove(place: number): void {
    if (this.taken.has(place)) throw new ProtocolError("an element is removed or moved twice");
    this.taken.add(place);
  }

  move(place: number, offset: number): void {
    this.remove(place);
    Rearrangement.append(this.moved, offset, this.old[place]);
  }

  insert(element: unknown, offset: number): void {
    Rearrangement.append(this.inserted, offset, element);
  }

  private static append(list: [number, unknown][], offset: number, element: unknown): void {
    if (list.length > 0 && offset <= list[list.length - 1]![0]) {
      throw new ProtocolError("the places of elements are not in order");
    }
    list.push([offset, element]);
  }

  /** The elements after the change. */
  result(): unknown[] {
    const placed = [...this.moved, ...this.inserted].sort(([one], [other]) => one - other);
    if (this.taken.size === 0 && placed.length === 0) return this.old.slice();
    const result: unknown[] = [];
    let next = 0;
    const keepUntil = (size: number): void => {
      for (; next < this.old.length && result.length < size; next += 1) {
        if (!this.taken.has(next)) result.push(this.old[next]);
      }
    };
    for (const [offset, element] of placed) {
      keepUntil(offset);
      if (result.length !== offset) throw new ProtocolError("an element beyond the end, or two for one place");
      result.push(element);
    }
    keepUntil(Infinity);
    return result;
  }
}
