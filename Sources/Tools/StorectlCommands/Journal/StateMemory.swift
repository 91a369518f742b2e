internal import Wire

extension CBORValue {
  /// The approximate memory of a state's long plain lists, which versions of the state do not share.
  var plainListBytes: Int { plainListBytes(depth: 0) }

  private func plainListBytes(depth: Int) -> Int {
    guard depth < 6 else { return 0 }
    switch self {
    case .array(let items):
      let own = items.count * MemoryLayout<CBORValue>.stride
      return items.count > 64 ? own : items.reduce(own) { $0 + $1.plainListBytes(depth: depth + 1) }
    case .map(let pairs):
      let own = pairs.count * MemoryLayout<CBORValue.Pair>.stride
      return pairs.count > 64 ? own : pairs.reduce(own) { $0 + $1.value.plainListBytes(depth: depth + 1) }
    default: return 0
    }
  }
}
