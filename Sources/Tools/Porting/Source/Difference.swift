/// The difference of two texts, in the unified format that `patch` reads.
package struct Difference {
  private static let context = 3
  private let old: [Substring]
  private let new: [Substring]

  /// Compares two texts line by line.
  package init(from old: String, to new: String) {
    self.old = Self.lines(of: old)
    self.new = Self.lines(of: new)
  }

  private static func lines(of text: String) -> [Substring] {
    // By scalars: a carriage return belongs to its line.
    let scalars = text.unicodeScalars
    return scalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// The hunks below the names of the two files; empty if the texts are equal.
  package func text(oldName: String, newName: String) -> String {
    let hunks = self.hunks()
    guard !hunks.isEmpty else { return "" }
    return "--- \(oldName)\n+++ \(newName)\n" + hunks.map(text(of:)).joined()
  }

  /// The changes with few lines between them, as ranges of lines of both texts.
  private func hunks() -> [[(old: Range<Int>, new: Range<Int>)]] {
    var changes: [(old: Range<Int>, new: Range<Int>)] = []
    for change in new.difference(from: old) {
      let (oldLine, newLine): (Range<Int>, Range<Int>)
      switch change {
      case .remove(let offset, _, _): (oldLine, newLine) = (offset..<offset + 1, 0..<0)
      case .insert(let offset, _, _): (oldLine, newLine) = (0..<0, offset..<offset + 1)
      }
      changes.append((oldLine, newLine))
    }
    return Self.grouped(runs(changes))
  }

  /// The runs of changed lines, in order, with the empty range of the other text where only one has lines.
  private func runs(_ changes: [(old: Range<Int>, new: Range<Int>)]) -> [(old: Range<Int>, new: Range<Int>)] {
    let removed = Set(changes.flatMap(\.old))
    let inserted = Set(changes.flatMap(\.new))
    var (runs, oldLine, newLine): ([(old: Range<Int>, new: Range<Int>)], Int, Int) = ([], 0, 0)
    while oldLine < old.count || newLine < new.count {
      let (oldStart, newStart) = (oldLine, newLine)
      while removed.contains(oldLine) { oldLine += 1 }
      while inserted.contains(newLine) { newLine += 1 }
      guard oldLine > oldStart || newLine > newStart else {
        (oldLine, newLine) = (oldLine + 1, newLine + 1)
        continue
      }
      runs.append((oldStart..<oldLine, newStart..<newLine))
    }
    return runs
  }

  private static func grouped(
    _ runs: [(old: Range<Int>, new: Range<Int>)]
  ) -> [[(old: Range<Int>, new: Range<Int>)]] {
    var groups: [[(old: Range<Int>, new: Range<Int>)]] = []
    for run in runs {
      if let last = groups.last?.last, run.old.lowerBound - last.old.upperBound <= 2 * context {
        groups[groups.count - 1].append(run)
      } else {
        groups.append([run])
      }
    }
    return groups
  }

  private func text(of hunk: [(old: Range<Int>, new: Range<Int>)]) -> String {
    guard let first = hunk.first, let last = hunk.last else { return "" }
    let before = min(Self.context, first.old.lowerBound)
    // The last element is what follows the last line break.
    let after = min(Self.context, max(old.count - 1 - last.old.upperBound, 0))
    let oldRange = first.old.lowerBound - before..<last.old.upperBound + after
    let newRange = first.new.lowerBound - before..<last.new.upperBound + after
    var (lines, oldLine) = (["@@ -\(Self.place(oldRange)) +\(Self.place(newRange)) @@"], oldRange.lowerBound)
    for run in hunk {
      lines += old[oldLine..<run.old.lowerBound].map { " \($0)" }
      lines += run.old.flatMap { marked("-", old, $0) } + run.new.flatMap { marked("+", new, $0) }
      oldLine = run.old.upperBound
    }
    lines += old[oldLine..<oldRange.upperBound].map { " \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private func marked(_ sign: String, _ lines: [Substring], _ index: Int) -> [String] {
    guard index == lines.count - 1 else { return ["\(sign)\(lines[index])"] }
    return lines[index].isEmpty ? [] : ["\(sign)\(lines[index])", "\\ No newline at end of file"]
  }

  private static func place(_ range: Range<Int>) -> String {
    let start = range.isEmpty ? range.lowerBound : range.lowerBound + 1
    return range.count == 1 ? "\(start)" : "\(start),\(range.count)"
  }
}
