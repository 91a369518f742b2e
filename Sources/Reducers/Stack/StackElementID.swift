public import Dependencies
internal import Synchronization

/// Names an element of a ``StackState`` for as long as it is on the stack.
///
/// Ids are given in the order of pushing, from 0; in tests an integer literal is one.
public struct StackElementID: Hashable, Sendable {
  /// Which pushed element it is, from 0.
  public let generation: Int

  package init(generation: Int) {
    self.generation = generation
  }
}

extension StackElementID: ExpressibleByIntegerLiteral {
  /// The element that was pushed as number `value`, from 0: for tests.
  public init(integerLiteral value: Int) { self.init(generation: value) }
}

extension StackElementID: CustomDebugStringConvertible {
  public var debugDescription: String { "#\(generation)" }
}

extension StackElementID: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(generation: try decoder.singleValueContainer().decode(Int.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(generation)
  }
}

/// Gives ids to pushed elements.
public final class StackElementIDGenerator: Sendable {
  private let count: Mutex<Int>

  /// A generator whose first id is that number.
  public init(first: Int = 0) {
    count = Mutex(first)
  }

  /// The next id, which is given only once.
  public func next() -> StackElementID {
    count.withLock { count in
      defer { count += 1 }
      return StackElementID(generation: count)
    }
  }

  /// The id that ``next()`` would give.
  public func peek() -> StackElementID { count.withLock { StackElementID(generation: $0) } }

  /// Another generator that goes on from here.
  public func copy() -> StackElementIDGenerator { StackElementIDGenerator(first: peek().generation) }
}

extension StackElementIDGenerator: DependencyKey {
  public static let liveValue = StackElementIDGenerator()
  public static var testValue: StackElementIDGenerator { StackElementIDGenerator() }
}

extension DependencyValues {
  /// Gives ids to pushed elements.
  public var stackElementID: StackElementIDGenerator {
    get { self[StackElementIDGenerator.self] }
    set { self[StackElementIDGenerator.self] = newValue }
  }
}
