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

  /// Failures that are found later, where no task knows its test, are still at a line of the test or the feature.
  @MainActor
  func testALateActionIsAtTheLineThatSent() async {
    let kept = LockIsolated<Send<Int>?>(nil)
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { state, action in action == 0 ? .run { send in kept.setValue(send) } : .none }
    }
    await store.send(0)
    let line = #line - 1
    await store.finish()
    expectsFailure = true
    // As from a callback of another library.
    await Task.detached { await kept.value?(7) }.value
    expectsFailure = false
    XCTAssertEqual(failures.map(\.line), [line])
    XCTAssertEqual(failures.first?.file, #filePath)
    await store.receive(7)
  }

  @MainActor
  func testALateActionOfAStoreIsAtItsEffect() async {
    let kept = LockIsolated<Send<Int>?>(nil)
    let line = #line + 3
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { _, action in
        action == 0 ? .run { send in kept.setValue(send) } : .none
      }
    }
    await store.send(0).finish()
    expectsFailure = true
    kept.value?(7)
    expectsFailure = false
    XCTAssertEqual(failures.map(\.line), [line])
    XCTAssertEqual(failures.first?.file, #filePath)
  }

  @MainActor
  func testABindingThatNoReducerHandlesIsAtTheBindingOrTheStore() async {
    let store = Store(initialState: Deaf.State()) { Deaf() }
    let line = #line - 1
    expectsFailure = true
    store.name = "a"
    store.binding(\.name).wrappedValue = "b"
    expectsFailure = false
    XCTAssertEqual(failures.map(\.line), [line, #line - 2])
    XCTAssertEqual(Set(failures.map(\.file)), [#filePath])
  }

  @MainActor
  func testAMissingConformanceIsAtTheAssertion() async {
    struct Failure: Error {}
    struct State: Equatable { var result: TaskResult<Int>? }
    let store = TestStore(initialState: State()) {
      Reduce<State, Int> { state, _ in
        state.result = .failure(Failure())
        return .none
      }
    }
    expectsFailure = true
    await store.send(0) { $0.result = .failure(Failure()) }
    let line = #line - 1
    expectsFailure = false
    XCTAssertEqual(Set(failures.map(\.line)), [line])
    XCTAssertEqual(Set(failures.map(\.file)), [#filePath])
  }
}

@Reducer
private struct Deaf {
  @ObservableState struct State: Equatable { var name = "" }
  enum Action: BindableAction { case binding(BindingAction<State>) }
  var body: some ReducerOf<Self> { EmptyReducer() }
}
