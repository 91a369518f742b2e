public import CustomDump
public import Dependencies
internal import Synchronization

/// Identifies an element of a ``StackState`` for as long as it is on the stack.
///
/// Elements are numbered from 0 in the order in which they are pushed. In tests an integer literal is an id.
public struct StackElementID: Hashable, Sendable {
  /// The number of the element.
  public let generation: Int

  package init(generation: Int) {
    self.generation = generation
  }
}

extension StackElementID: ExpressibleByIntegerLiteral {
  /// The id of the element with a number. For tests.
  public init(integerLiteral value: Int) { self.init(generation: value) }
}

extension StackElementID: CustomDebugStringConvertible {
  public var debugDescription: String { "#\(generation)" }
}

extension StackElementID: CustomDumpStringConvertible {
  /// The number: `#3`.
  public var customDumpDescription: String { debugDescription }
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

/// Generates the ids of pushed elements.
///
/// The numbers go round: after the greatest comes the least. An action of a peer may push an element with any id, so no
/// id may exhaust the numbers.
public final class StackElementIDGenerator: Sendable {
  private let count: Mutex<Int>

  /// Creates a generator that starts with a number.
  public init(first: Int = 0) {
    count = Mutex(first)
  }

  /// Returns the next id.
  public func next() -> StackElementID {
    count.withLock { count in
      defer { count &+= 1 }
      return StackElementID(generation: count)
    }
  }

  /// The id that ``next()`` will return.
  public func peek() -> StackElementID { count.withLock { StackElementID(generation: $0) } }

  /// Skips the ids up to one that was assigned without this generator, if it is one of the next 2⁶³.
  func advance(past id: StackElementID) {
    count.withLock { if id.generation &- $0 >= 0 { $0 = id.generation &+ 1 } }
  }

  /// Another generator with the same next id.
  public func copy() -> StackElementIDGenerator { StackElementIDGenerator(first: peek().generation) }
}

extension StackElementIDGenerator: DependencyKey {
  public static let liveValue = StackElementIDGenerator()
  public static var testValue: StackElementIDGenerator { StackElementIDGenerator() }
}

extension DependencyValues {
  /// The generator of the ids of pushed elements.
  public var stackElementID: StackElementIDGenerator {
    get { self[StackElementIDGenerator.self] }
    set { self[StackElementIDGenerator.self] = newValue }
  }
}
