/// Keys or members in the order of their bytes, which does not depend on the process.
struct EncodedKeys<Payload> {
  private var encoder = CBOREncoder()
  private var entries: [(key: Range<Int>, payload: Payload)] = []

  var count: Int { entries.count }

  /// Adds a key and its payload.
  mutating func append(_ key: some WireValue, _ payload: Payload) {
    let start = encoder.count
    key.encode(to: &encoder)
    entries.append((start..<encoder.count, payload))
  }

  /// Sorts by the keys' bytes.
  /// - Complexity: O(n log n).
  mutating func sort() {
    unsafe encoder.buffer.withUnsafeBufferPointer { bytes in
      entries.sort { unsafe bytes[$0.key].lexicographicallyPrecedes(bytes[$1.key]) }
    }
  }

  /// Writes each key, followed by what `body` writes for its payload.
  func write(to target: inout CBOREncoder, _ body: (Payload, inout CBOREncoder) -> Void) {
    for entry in entries {
      unsafe target.append(encoder.buffer.span.bytes.extracting(entry.key))
      body(entry.payload, &target)
    }
  }
}

extension EncodedKeys<Void> {
  /// Writes an array of the keys.
  func write(to target: inout CBOREncoder) {
    target.arrayHeader(count: count)
    write(to: &target) { _, _ in }
  }
}
