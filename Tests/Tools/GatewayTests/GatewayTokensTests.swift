import Foundation
import GatewayTokens
import Testing

@Suite struct GatewayTokensTests {
  private func token(_ name: String, _ text: String = "text", expiry: Int64? = nil) -> GatewayToken {
    GatewayToken(
      name: name, digest: GatewayToken.digest(of: text), user: 3_000_000_001, created: 1_000_000_000, expiry: expiry)
  }

  private func withFile(_ body: (TokenFile) throws -> Void) throws {
    let directory = NSTemporaryDirectory() + "tokens-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(TokenFile(directory + "/tokens"))
  }

  @Test func textsAreLongRandomAndFitIntoASubprotocol() {
    let texts = (0..<100).map { _ in GatewayToken.newText() }
    #expect(Set(texts).count == 100)
    for text in texts {
      #expect(text.hasPrefix("sgt_") && text.utf8.count == 47)
      #expect(text.utf8.allSatisfy { isalnum(CInt($0)) != 0 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
    }
  }

  @Test func aTokenIsFoundByItsTextOnly() {
    var tokens = GatewayTokens()
    let areAdded = [token("a", "one"), token("b", "two"), token("a", "three"), token("c", "two")].map { tokens.add($0) }
    #expect(areAdded == [true, true, false, false], "a name is there once, and a text has one user")
    #expect(tokens[text: "one"]?.name == "a")
    #expect(tokens[text: "two"]?.name == "b")
    #expect(tokens[text: "ONE"] == nil && tokens[text: ""] == nil && tokens[text: "a"] == nil)
  }

  @Test func aTokenIsValidUntilItsExpiry() {
    #expect(token("a", expiry: 100).isValid(at: 99))
    #expect(!token("a", expiry: 100).isValid(at: 100))
    #expect(token("a").isValid(at: .max))
  }

  @Test func theFileHasWhatWasWrittenAndNoText() throws {
    try withFile { file in
      #expect(try file.read().all.isEmpty)
      let written = [token("a", "secret"), token("b.c-d_1", "other", expiry: 2_000_000_000)]
      for token in written { try file.update { _ = $0.add(token) } }
      #expect(try file.read().all == written)
      let text = try String(contentsOfFile: file.path, encoding: .utf8)
      #expect(!text.contains("secret") && text.contains("expires = 2033-05-18T03:33:20Z"))
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: file.directory) == ["tokens"])
    }
  }

  @Test func aFileThatOthersCanReadIsRefused() throws {
    try withFile { file in
      try file.update { _ = $0.add(token("a")) }
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
      #expect(throws: TokenFileError.self) { try file.read() }
      #expect(throws: TokenFileError.self) { try file.update { _ in } }
    }
  }

  @Test(arguments: [
    "[token a]\nuser = 1", "[token a b]\ndigest = 00", "[tokens]", "digest = 00",
    "[token a]\ndigest = zz\nuser = 1\ncreated = 2026-01-01",
    "[token a]\ndigest = \(String(repeating: "ab", count: 32))\nuser = x\ncreated = 2026-01-01",
    "[token a]\ndigest = \(String(repeating: "ab", count: 32))\nuser = 1\ncreated = 2026-01-01\nexpires = soon",
    "[token a]\ndigest = \(String(repeating: "ab", count: 32))\nuser = 1\ncreated = 2026-01-01\nexpires = 2026-02-31",
  ])
  func aTokenThatCannotBeReadIsNotIgnored(text: String) throws {
    try withFile { file in
      try text.write(toFile: file.path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      #expect(throws: TokenFileError.self) { try file.read() }
    }
  }

  @Test func timesAreReadInUTC() {
    #expect(parsedTime("2033-05-18T03:33:20Z") == 2_000_000_000)
    #expect(parsedTime("2026-11-27") == 1_795_737_600)
    #expect(timeText(1_795_737_600) == "2026-11-27T00:00:00Z")
    for text in ["", "2026-02-30", "2026-11-27T25:00:00Z", "1969-12-31", "27.11.2026", "2026-11-27T00:00:00"] {
      #expect(parsedTime(text) == nil, "\(text)")
    }
  }
}
