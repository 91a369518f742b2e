internal import ConcurrencyExtras
internal import Synchronization

extension DependencyValues {
  /// A source of randomness that tests can replace.
  ///
  /// In a hub's reducer its numbers follow from the action's sender and its number, as those of ``uuid`` do.
  ///
  /// ```swift
  /// @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
  /// let roll = withRandomNumberGenerator { Int.random(in: 1...6, using: &$0) }
  /// ```
  public var withRandomNumberGenerator: WithRandomNumberGenerator {
    get { self[RandomNumberGeneratorKey.self] }
    set { self[RandomNumberGeneratorKey.self] = newValue }
  }
}

/// Lends a random number generator to one operation at a time.
public struct WithRandomNumberGenerator: Sendable {
  private let generator: Locked

  /// Creates a lender of a generator, whose state persists between uses.
  public init(_ generator: some RandomNumberGenerator & Sendable) {
    self.generator = Locked(generator)
  }

  /// Runs an operation with the generator; the operation must not request it again.
  public func callAsFunction<Result>(
    _ work: (inout any RandomNumberGenerator & Sendable) throws -> Result
  ) rethrows -> Result {
    try generator.lend(to: work)
  }

  private final class Locked: Sendable {
    private let mutex: Mutex<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
      mutex = Mutex(generator)
    }

    func lend<Result>(
      to work: (inout any RandomNumberGenerator & Sendable) throws -> Result
    ) rethrows -> Result {
      // The result may be anything that the work could return without a lock.
      try mutex.withLock { generator in try UncheckedSendable(work(&generator)) }.value
    }
  }
}

private enum RandomNumberGeneratorKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = WithRandomNumberGenerator(LiveRandomNumberGenerator())
  static var testValue: WithRandomNumberGenerator {
    WithRandomNumberGenerator(
      UnimplementedRandomNumberGenerator(report: unimplementedReport(of: "withRandomNumberGenerator")))
  }
}

/// The generator of the action that a hub's reducer handles on this thread; elsewhere the system's.
private struct LiveRandomNumberGenerator: RandomNumberGenerator, Sendable {
  private var system = SystemRandomNumberGenerator()

  mutating func next() -> UInt64 { ReducerSurroundings.current?.nextRandom() ?? system.next() }
}

private struct UnimplementedRandomNumberGenerator: RandomNumberGenerator, Sendable {
  private var system = SystemRandomNumberGenerator()
  private let report: UnimplementedReport

  init(report: @escaping UnimplementedReport) {
    self.report = report
  }

  mutating func next() -> UInt64 {
    if let number = ReducerSurroundings.current?.nextRandom() { return number }
    report("", nil)
    return system.next()
  }
}
