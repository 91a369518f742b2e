/// Insertions into a text, some in place of spaces. All other bytes stay as they are.
struct Edits {
  private var insertions: [(offset: Int, text: String, removed: Int)] = []

  var isEmpty: Bool { insertions.isEmpty }

  /// Inserts text before the byte at an offset, after what was inserted there earlier.
  ///
  /// - Parameter spaces: The number of spaces from the offset that the text replaces.
  mutating func insert(_ text: String, at offset: Int, replacing spaces: Int = 0) {
    insertions.append((offset, text, spaces))
  }

  /// The number of lines that are inserted before the byte at an offset.
  func linesInserted(upTo offset: Int) -> Int {
    insertions.filter { $0.offset <= offset }.reduce(0) { $0 + $1.text.utf8.count { $0 == UInt8(ascii: "\n") } }
  }

  /// Returns the text with all insertions.
  /// - Complexity: O(n), and O(m log m) for m insertions.
  func applied(to text: String) -> String {
    let bytes = Array(text.utf8)
    var (result, copied): ([UInt8], Int) = ([], 0)
    let ordered = insertions.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
    for (_, insertion) in ordered {
      result += bytes[copied..<insertion.offset]
      result += insertion.text.utf8
      copied = insertion.offset + insertion.removed
    }
    return String(decoding: result + bytes[copied...], as: UTF8.self)
  }
}
