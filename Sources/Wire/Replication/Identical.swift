/// Shortcuts for values that are the same without a look at what they refer to.
enum Identical {
  /// Whether two values have the same bits: then they are the same value.
  ///
  /// Of a copied array, dictionary, set or string the bits are a reference to the storage that the copies share as
  /// long as neither changes. False says nothing.
  /// - Complexity: O(1).
  @inline(__always)
  static func bits<Value>(_ first: Value, _ second: Value) -> Bool {
    withUnsafeBytes(of: first) { first in
      withUnsafeBytes(of: second) { second in
        var index = 0
        while index < first.count {
          if first[index] != second[index] { return false }
          index += 1
        }
        return true
      }
    }
  }
}
