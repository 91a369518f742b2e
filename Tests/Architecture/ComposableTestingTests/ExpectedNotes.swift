import ComposableTesting
import Testing

/// A trait for tests whose test store notes what an exhaustive test would assert.
///
/// The notes are warnings. They are not printed, and those of the whole test must be the expected ones, in order.
struct ExpectedNotes: TestTrait, TestScoping {
  fileprivate let expected: [String]

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let notes = LockIsolated<[String]>([])
    let handler: IssueHandlingTrait = .compactMapIssues { issue in
      guard issue.severity == .warning else { return issue }
      notes.withValue { $0.append(issue.comments.map(\.rawValue).joined().replacing("\u{2007}", with: " ")) }
      return nil
    }
    try await handler.provideScope(for: test, testCase: testCase, performing: function)
    #expect(notes.value == expected.map { "Skipped assertions: …\n\n\($0)" })
  }
}

extension Trait where Self == ExpectedNotes {
  /// The test store notes these assertions, which the test leaves out.
  static func skips(_ assertions: String...) -> Self { Self(expected: assertions) }

  /// The test store notes an assertion a number of times.
  static func skips(_ assertion: String, times count: Int) -> Self {
    Self(expected: Array(repeating: assertion, count: count))
  }
}
