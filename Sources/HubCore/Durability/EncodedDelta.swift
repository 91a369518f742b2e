/// The encoded change of the feature's state in one turn, which the log's record and the subscribers' frames share.
struct EncodedDelta {
  /// The revision before the turn.
  let base: UInt64
  /// The revision after the turn.
  let revision: UInt64
  let bytes: [UInt8]
  /// The memory of the new state that it does not share with the old one (`CBOREncoder.unsharedByteCount`).
  let unsharedByteCount: Int
}
