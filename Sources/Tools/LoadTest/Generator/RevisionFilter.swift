/// Records the revisions of acknowledged actions, for measuring the freshness of subscribers.
///
/// Among many actions it records a sample, in which each entry counts for those that were left out. Random numbers choose
/// it. If the first actions of each interval were chosen, those that a stall delayed would be missing, because their
/// acknowledgements arrive together.
struct RevisionFilter {
  let source: ActionSource
  /// For each kind of action, true if it changes a subscribed part.
  let isTouching: [Bool]
  /// For each element of a collection, the scope that contains it; nil if all subscribers have the same scope.
  let scopeOfElement: [Int: Int]?
  /// After so many entries between two publications the sampled fraction is halved, and after as many again.
  static let limit = 50

  func record(
    _ range: Range<Int>, of connection: Int, _ time: UInt64, _ revision: UInt64, _ figures: inout ThreadFigures
  ) {
    guard isTouching.contains(true) else { return }
    if scopeOfElement == nil, isTouching.allSatisfy(\.self) {
      // These actions were sent and acknowledged together.
      let weight = weight(figures)
      guard isSampled(range.lowerBound, connection, weight) else { return }
      return figures.acknowledged.append(
        .init(time: time, revision: revision, count: range.count * weight, scope: nil))
    }
    for index in range {
      let weight = weight(figures)
      guard isSampled(index, connection, weight) else { continue }
      let choice = source.choice(index, of: connection)
      guard isTouching[choice.kind] else { continue }
      var scope: Int?
      if let scopeOfElement {
        guard let found = scopeOfElement[choice.values.element] else { continue }
        scope = found
      }
      figures.acknowledged.append(.init(time: time, revision: revision, count: weight, scope: scope))
    }
  }

  private func weight(_ figures: ThreadFigures) -> Int { 1 << min(figures.acknowledged.count / Self.limit, 20) }

  private func isSampled(_ index: Int, _ connection: Int, _ weight: Int) -> Bool {
    weight == 1 || Mix.hash(source.seed &+ UInt64(connection), UInt64(index)) & UInt64(weight - 1) == 0
  }
}
