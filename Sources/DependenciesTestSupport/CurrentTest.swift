internal import ConcurrencyExtras
internal import Dependencies
internal import Testing

/// Tells the dependencies which test runs, from before the first test on: the linker puts this function among those
/// that the process calls at its start.
@section(".init_array") @used
private let installCurrentTest: @convention(c) () -> Void = {
  CurrentTest.install {
    guard let test = Test.current else { return nil }
    return AnyHashableSendable(TestIdentity(test: test.id, arguments: CurrentTestCase.description))
  }
}

/// A test, and which of its cases.
struct TestIdentity: Hashable, Sendable {
  let test: Test.ID
  let arguments: String?
}

enum CurrentTestCase {
  /// Tells cases of one test apart, which run at the same time.
  static var description: String? {
    guard let testCase = Test.Case.current, testCase.isParameterized else { return nil }
    return String(describing: testCase)
  }
}
