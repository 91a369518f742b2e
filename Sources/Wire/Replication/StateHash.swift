internal import CXXHash
internal import IdentifiedCollections

/// A hash of a state. States with the same bytes have the same hash; different ones collide with a probability of about
/// 1 in 2⁶⁰.
///
/// ```swift
/// if replica.stateHash() != hash { /* what the replica holds is not what the hub holds */ }
/// ```
///
/// It detects divergence. It does not protect against deliberate collisions.
///
/// `docs/PROTOCOL.md` defines it for implementations in other languages. It is the XXH3-64 of the state's *summary*:
/// the state's deterministic bytes, with each identified array replaced by its count and a hash of its elements'
/// hashes. That hash does not depend on the shape of the tree, whose nodes cache their parts of it.
public struct StateHash: Hashable, Sendable {
  /// The 64 bits.
  public let value: UInt64

  /// Creates a hash that was computed elsewhere.
  public init(value: UInt64) {
    self.value = value
  }
}

extension WireValue {
  /// The hash of the value.
  ///
  /// As in deltas, the parts of identified arrays that are shared with a previously hashed version are not visited
  /// again. The bytes of an element must therefore depend only on the element.
  /// - Complexity: O(size of the value) the first time. Afterwards, O(k log n) for k changes in an identified array of
  ///   n elements, where each change encodes up to 65 elements, and O(size) for everything outside identified arrays.
  ///   Dictionaries and sets sort their keys each time, which is O(n log n).
  public func stateHash() -> StateHash {
    var encoder = CBOREncoder(isSummary: true)
    return StateHash(value: encoder.summaryHash(of: self))
  }

  /// The hash of the value, if it needs no more than some work; otherwise nil, and the next call goes on.
  ///
  /// ```swift
  /// var budget = 1 << 18
  /// guard let hash = state.stateHash(budget: &budget) else { return /* and try again in the next turn */ }
  /// ```
  ///
  /// - Parameter budget: The bytes to hash, plus 64 for each element of an identified array. It can be exceeded by one
  ///   leaf of 32 elements, and by everything outside identified arrays, which is hashed as a whole.
  package func stateHash(budget: inout Int) -> StateHash? {
    var encoder = CBOREncoder(isSummary: true)
    encoder.hashBudget = budget
    encode(to: &encoder)
    let isComplete = encoder.hashBudget != .min
    budget = max(encoder.hashBudget, encoder.count) - encoder.count
    return isComplete ? StateHash(value: encoder.takeHash(from: 0)) : nil
  }

  /// The bytes whose XXH3-64 is the value's hash. For tests.
  package func summary() -> [UInt8] {
    var encoder = CBOREncoder(isSummary: true)
    encode(to: &encoder)
    return encoder.bytes
  }
}

extension CBOREncoder {
  /// The hash of a value. The used part of the buffer is released afterwards, so that nested arrays share one buffer.
  fileprivate mutating func summaryHash(of value: some WireValue) -> UInt64 {
    let start = count
    value.encode(to: &self)
    return takeHash(from: start)
  }

  /// The hash of the bytes from an offset on, which are removed.
  fileprivate mutating func takeHash(from start: Int) -> UInt64 {
    let hash = unsafe bytes.withUnsafeBytes { bytes in
      let summary = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      return unsafe XXH3_64bits(summary.baseAddress, summary.count)
    }
    buffer.removeLast(count - start)
    return hash
  }

  /// The hash of a leaf of an identified array; nil if the budget is spent.
  fileprivate mutating func summaryHash<Element: WireValue>(of elements: UnsafeBufferPointer<Element>) -> UInt64? {
    guard hashBudget > 0 else {
      hashBudget = .min
      return nil
    }
    var (hash, byteCount) = (UInt64(0), 64 * elements.count)
    for index in elements.indices {
      let start = count
      unsafe elements[index].encode(to: &self)
      // Only a whole leaf counts. Otherwise a large one might stop at the same nested array in each call.
      guard hashBudget != .min else {
        buffer.removeLast(count - start)
        return nil
      }
      byteCount += count - start
      hash = SequenceHash.appending(takeHash(from: start), to: hash)
    }
    hashBudget = max(hashBudget - byteCount, 0)
    return hash
  }
}

extension IdentifiedArray where Element: WireValue & Identifiable, ID == Element.ID, ID: WireValue {
  /// Writes a byte string of the count and the hash of the elements' hashes.
  func encodeSummary(to encoder: inout CBOREncoder) {
    let hash = unsafe sequenceHash { unsafe encoder.summaryHash(of: $0) }
    encoder.head(.bytes, 16)
    encoder.littleEndian(UInt64(count))
    encoder.littleEndian(hash ?? 0)
  }
}

extension CBOREncoder {
  fileprivate mutating func littleEndian(_ value: UInt64) {
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe buffer.append(contentsOf: $0) }
  }
}

extension StateHash: WireValue {
  /// Writes an unsigned integer.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.unsigned(value)
  }

  /// Reads an unsigned integer.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    value = try decoder.unsigned()
  }
}

extension StateHash: CustomStringConvertible {
  /// 16 hexadecimal digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
