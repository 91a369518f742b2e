public import FoundationEssentials
internal import Synchronization

extension DependencyValues {
  /// Generates identifiers.
  ///
  /// ```swift
  /// @Dependency(\.uuid) var uuid
  /// state.todos.append(Todo(id: uuid()))
  /// ```
  public var uuid: UUIDGenerator {
    get { self[UUIDKey.self] }
    set { self[UUIDKey.self] = newValue }
  }
}

/// Generates identifiers.
public struct UUIDGenerator: Sendable {
  private let generate: @Sendable () -> UUID

  /// Creates a generator that calls a function for each identifier.
  public init(_ generate: @escaping @Sendable () -> UUID) {
    self.generate = generate
  }

  /// A generator that always returns the same identifier.
  public static func constant(_ uuid: UUID) -> UUIDGenerator {
    UUIDGenerator { uuid }
  }

  /// A new generator that counts: `UUID(0)`, `UUID(1)` and so on.
  public static var incrementing: UUIDGenerator {
    let counter = Counter()
    return UUIDGenerator { UUID(counter.next()) }
  }

  /// A new identifier.
  public func callAsFunction() -> UUID { generate() }

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
  }
}

extension UUID {
  /// The identifier with the hexadecimal digits of a number: `UUID(10)` is `00000000-0000-0000-0000-00000000000A`.
  ///
  /// A negative number has the digits of its two's complement: `UUID(-1)` is `00000000-0000-0000-FFFF-FFFFFFFFFFFF`.
  public init(_ value: Int) {
    self = withUnsafeBytes(of: UInt64(truncatingIfNeeded: value).bigEndian) { bytes in
      UUID(
        uuid: (
          0, 0, 0, 0, 0, 0, 0, 0,
          bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]
        ))
    }
  }
}

private enum UUIDKey: DependencyKey {
  static let liveValue = UUIDGenerator { UUID() }
  static let testValue = UUIDGenerator {
    reportUnimplemented("uuid")
    return UUID()
  }
}
