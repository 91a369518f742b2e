/// The work that the first values of views may do in a turn, in steps of about a quarter of a microsecond.
///
/// Steps are counted, and no time is measured, so the same history has the same output.
struct WorkBudget: Equatable {
  private(set) var steps: Int
  /// The times that something was computed for a version which was not the current one any more at the end; four times
  /// as many if all of it is computed again.
  private(set) var rounds = 0
  let isLimited: Bool

  /// At most this number of steps, and the rest of the last one's piece.
  init(steps: Int) { (self.steps, isLimited) = (steps, true) }

  private init() { (steps, isLimited) = (.max, false) }

  /// All work is done at once.
  static var unlimited: WorkBudget { WorkBudget() }

  var isSpent: Bool { steps <= 0 }

  /// Notes that the version for which something was computed is not the current one.
  mutating func noteRound(isNewBeginning: Bool) { rounds += isNewBeginning ? 4 : 1 }

  /// Takes the steps of a piece of work that is done.
  mutating func spend(_ count: Int) {
    if isLimited { steps -= count }
  }
}
