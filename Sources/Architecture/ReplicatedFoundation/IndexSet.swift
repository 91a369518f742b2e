public import Foundation
public import Wire

// For `case delete(IndexSet)`. It is not in `ReplicatedArchitecture`, which links only the essentials of Foundation.

extension IndexSet: WireValue {
  /// Writes the ranges of consecutive indices in ascending order, each as `[lower bound, upper bound]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: rangeView.count)
    for range in rangeView { range.encode(to: &encoder) }
  }

  /// Reads ranges that are written in this form: not empty, in ascending order, and with indices between them that are
  /// not in the set.
  /// - Complexity: O(bytes).
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    var next = 0
    for _ in 0..<(try decoder.arrayHeader()) {
      let start = decoder.offset
      let range = try Range<Int>(from: &decoder)
      guard !range.isEmpty, range.lowerBound >= next else { throw WireError(.outOfRange(type: "IndexSet"), at: start) }
      insert(integersIn: range)
      // At least one index is between two ranges; the last range may end at the greatest number.
      next = range.upperBound == .max ? .max : range.upperBound + 1
    }
  }

  /// An array of ranges, which tools of any language know.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { [Range<Int>].schema(in: &builder) }
}

extension IndexSet: Replicated {
  /// Returns true if the sets have different members.
  public func differs(from base: IndexSet) -> Bool { self != base }
}
