import EtcdMessages

/// A search for the stores that share an etcd: those whose prefixes have the same parent, as `kitchen/` and `office/`
/// have, or `storehub/kitchen/` and `storehub/office/`.
///
/// It reads one key below each prefix and skips the rest, so that its cost does not depend on the lengths of the logs.
nonisolated struct StoreScan {
  /// The beginning of all prefixes; empty, or with a slash at its end.
  let parent: String
  /// The first key that has not been looked at.
  private var cursor: [UInt8]
  private var hasEnded = false
  /// The prefixes that were found, in order. Each may be that of a store or of another program.
  private(set) var prefixes: [String] = []

  /// The most keys that are read, for an etcd that other programs have filled.
  private static let stepLimit = 1000
  private var steps = 0

  /// Begins a search beside a prefix.
  init(beside prefix: String) {
    self.init(below: prefix.dropLast().lastIndex(of: "/").map { String(prefix[...$0]) } ?? "")
  }

  /// Begins a search below a prefix.
  init(below parent: String) { (self.parent, cursor) = (parent, Array(parent.utf8)) }

  /// The keys of which the first one is to be read; nil at the end of the search.
  var range: EtcdKeyRange? {
    guard !hasEnded, steps < Self.stepLimit else { return nil }
    // The zero byte is the least key, and as an end, no end.
    var range = EtcdKeyRange(cursor.isEmpty ? [0] : cursor)
    range.end = parent.isEmpty ? [0] : Self.end(of: parent)
    return range
  }

  /// True if the search was given up before its end.
  var isIncomplete: Bool { !hasEnded && steps >= Self.stepLimit }

  /// Notes the first key of the range; nil if it has none.
  mutating func note(_ key: [UInt8]?) {
    steps += 1
    guard let key, key.starts(with: parent.utf8) else { return hasEnded = true }
    guard let slash = key.dropFirst(parent.utf8.count).firstIndex(of: UInt8(ascii: "/")) else {
      // A key of no store.
      return cursor = key + [0]
    }
    let prefix = String(decoding: key[...slash], as: UTF8.self)
    // Text that is not UTF-8 is no prefix, and is skipped as well.
    if prefix.utf8.elementsEqual(key[...slash]) { prefixes.append(prefix) }
    cursor = Array(key[..<slash]) + [UInt8(ascii: "/") + 1]
  }

  /// The end of the keys that begin with a prefix, which ends with a slash.
  private static func end(of prefix: String) -> [UInt8] { Array(prefix.utf8.dropLast()) + [UInt8(ascii: "/") + 1] }
}
