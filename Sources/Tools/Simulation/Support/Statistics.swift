/// Counts of what happened in a simulation, which can be added up over many seeds.
package protocol Statistics {
  /// Creates statistics of nothing.
  init()

  /// The counts with their names.
  static var fields: [(String, WritableKeyPath<Self, Int>)] { get }
}

extension Statistics {
  /// The numbers, for `init(numbers:)`.
  package var numbers: [Int] { Self.fields.map { self[keyPath: $0.1] } }

  /// Creates statistics from sums of numbers.
  package init(numbers: [Int]) {
    self.init()
    for (field, number) in zip(Self.fields, numbers) { self[keyPath: field.1] = number }
  }

  /// The numbers with their names, for people.
  package var text: String { Self.fields.map { "\($0.0) \(self[keyPath: $0.1])" }.joined(separator: ", ") }
}
