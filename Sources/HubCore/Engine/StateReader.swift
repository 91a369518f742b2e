import FeatureCore
import Wire

/// Checks that states can be read back from their bytes: from a snapshot, and from the deltas that follow it.
///
/// It reads what a client or a recovery would read, so it finds whatever their decoders refuse. Only types with
/// `ReadingRisks` need it.
struct StateReader<State: Replicated> {
  private let risks: ReadingRisks
  /// The state that was checked last; nil if none was.
  private var checked: State?
  /// What a reader of the bytes has of that state, if it may be something else: without fields that are not written,
  /// keys that differ may be equal.
  private var read: State?

  init(of type: State.Type) { risks = ReadingRisks(of: type) }

  /// True if states must be checked.
  var isNeeded: Bool { !risks.isEmpty }

  /// Begins with a state that was read from bytes.
  mutating func begin(with state: State) {
    guard isNeeded else { return }
    checked = state
    read = risks.contains(.keys) ? state : nil
  }

  /// Checks the next state. If it cannot be read back, nothing is changed.
  ///
  /// - Throws: The problem that a reader of the bytes would find.
  /// - Complexity: O(changes since the last state); O(size) for the first one.
  mutating func check(_ state: State) throws(WireError) {
    var encoder = CBOREncoder()
    var result: State
    if let checked {
      state.encodeDelta(from: checked, to: &encoder)
      result = read ?? checked
      var decoder = CBORDecoder(encoder.span)
      try result.apply(delta: &decoder)
      try decoder.finish()
    } else {
      state.encode(to: &encoder)
      result = try State(decoding: encoder.span)
    }
    if risks.contains(.nesting) {
      // The changes of several turns are sent as one, whose items may be nested twice as deep as those of each.
      var decoder = CBORDecoder(encoder.span)
      try decoder.skip(limit: CBORDecoder.nestingLimit / 2)
    }
    checked = state
    read = risks.contains(.keys) ? result : nil
  }
}
