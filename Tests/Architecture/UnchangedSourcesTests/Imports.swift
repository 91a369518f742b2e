// The imports of code that was written for the original libraries.
import CasePaths
import Clocks
import CombineSchedulers
import ComposableArchitecture
import ConcurrencyExtras
import CustomDump
import Dependencies
import DependenciesMacros
import IdentifiedCollections
import IssueReporting
import IssueReportingTestSupport
import Perception
import Sharing
import SwiftNavigation
import Testing
import XCTestDynamicOverlay

@Suite struct ImportTests {
  @DependencyClient struct Client: Sendable {
    var fetch: @Sendable (_ id: Int) async throws -> String
    var count: @Sendable () -> Int = { unimplemented("Client.count", placeholder: 0) }
  }

  @Test func theModulesExist() async {
    let clock: TestClock = TestClock()
    let queue: AnySchedulerOf<DispatchQueue> = .immediate
    let alert: AlertState<Int> = AlertState { TextState("Hello") }
    let counter: LockIsolated<Int> = LockIsolated(queue.now < queue.now ? 1 : 0)
    #expect(clock.sleeperCount == 0 && counter.value == 0 && String(state: alert.title) == "Hello")
  }
}

@Suite struct PerceptionTests {
  @Observable final class Model: Perceptible { var count = 0 }

  @Test func aReadIsTracked() {
    let model = Model()
    let changes = LockIsolated(0)
    let count = withPerceptionTracking {
      model.count
    } onChange: {
      changes.withValue { $0 += 1 }
    }
    model.count = count + 1
    model.count += 1
    #expect(changes.value == 1 && model.count == 2)
  }
}

@Suite struct FoundationTests {
  @Test func theDependenciesOfFoundationNeedNoImport() {
    withDependencies {
      $0.urlSession = .shared
      $0.mainRunLoop = .immediate
    } operation: {
      @Dependency(\.urlSession) var urlSession
      @Dependency(\.mainRunLoop) var mainRunLoop
      @Dependency(\.notificationCenter) var notificationCenter
      let ran = LockIsolated(false)
      mainRunLoop.schedule { ran.setValue(true) }
      #expect(ran.value && urlSession === URLSession.shared)
      #expect(notificationCenter !== NotificationCenter.default)
    }
  }
}
