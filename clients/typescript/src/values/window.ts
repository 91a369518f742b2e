import type { CborReader } from "../cbor/reader.js";
import type { CborWriter } from "../cbor/writer.js";
import type { Codec } from "./codec.js";
import { LeafCodec } from "./codec.js";
import { StructCodec } from "./definitions.js";

/** A position, which no collection takes beyond the numbers of JavaScript. */
class PositionCodec extends LeafCodec {
  override read(reader: CborReader): number {
    return reader.uint();
  }

  override write(writer: CborWriter, value: unknown): void {
    writer.uint(value as number);
  }
}

/** The codec of a window of a collection (PROTOCOL.md, 6.3.1). */
export function windowCodec(collection: Codec): Codec {
  const codec = new StructCodec({ name: "Window", id: [] });
  const position = new PositionCodec();
  codec.setFields([
    { key: 0, name: "count", codec: position, hasDefault: false },
    { key: 1, name: "start", codec: position, hasDefault: false },
    { key: 2, name: "elements", codec: collection, hasDefault: false },
  ]);
  return codec;
}
