/// The edit that turns one array into another: both keep their ends, and the elements between change.
struct Splice<Element: Replicated> {
  /// The elements between, in the base and in the result.
  let old: Range<Int>
  let new: Range<Int>
  /// The number of elements between that both arrays have, and whether they are the last and not the first.
  let paired: Int
  let pairsEnd: Bool
  /// The number of elements that are changed, removed or inserted.
  let changes: Int

  /// The number of elements between in the longer array.
  var length: Int { max(old.count, new.count) }

  init(from base: [Element], to result: [Element]) {
    let shorter = min(base.count, result.count)
    var prefix = 0
    while prefix < shorter, !result[prefix].differs(from: base[prefix]) { prefix += 1 }
    var suffix = 0
    while suffix < shorter - prefix,
      !result[result.count - 1 - suffix].differs(from: base[base.count - 1 - suffix])
    { suffix += 1 }
    old = prefix..<(base.count - suffix)
    new = prefix..<(result.count - suffix)
    paired = min(old.count, new.count)
    var (atStart, atEnd) = (0, 0)
    for index in 0..<paired where result[prefix + index].differs(from: base[prefix + index]) { atStart += 1 }
    if old.count == new.count {
      atEnd = atStart
    } else {
      for index in 1..<(paired + 1)
      where result[new.upperBound - index].differs(from: base[old.upperBound - index]) { atEnd += 1 }
    }
    pairsEnd = atEnd < atStart
    changes = min(atStart, atEnd) + max(old.count, new.count) - paired
  }

  /// Writes the change, element by element where there are pairs, or as one replacement of all elements between.
  func encode(pairing: Bool, from base: [Element], to result: [Element], to encoder: inout CBOREncoder) {
    let paired = pairing ? paired : 0
    let start = pairsEnd ? 0 : paired
    let removed = old.count - paired
    let inserted = new.dropFirst(start).prefix(new.count - paired)
    let pairs = pairsEnd ? new.suffix(paired) : new.prefix(paired)
    let shift = pairsEnd ? old.upperBound - new.upperBound : 0
    var updates = 0
    for index in pairs where result[index].differs(from: base[index + shift]) { updates += 1 }
    let splices = removed > 0 || !inserted.isEmpty
    encoder.mapHeader(count: (splices ? 1 : 0) + (updates > 0 ? 1 : 0))
    if splices {
      encoder.unsigned(0)
      encoder.arrayHeader(count: 2 + inserted.count)
      encoder.unsigned(UInt64(old.lowerBound + start))
      encoder.unsigned(UInt64(removed))
      for index in inserted { result[index].encode(to: &encoder) }
    }
    guard updates > 0 else { return }
    encoder.unsigned(1)
    encoder.mapHeader(count: updates)
    for index in pairs where result[index].differs(from: base[index + shift]) {
      encoder.unsigned(UInt64(index))
      result[index].encodeDelta(from: base[index + shift], to: &encoder)
    }
  }
}
