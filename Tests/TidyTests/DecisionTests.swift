import Testing

/// The records of decisions have one form, and the index has all of them.
@Suite struct DecisionTests {
  private static let folder = "docs/decisions"

  private static func names() throws -> [String] {
    try Repository.folders(in: folder).filter { $0 != "README.md" }
  }

  @Test func eachHasItsPartsAndItsNumber() throws {
    for name in try Self.names() {
      let lines = try Repository.lines("\(Self.folder)/\(name)")
      let headings = lines.filter { $0.hasPrefix("## ") }
      #expect(headings == ["## Context", "## Decision", "## Consequences", "## Evidence"], "\(name)")
      let number = Int(name.prefix(4)).map { "# \($0). " }
      #expect(number.map { lines[0].hasPrefix($0) } == true, "\(name) begins with \(lines[0])")
      // A heading without a text states nothing.
      for (index, line) in lines.enumerated() where line.hasPrefix("## ") {
        let text = lines[(index + 1)...].first { !$0.isEmpty }
        #expect(text.map { !$0.hasPrefix("#") } == true, "\(name): \(line) is empty")
      }
    }
  }

  @Test func noTwoHaveOneNumber() throws {
    let names = Dictionary(grouping: try Self.names()) { $0.prefix(4) }
    #expect(names.values.filter { $0.count > 1 } == [])
  }

  @Test func theIndexHasEachWithItsTitle() throws {
    let entries = try Repository.lines("\(Self.folder)/README.md").filter { $0.hasPrefix("- [") }
    let expected = try Self.names().map { name in
      "- [\(try Repository.lines("\(Self.folder)/\(name)")[0].dropFirst(2))](\(name))"
    }
    #expect(entries.sorted() == expected.sorted().map { Substring($0) })
  }
}
