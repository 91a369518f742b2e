import ClusterCore
import ClusterLog
internal import RandomNumbers
import Wire

/// The feature's state in the simulation of a cluster: what each session has done, and a digest of everything.
///
/// Its reducer draws random numbers, so that a node that reduced an action again would have another state.
struct ClusterModel: Equatable {
  /// The number of each session's last action.
  private(set) var processed: [ClusterSession: UInt64] = [:]
  private(set) var digest: UInt64 = 0

  /// An action with its effect on the state.
  struct Change {
    let session: ClusterSession
    let number: UInt64
    let effect: UInt64
  }

  /// Returns the changes of a turn's actions. None of them may be missing before the first.
  mutating func reduce(
    _ session: ClusterSession, first: UInt64, count: Int, _ chance: inout SplitMix
  ) throws -> [Change] {
    let last = processed[session] ?? 0
    let new = first + UInt64(count)
    guard new > last + 1 else { return [] }
    let changes = (last + 1..<new).map { Change(session: session, number: $0, effect: chance.next()) }
    for change in changes { try apply(change) }
    return changes
  }

  /// Applies a change, exactly once and in order.
  mutating func apply(_ change: Change) throws {
    let last = processed[change.session] ?? 0
    guard change.number > last else {
      throw Violation(.appliedTwice, "action \(change.number) of a session of \(change.session.node)")
    }
    guard change.number == last + 1 else {
      throw Violation(.appliedOutOfOrder, "action \(change.number) of \(change.session.node) after \(last)")
    }
    processed[change.session] = change.number
    digest = SplitMix.mixed(digest ^ change.effect) &+ change.number
  }

  mutating func apply(turn: [UInt8]) throws { for change in try Self.changes(in: turn) { try apply(change) } }

  // MARK: Bytes

  /// Encodes a turn, with as many bytes as its actions have.
  static func turn(_ changes: [Change], padding: Int) -> [UInt8] {
    var encoder = CBOREncoder()
    encoder.arrayHeader(count: changes.count + 1)
    encoder.byteString([UInt8](repeating: 0, count: padding).span.bytes)
    for change in changes {
      encoder.arrayHeader(count: 5)
      change.session.node.encode(to: &encoder)
      encoder.unsigned(UInt64(change.session.user))
      change.session.id.encode(to: &encoder)
      encoder.unsigned(change.number)
      encoder.unsigned(change.effect)
    }
    return encoder.bytes
  }

  static func changes(in turn: [UInt8]) throws -> [Change] {
    var decoder = CBORDecoder(turn.span.bytes)
    let count = try decoder.arrayHeader()
    _ = try decoder.byteString()
    var changes: [Change] = []
    for _ in 1..<count {
      try decoder.tuple(5)
      let node = try NodeName(from: &decoder)
      let user = UInt32(truncatingIfNeeded: try decoder.unsigned())
      let session = ClusterSession(node: node, user: user, id: try SessionID(from: &decoder))
      changes.append(Change(session: session, number: try decoder.unsigned(), effect: try decoder.unsigned()))
    }
    return changes
  }
}
