public import CustomDump
public import Dependencies
internal import Synchronization

/// Identifies an element of a ``StackState`` for as long as it is on the stack.
///
/// In tests, elements are numbered from 0 in the order in which they are pushed, and an integer literal is an id.
/// Elsewhere ids are random; see ``StackElementIDGenerator``.
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
/// Several processes push on one stack of a hub, and a hub is restarted while its stacks stay. A live id is therefore 53
/// random bits, so that no two processes choose the same, and that an action which is late meets no newer element. In
/// tests, ids are numbered from 0.
///
/// Numbers go round: after the greatest comes the least. An action of a peer may push an element with any id, so no id
/// may exhaust the numbers.
public final class StackElementIDGenerator: Sendable {
  private enum Source {
    /// The number of the next id.
    case numbers(next: Int)
    /// The next id, if it was asked for already.
    case random(next: StackElementID?)
  }

  private let source: Mutex<Source>

  private init(_ source: Source) { self.source = Mutex(source) }

  /// Creates a generator of numbers.
  ///
  /// - Parameter first: The first number.
  public convenience init(first: Int = 0) { self.init(.numbers(next: first)) }

  /// Creates a generator of random ids, which are drawn from `\.withRandomNumberGenerator`.
  public static func random() -> StackElementIDGenerator { StackElementIDGenerator(.random(next: nil)) }

  /// Returns the next id.
  public func next() -> StackElementID {
    source.withLock { source in
      switch source {
      case .numbers(let next):
        source = .numbers(next: next &+ 1)
        return StackElementID(generation: next)
      case .random(let next):
        // In a hub's reducer an id follows from the action, and not from what a view has asked for.
        if ReducerSurroundings.current != nil { return .drawn() }
        source = .random(next: nil)
        return next ?? .drawn()
      }
    }
  }

  /// The id that ``next()`` will return.
  public func peek() -> StackElementID {
    source.withLock { source in
      switch source {
      case .numbers(let next): return StackElementID(generation: next)
      case .random(let next):
        let next = next ?? .drawn()
        source = .random(next: next)
        return next
      }
    }
  }

  /// Skips the numbers up to one that was assigned without this generator, if it is one of the next 2⁶³.
  func advance(past id: StackElementID) {
    source.withLock { source in
      guard case .numbers(let next) = source, id.generation &- next >= 0 else { return }
      source = .numbers(next: id.generation &+ 1)
    }
  }

  /// Another generator with the same next id.
  public func copy() -> StackElementIDGenerator {
    _ = peek()
    return StackElementIDGenerator(source.withLock { $0 })
  }
}

extension StackElementID {
  /// A random id. It has 53 bits, which any reader of JSON keeps.
  fileprivate static func drawn() -> Self {
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
    return Self(generation: withRandomNumberGenerator { Int($0.next() >> 11) })
  }
}

extension StackElementIDGenerator: DependencyKey {
  public static let liveValue = StackElementIDGenerator.random()
  public static var testValue: StackElementIDGenerator { StackElementIDGenerator() }
  /// True: in a hub the ids follow from the action.
  public static let isReproducible = true
}

extension DependencyValues {
  /// The generator of the ids of pushed elements.
  public var stackElementID: StackElementIDGenerator {
    get { self[StackElementIDGenerator.self] }
    set { self[StackElementIDGenerator.self] = newValue }
  }
}
