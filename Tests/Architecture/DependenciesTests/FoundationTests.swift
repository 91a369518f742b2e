import Dependencies
import DependenciesFoundation
import DependenciesTestSupport
import Foundation
import FoundationNetworking
import IssueReporting
import Testing

@Suite(.timeLimit(.minutes(30))) struct FoundationTests {
  private static let name = Notification.Name("counted")

  @Test func aTestHasANotificationCenterOfItsOwn() {
    @Dependency(\.notificationCenter) var center
    #expect(center === center && center !== NotificationCenter.default)
    let count = LockIsolated(0)
    let observer = center.addObserver(forName: Self.name, object: nil, queue: nil) { _ in count.withValue { $0 += 1 } }
    center.post(name: Self.name, object: nil)
    center.removeObserver(observer)
    #expect(count.value == 1)
  }

  @Test func theLiveCenterAndSessionAreTheSharedOnes() {
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(DependencyValues._current.notificationCenter === NotificationCenter.default)
      #expect(DependencyValues._current.urlSession === URLSession.shared)
    }
  }

  @Test func centersAndSessionsCanBeOverridden() {
    let center = NotificationCenter()
    let session = URLSession(configuration: .ephemeral)
    withDependencies {
      $0.notificationCenter = center
      $0.urlSession = session
    } operation: {
      @Dependency(\.notificationCenter) var current
      @Dependency(\.urlSession) var urlSession
      #expect(current === center && urlSession === session)
    }
  }

  @Test func urlsAreOpenedByTheOverride() async throws {
    let url = try #require(URL(string: "https://example.com"))
    let opened = LockIsolated<[URL]>([])
    await withDependencies {
      $0.openURL = OpenURLEffect { url in
        opened.withValue { $0.append(url) }
        return true
      }
    } operation: {
      @Dependency(\.openURL) var openURL
      #expect(await openURL(url))
    }
    #expect(opened.value == [url])
    let issues = await withExpectedIssue {
      @Dependency(\.openURL) var openURL
      #expect(await !openURL(url))
    }
    #expect(issues.first?.hasPrefix("Unimplemented: @Dependency(\\.openURL) …") == true)
  }

  @Test func aURLWithoutASchemeIsNotOpened() async throws {
    let url = try #require(URL(string: "--help"))
    let isOpen = await withDependencies {
      $0.context = .live
    } operation: {
      @Dependency(\.openURL) var openURL
      return await openURL(url)
    }
    #expect(!isOpen)
  }

  @Test func aSessionThatIsNotOverriddenIsReportedAndFailsItsRequests() async throws {
    let url = try #require(URL(string: "http://localhost/fact"))
    let issues = await withExpectedIssue {
      @Dependency(\.urlSession) var session
      let error = await #expect(throws: (any Error).self) { try await session.data(from: url) }
      #expect(error.map { "\($0)" }?.contains("the test did not override urlSession") == true)
    }
    #expect(issues.count == 1)
    #expect(issues.first?.hasPrefix("Unimplemented: @Dependency(\\.urlSession) …") == true)
  }
}
