public import FoundationEssentials
internal import IssueReporting
internal import Synchronization

extension DependencyValues {
  /// Generates identifiers.
  ///
  /// In a hub's reducer they follow from the action's sender and its number, so that a client which predicts the action
  /// makes the same ones; others cannot guess them.
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
  private let generate: @Sendable (_ place: IssueLocation?) -> UUID

  /// Creates a generator that calls a function for each identifier.
  public init(_ generate: @escaping @Sendable () -> UUID) {
    self.generate = { _ in generate() }
  }

  fileprivate init(reporting generate: @escaping @Sendable (_ place: IssueLocation?) -> UUID) {
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
  public func callAsFunction(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> UUID {
    generate(IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// A new identifier, for use as a function without arguments: `uuid.callAsFunction`.
  @_disfavoredOverload
  public func callAsFunction() -> UUID { generate(nil) }

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
  }
}

extension UUID {
  /// The identifier with the hexadecimal digits of a number: `UUID(10)` is `00000000-0000-0000-0000-00000000000A`.
  ///
  /// A negative number has the digits of its two's complement in 32 bits: `UUID(-1)` is
  /// `00000000-0000-0000-0000-0000FFFFFFFF`.
  public init(_ value: Int) {
    let number = value < 0 ? UInt64(UInt32(truncatingIfNeeded: value)) : UInt64(value)
    self = withUnsafeBytes(of: number.bigEndian) { bytes in
      UUID(
        uuid: (
          0, 0, 0, 0, 0, 0, 0, 0,
          bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]
        ))
    }
  }
}

private enum UUIDKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = UUIDGenerator { ofReducer ?? UUID() }
  static var testValue: UUIDGenerator {
    let report = unimplementedReport(of: "uuid")
    return UUIDGenerator(reporting: { place in
      if let uuid = ofReducer { return uuid }
      report("", place)
      return UUID()
    })
  }

  /// The next identifier of the action that a hub's reducer handles on this thread: 122 random bits (RFC 9562, version 4).
  private static var ofReducer: UUID? {
    guard let surroundings = ReducerSurroundings.current, let high = surroundings.nextRandom(),
      let low = surroundings.nextRandom()
    else { return nil }
    let words = (
      (high & 0xffff_ffff_ffff_0fff | 0x4000).bigEndian, (low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000).bigEndian
    )
    return withUnsafeBytes(of: words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
