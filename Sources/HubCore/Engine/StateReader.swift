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

  /// Begins with a state that a reducer has made: what a reader of its bytes has may be something else.
  mutating func begin(withUnread state: State) {
    begin(with: state)
    if risks.contains(.keys) { (checked, read) = (nil, nil) }
  }

  /// Returns what a reader of the bytes has of the state with which this has begun, to which the next delta applies.
  ///
  /// - Throws: The problem that a reader of the bytes would find.
  /// - Complexity: O(size) for a state that was not read from bytes and whose keys may not be completely written.
  func asRead(_ state: State) throws(WireError) -> State {
    guard risks.contains(.keys), checked == nil else { return state }
    var encoder = CBOREncoder()
    state.encode(to: &encoder)
    return try State(decoding: encoder.span)
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
