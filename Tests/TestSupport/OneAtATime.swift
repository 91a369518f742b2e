public import Testing

/// A trait of tests that compute for seconds: only one of them runs at a time, whatever their suites.
///
/// There is one thread for each core. Without this, such tests take them all, and those that wait for a socket or a timer are
/// not asked for longer than they are patient.
public struct OneAtATime: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A suite and a test with cases have none of their own, and would wait for themselves.
    guard testCase != nil else { return try await function() }
    await Turns.shared.take()
    do {
      try await function()
    } catch {
      await Turns.shared.pass()
      throw error
    }
    await Turns.shared.pass()
  }
}

extension Trait where Self == OneAtATime {
  /// Only one of the tests with this trait runs at a time.
  public static var oneAtATime: Self { Self() }
}

/// Whose turn it is.
private actor Turns {
  static let shared = Turns()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
