import Dependencies
import DependenciesTestSupport
import XCTest

private final class Counter: Sendable {
  let count = LockIsolated(0)
}

private enum CounterKey: DependencyKey {
  static var liveValue: Counter { Counter() }
  static var testValue: Counter { Counter() }
}

private enum NameKey: DependencyKey {
  static let liveValue = "live"
  static let testValue = "test"
}

extension DependencyValues {
  fileprivate var counter: Counter { self[CounterKey.self] }
  fileprivate var name: String {
    get { self[NameKey.self] }
    set { self[NameKey.self] = newValue }
  }
}

/// Each XCTest has its own values, which stay the same throughout the test.
final class XCTestCacheTests: XCTestCase {
  private func use() async {
    @Dependency(\.counter) var counter
    counter.count.withValue { $0 += 1 }
    XCTAssertEqual(counter.count.value, 1)
    await Task.detached { DependencyValues._current.counter.count.withValue { $0 += 1 } }.value
    XCTAssertEqual(counter.count.value, 2)
    @Dependency(\.name) var name
    XCTAssertEqual(name, "test")
  }

  func testOneHasItsOwnValues() async { await use() }
  func testAnotherHasItsOwnValues() async { await use() }

  func testAPreparedValueEndsWithItsTest() {
    prepareDependencies { $0.name = "prepared" }
    @Dependency(\.name) var name
    XCTAssertEqual(name, "prepared")
  }
}
