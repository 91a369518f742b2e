import { concatenate } from "../cbor/bytes.js";
import { CborReader } from "../cbor/reader.js";
import { ProtocolError } from "../errors.js";
import type { Codecs } from "../values/codecs.js";
import { containsOpaque } from "../values/codecs.js";
import { hashOf } from "../values/hash.js";
import { readDelta, readSnapshot, readText } from "./messages.js";
import type { Path, ResolvedPath } from "./path.js";
import { resolvePath } from "./path.js";

/** The states that a hub has: that of the feature, its own, and its metrics. */
export const enum Root { feature, hub, metrics, views }

/** A part of a state to which the client subscribes, and what it knows of it. */
export class Scope {
  /** The number on this connection, if the part is attached. */
  number: number | undefined;
  /** True once the hub has answered for the part on any connection: it is permitted. */
  isConfirmed = false;
  /** True if an answer to *attach* or *verify* is due. */
  isWaiting = false;
  /** True if the value and the revision are known. */
  isKnown = false;
  /** False if the part has no value at the moment. */
  isPresent = false;
  /** The reason why the hub has no value of a view, or has not attached the part. */
  refusal: string | undefined = undefined;
  /** True if the hub has not attached the part because of a limit: others must leave a place first. */
  awaitsRoom = false;
  /** True from then on until the hub answers otherwise. */
  isOverLimit = false;
  /** The count of detachments when it was requested. */
  detachments = 0;
  value: unknown = undefined;
  revision = 0n;
  private codecs: Codecs | undefined;
  private place: ResolvedPath | undefined;
  private pieces: Uint8Array[] = [];
  private size = 0;
  /** True if the value cannot be written again with the same bytes, so that its hash is not known. */
  private hasUnknownHash = false;

  constructor(readonly path: Path | string, readonly root: Root) {}

  /** The place of the part. */
  get resolved(): ResolvedPath {
    if (this.place === undefined) throw new Error("a scope without a place");
    return this.place;
  }

  /** True if the part is the whole state. */
  get isWhole(): boolean {
    return this.place !== undefined && this.place.steps.length === 0;
  }

  /** Finds the part in a schema; throws PathError. What was known of it by another schema is outdated. */
  resolve(codecs: Codecs): void {
    if (codecs === this.codecs) return;
    this.place = resolvePath(this.path, codecs);
    this.codecs = codecs;
    this.forgetRevision();
  }

  /** The next *attach* asks for the whole part. */
  forgetRevision(): void {
    this.isKnown = false;
  }

  /** The hub may no longer permit the part. It answers to an *attach* in any case if that does not name a revision. */
  doubt(): void {
    this.isConfirmed = false;
    this.forgetRevision();
  }

  /** The hub has not attached the part, as the reason before has said: because of a limit, or for good. */
  refused(isOverLimit: boolean): void {
    this.detached();
    this.awaitsRoom = isOverLimit;
    this.isOverLimit = isOverLimit;
    this.forgetRevision();
  }

  /** The connection, or the subscription, has ended. */
  detached(): void {
    this.awaitsRoom = false;
    this.number = undefined;
    this.isWaiting = false;
    this.pieces = [];
    this.size = 0;
  }

  /**
   * Takes a piece of a snapshot, and returns true if it was the last one.
   *
   * @param limit The largest state that is accepted, in bytes.
   */
  snapshot(payload: Uint8Array, revision: bigint, isLast: boolean, limit: number): boolean {
    const { offset, piece } = readSnapshot(payload);
    if (offset === 0) {
      this.pieces = [];
      this.size = 0;
    }
    if (offset !== this.size) throw new ProtocolError("a piece of a snapshot is missing");
    if (this.size + piece.length > limit) throw new ProtocolError(`a state of more than ${limit} bytes`);
    this.pieces.push(piece);
    this.size += piece.length;
    if (!isLast) return false;
    const reader = new CborReader(concatenate(this.pieces, this.size));
    this.pieces = [];
    this.size = 0;
    const value = this.resolved.codec.read(reader);
    reader.end();
    this.hasUnknownHash = reader.lostNaNBits;
    this.set(value, true, revision);
    return true;
  }

  /** Applies a delta entirely or not at all. */
  delta(payload: Uint8Array, revision: bigint): void {
    const { base, reader } = readDelta(payload);
    if (!this.isKnown || !this.isPresent || base !== this.revision || revision <= base || this.size > 0) {
      throw new ProtocolError(`a delta from revision ${base}, at ${this.revision}`);
    }
    const value = this.resolved.codec.change(reader, this.value);
    reader.end();
    if (reader.lostNaNBits) this.hasUnknownHash = true;
    this.set(value, true, revision);
  }

  bookmark(revision: bigint): void {
    if (!this.isKnown || revision <= this.revision) {
      throw new ProtocolError(`a bookmark at revision ${revision}, at ${this.revision}`);
    }
    this.revision = revision;
  }

  absent(payload: Uint8Array, revision: bigint): void {
    this.pieces = [];
    this.size = 0;
    this.set(undefined, false, revision);
    if (payload.length > 0) this.refusal = readText(payload);
  }

  private set(value: unknown, isPresent: boolean, revision: bigint): void {
    this.value = value;
    this.refusal = undefined;
    this.isOverLimit = false;
    this.isPresent = isPresent;
    this.revision = revision;
    this.isKnown = true;
  }

  /**
   * True if the hash is that of the part, or that cannot be known.
   *
   * Complexity: O(size of the part); the hashes of unchanged elements of identified arrays are kept.
   */
  hasHash(hash: bigint): boolean {
    if (!this.isKnown || !this.isPresent || this.hasUnknownHash || this.codecs === undefined) return true;
    if (containsOpaque(this.codecs.schema, this.resolved.type)) return true;
    return hashOf(this.resolved.codec, this.value) === hash;
  }
}
