import Testing

/// What the compiler is told not to check: exclusive access at run time, and whether a type may cross threads.
///
/// Each use states its reason, and their number grows only with this table. Someone who removes one lowers the number.
@Suite struct UncheckedTests {
  private static let exclusivity = [
    "EventLoop": 6, "FeatureCore": 7, "HubCore": 36, "IdentifiedCollections": 7, "LoadTest": 24, "StoreHub": 16,
  ]
  private static let sendable = [
    "CasePaths": 1, "CombineSchedulers": 2, "ConcurrencyExtras": 3, "Dependencies": 1, "DependenciesFoundation": 1,
    "EffectStreams": 3, "EventLoop": 2, "FeatureCore": 10, "HTTPClient": 1, "HubCore": 3, "IdentifiedCollections": 3,
    "IssueReporting": 1, "Journal": 4, "Sharing": 4, "Simulation": 4,
  ]

  @Test func uncheckedExclusivityDoesNotSpread() throws {
    #expect(try counts(of: "@exclusivity(unchecked)") == Self.exclusivity)
  }

  @Test func uncheckedSendabilityDoesNotSpread() throws {
    #expect(try counts(of: "@unchecked Sendable") == Self.sendable)
    #expect(try counts(of: "nonisolated(unsafe)").isEmpty)
  }

  @Test func eachFileSaysWhyExclusivityIsUnchecked() throws {
    try forEachUse(of: "@exclusivity(unchecked)") { file, number, lines in
      let comments = lines.compactMap(Self.comment)
      if !comments.contains(where: { $0.contains("exclusivity") || $0.contains("overlapping") }) {
        Issue.record("\(file):\(number + 1): no comment in the file says why exclusivity is not checked")
      }
    }
  }

  /// Beside it, above it, or as the first line below it.
  @Test func eachUncheckedSendableStatesItsReason() throws {
    try forEachUse(of: "@unchecked Sendable") { file, number, lines in
      var near = [lines[number], lines[min(number + 1, lines.count - 1)]]
      for line in lines[..<number].reversed() {
        // Attributes, and extensions of the same kind, may follow the comment.
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("//") || text.hasPrefix("@") || text.contains("@unchecked Sendable") else { break }
        near.append(line)
      }
      let reasons = near.compactMap(Self.comment)
      if !reasons.contains(where: Self.isReason) {
        Issue.record("\(file):\(number + 1): no comment says why the type may cross threads")
      }
    }
  }

  @Test(
    arguments: [
      ("// Sendable: used only under the mutex.", true), ("/// Unchecked: it never changes.", true),
      ("// `lock` guards `state`.", true), ("/// A box.", false), ("", false),
    ] as [(Substring, Bool)])
  func reasonsAreFound(line: Substring, isReason: Bool) {
    #expect((Self.comment(line).map(Self.isReason) ?? false) == isReason)
  }

  // MARK: Lines

  private func counts(of marker: String) throws -> [String: Int] {
    let folders = try Modules().folders
    var counts: [String: Int] = [:]
    for (name, folder) in folders {
      let files = Repository.files(below: folder, endingIn: ".swift")
      let count = try files.reduce(0) { try $0 + Repository.lines($1).count { Self.uses(marker, $0) } }
      if count > 0 { counts[name] = count }
    }
    return counts
  }

  private func forEachUse(of marker: String, _ check: (String, Int, [Substring]) -> Void) throws {
    for file in Repository.files(below: "Sources", endingIn: ".swift") {
      let lines = try Repository.lines(file)
      for (number, line) in lines.enumerated() where Self.uses(marker, line) { check(file, number, lines) }
    }
  }

  private static func uses(_ marker: String, _ line: Substring) -> Bool {
    line.contains(marker) && !line.drop { $0 == " " }.hasPrefix("//")
  }

  /// The text of the comment in a line.
  private static func comment(_ line: Substring) -> Substring? {
    line.firstRange(of: "//").map { line[$0.upperBound...] }
  }

  private static func isReason(_ comment: Substring) -> Bool {
    let words = ["Unchecked", "unchecked", "Sendable", "lock", "mutex", "thread", "mmutable", "loop"]
    return words.contains { comment.contains($0) }
  }
}
