/// Returns true if two values are equal: by `==` if their type has it, objects by identity, others field by field.
///
/// A difference compares before it descends, so equal parts cost one comparison and no dump.
func areEqual(_ lhs: Any, _ rhs: Any) -> Bool {
  if let lhs = lhs as? any Equatable { return lhs.isEqual(to: rhs) }
  if let lhs = lhs as? any DumpedReference, let rhs = rhs as? any DumpedReference {
    return areEqual(lhs.dumpedValueBefore, rhs.dumpedValue)
  }
  if let lhs = lhs as? any Any.Type { return (rhs as? any Any.Type).map { lhs == $0 } ?? false }
  guard type(of: lhs) == type(of: rhs) else { return false }
  if let lhs = lhs as? any UnorderedDictionary, let rhs = rhs as? any UnorderedDictionary {
    return areEqual(lhs, rhs)
  }
  let (left, right) = (Mirror(customDumpReflecting: lhs), Mirror(customDumpReflecting: rhs))
  if left.displayStyle == .class { return lhs as AnyObject === rhs as AnyObject }
  guard left.children.count == right.children.count else { return false }
  if left.displayStyle == .enum, left.children.isEmpty, caseName(of: lhs) != caseName(of: rhs) { return false }
  return zip(left.children, right.children).allSatisfy { $0.label == $1.label && areEqual($0.value, $1.value) }
}

private func areEqual(_ lhs: any UnorderedDictionary, _ rhs: any UnorderedDictionary) -> Bool {
  let pairs = lhs.pairs
  return pairs.count == rhs.pairs.count
    && pairs.allSatisfy { pair in rhs.value(of: pair.key).map { areEqual(pair.value, $0) } ?? false }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool {
    (other as? Self).map { self == $0 } ?? false
  }
}
