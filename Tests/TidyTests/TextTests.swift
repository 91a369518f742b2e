import Testing

/// Documents are wrapped, and no file contains a path of a particular machine.
@Suite struct TextTests {
  static let columns = 120

  @Test func markdownIsWrapped() throws {
    for file in Repository.trackedFiles() ?? [] where file.hasSuffix(".md") {
      for number in Self.longLines(in: try Repository.lines(file)) {
        Issue.record("\(file):\(number) is longer than \(Self.columns) columns: `make format` wraps it")
      }
    }
  }

  @Test func longLinesAreFound() {
    let long = Substring(repeating: "x", count: 121)
    #expect(Self.longLines(in: [long, "| \(long) |", "    \(long)", "```", long, "```", long]) == [1, 7])
  }

  @Test func noFileNamesAFolderOfAMachine() throws {
    // Built at run time so that this file does not contain them.
    let folders = ["work", "home", "root", "Users"].map { "/\($0)/" }
    for file in Repository.trackedFiles() ?? [] where !file.hasPrefix("Tests/Corpus/") {
      // Binary files contain no readable paths.
      guard let text = try? Repository.text(file), folders.contains(where: { text.contains($0) }) else { continue }
      for (number, line) in try Repository.lines(file).enumerated() {
        for folder in folders where line.contains(folder) && !line.contains("/home/blob") {
          Issue.record("\(file):\(number + 1) names \(folder)")
        }
      }
    }
  }

  /// Returns the numbers of lines that are too long. Tables and code blocks cannot be wrapped.
  static func longLines(in lines: [Substring]) -> [Int] {
    var (found, isFenced) = ([Int](), false)
    for (index, line) in lines.enumerated() {
      if line.drop(while: { $0 == " " }).hasPrefix("```") { isFenced.toggle() }
      // To count bytes is quicker.
      guard line.utf8.count > columns, !isFenced, !line.hasPrefix("|"), !line.hasPrefix("    "), line.count > columns
      else { continue }
      found.append(index + 1)
    }
    return found
  }
}
