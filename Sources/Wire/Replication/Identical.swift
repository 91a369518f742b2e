/// Shortcuts that recognise identical values without following references.
enum Identical {
  /// Returns true if two values have the same bits, and so are the same value.
  ///
  /// The bits of an array, dictionary, set or string are a reference to storage that copies share until one of them
  /// changes. A result of false is inconclusive.
  /// - Complexity: O(1).
  @inline(__always)
  static func bits<Value>(_ first: Value, _ second: Value) -> Bool {
    unsafe withUnsafeBytes(of: first) { first in
      unsafe withUnsafeBytes(of: second) { second in
        var index = 0
        while index < first.count {
          if unsafe first[index] != second[index] { return false }
          index += 1
        }
        return true
      }
    }
  }
}
