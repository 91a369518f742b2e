import TestSupport
import Testing
import Wire

/// Deltas and hashes of earlier releases, read by the tools of today.
@Suite struct ReleasedDeltaTests {
  @Test(arguments: Releases.versions)
  func everyDeltaLeadsToItsValue(version: String) throws {
    var schema: Schema?
    var values: [String: [UInt8]] = [:]
    var count = 0
    for line in Releases.lines("deltas.txt", of: version) {
      guard let (name, bytes) = try Self.entry(line) else { continue }
      values[name] = bytes
      if name == "schema" { schema = try Schema(decoding: bytes.span.bytes) }
      guard name == "delta", let schema, let old = values["old"], let new = values["new"] else { continue }
      let reader = SchemaValues(schema)
      var oldDecoder = CBORDecoder(old.span.bytes)
      var change = CBORDecoder(bytes.span.bytes)
      let value = try reader.value(of: schema.state, from: &oldDecoder)
      let changed = try reader.applying(&change, to: value, of: schema.state)
      try change.finish()
      #expect(changed.encoded() == new, "\(line)")
      count += 1
    }
    #expect(count > 40)
  }

  @Test(arguments: Releases.versions)
  func everyHashIsThatOfItsValue(version: String) throws {
    var schema: Schema?
    var value: [UInt8] = []
    var count = 0
    for line in Releases.lines("hashes.txt", of: version) {
      guard let (name, bytes) = try Self.entry(line) else { continue }
      if name == "schema" { schema = try Schema(decoding: bytes.span.bytes) }
      if name == "value" { value = bytes }
      guard name == "hash", let schema else { continue }
      let reader = SchemaValues(schema)
      var decoder = CBORDecoder(value.span.bytes)
      let read = try reader.value(of: schema.state, from: &decoder)
      #expect("\(reader.hash(of: read, as: schema.state))" == bytes.hexadecimal, "\(line)")
      count += 1
    }
    #expect(count > 10)
  }

  /// An indented line with bytes, such as `  old: a0`.
  private static func entry(_ line: String) throws -> (name: String, bytes: [UInt8])? {
    let words = line.split(separator: " ")
    guard line.hasPrefix("  "), words.count == 2, words[0] != "notation:" else { return nil }
    return (String(words[0].dropLast()), try ReleasedTranscript.bytes(words[1]))
  }
}
