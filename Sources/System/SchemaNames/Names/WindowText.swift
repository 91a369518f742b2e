internal import Wire

/// Windows of collections in users' notation, where positions below 0 count from the end:
///
/// - `[100..<150]`: the elements at the positions 100 to 149;
/// - `[-20...]`: the last 20;
/// - `[-20..<-10]`: the 10 before the last 10.
enum WindowText {
  /// The step for the text between the brackets; nil if it is not that of a window.
  static func step(_ text: String) -> PathStep? {
    if text.hasSuffix("..."), let start = Int(text.dropLast(3)), (Int.min + 1..<0).contains(start) {
      return .window(start: start, count: -start)
    }
    guard let operation = text.firstRange(of: "..<"), let start = Int(text[..<operation.lowerBound]),
      let end = Int(text[operation.upperBound...]), start < end, (start < 0) == (end < 0)
    else { return nil }
    return .window(start: start, count: end - start)
  }

  /// The text of a step, with the brackets.
  static func text(start: Int, count: Int) -> String {
    let (end, overflows) = start.addingReportingOverflow(count)
    if start < 0, end >= 0 { return "[\(start)...]" }
    return "[\(start)..<\(overflows ? .max : end)]"
  }
}
