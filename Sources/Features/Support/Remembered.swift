/// A value that a reducer keeps only to save itself work, such as a result that the next one can start from.
///
/// The result of an action must be the same without it: it does not count in comparisons, and a field of this type is
/// marked `@Replicated(omit)`, so a replica or a hub after a restart begins without a value.
///
/// A reference, so that states that hold one are copied at the cost of one counted reference.
struct Remembered<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private var box: Box?

  /// The value; `nil` if none is remembered.
  var value: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }
}

extension Remembered: Equatable {
  static func == (lhs: Self, rhs: Self) -> Bool { true }
}

extension Remembered: CustomReflectable {
  /// Without children, so that dumps of states and their differences do not contain the value.
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// A number that a reducer keeps for the same purpose, within the state itself: counting allocates no memory.
struct Tally: Equatable, Sendable {
  var count = 0

  static func == (lhs: Self, rhs: Self) -> Bool { true }
}

extension Tally: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: []) }
}
