import Wire

/// The true history of a hub: the state after each turn, and the actions that led there.
///
/// A recovered hub continues with a copy of the truth up to its revision.
final class HubTruth {
  private(set) var states: [UInt64: any SimulatedState] = [:]
  /// Tags with the revision after the turn in which they took effect, in order.
  private(set) var applied: [(tag: UInt64, revision: UInt64)] = []
  private var revisions: [UInt64: UInt64] = [:]
  private var lastNumbers: [UInt32: UInt32] = [:]
  private(set) var revision: UInt64 = 0

  /// Creates a truth without states, for a hub that no oracle checks.
  init() {}

  init(_ state: any SimulatedState) { states[0] = state }

  /// Copies the truth up to a revision.
  init(_ other: HubTruth, upTo revision: UInt64) {
    states = other.states.filter { $0.key <= revision }
    self.revision = revision
    for (tag, at) in other.applied where at <= revision { add(tag, at) }
  }

  /// Replaces the last state by the one that a starting hub has converted to its own schema.
  func convert(to state: any SimulatedState, at revision: UInt64) {
    states[revision] = state
    self.revision = revision
  }

  func isApplied(_ tag: UInt64) -> Bool { revisions[tag] != nil }

  /// The revision after the turn in which an action took effect.
  func revision(of tag: UInt64) -> UInt64? { revisions[tag] }

  /// The state at the end of the turn that a revision is in or ends; nil if there is none.
  func state(atOrAfter revision: UInt64) -> (any SimulatedState)? {
    states[revision] ?? states.keys.filter { $0 > revision }.min().flatMap { states[$0] }
  }

  /// Records the effects of a turn.
  func note(_ tags: [UInt64], _ state: @autoclosure () -> any SimulatedState, at revision: UInt64) throws {
    guard revision != self.revision else {
      guard tags.isEmpty else { throw Violation(.appliedOutOfOrder, "actions took effect without a revision") }
      return
    }
    self.revision = revision
    states[revision] = state()
    for tag in tags {
      if let earlier = revisions[tag] {
        throw Violation(
          .appliedTwice, "\(Tag.text(tag)) took effect by revision \(earlier) and again by \(revision)")
      }
      if !Tag.isEcho(tag), let last = lastNumbers[Tag.process(tag)], last > Tag.number(tag) {
        throw Violation(.appliedOutOfOrder, "\(Tag.text(tag)) took effect after action \(last)")
      }
      add(tag, revision)
    }
  }

  private func add(_ tag: UInt64, _ revision: UInt64) {
    applied.append((tag, revision))
    revisions[tag] = revision
    if !Tag.isEcho(tag) { lastNumbers[Tag.process(tag)] = Tag.number(tag) }
  }
}
