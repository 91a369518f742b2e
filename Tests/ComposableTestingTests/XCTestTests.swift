import ComposableTesting
import Foundation
import XCTest

@Reducer
private struct Tapping {
  @ObservableState struct State: Equatable { var count = 0 }
  enum Action { case tapped }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

/// A test store in XCTest, where failures belong to the test case, at the line of the assertion.
final class TestStoreInXCTest: XCTestCase {
  private var expectsFailure = false
  private var failures: [(text: String, file: String, line: Int)] = []

  override func recordFailure(
    withDescription description: String, inFile file: String, atLine line: Int, expected: Bool
  ) {
    guard expectsFailure else {
      return super.recordFailure(withDescription: description, inFile: file, atLine: line, expected: expected)
    }
    failures.append((description, file, line))
  }

  @MainActor
  func testAnAssertionThatHolds() async {
    let store = TestStore(initialState: Tapping.State()) { Tapping() }
    await store.send(.tapped) { $0.count = 1 }
  }

  @MainActor
  func testAFailureIsAtItsLine() async {
    let store = TestStore(initialState: Tapping.State()) { Tapping() }
    expectsFailure = true
    await store.send(.tapped) { $0.count = 2 }
    let line = #line - 1
    expectsFailure = false
    XCTAssertEqual(failures.count, 1)
    XCTAssertEqual(failures.first?.line, line)
    XCTAssertEqual(failures.first?.file, #filePath)
    XCTAssertTrue(failures.first?.text.contains("A state change does not match expectation") ?? false)
  }
}
