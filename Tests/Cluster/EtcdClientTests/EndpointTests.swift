import EtcdMessages
import Testing

@testable import EtcdClient

@Suite struct EndpointTests {
  @Test(
    arguments: [
      ("https://a:2379", true, "a", 2379), ("http://127.0.0.1:1/", false, "127.0.0.1", 1),
      ("https://[::1]:65535", true, "::1", 65_535), ("http://etcd.example", false, "etcd.example", 2379),
      ("https://[fe80::2]", true, "fe80::2", 2379),
    ] as [(String, Bool, String, UInt16)])
  func endpointsAreRead(text: String, isSecure: Bool, host: String, port: UInt16) throws {
    let endpoint = try EtcdEndpoint(text)
    #expect((endpoint.isSecure, endpoint.host, endpoint.port) == (isSecure, host, port))
  }

  @Test(arguments: [
    "", "a:2379", "ftp://a:2379", "https://", "https://:2379", "https://a:0", "https://a:65536", "https://a:b",
    "https://[::1", "https://[::1]2379", "https://a b:1", "https://a/b:1", "https://user@a:1", "https://a:1:2",
    "http://a\u{0}:1",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(throws: EtcdEndpointError.self) { try EtcdEndpoint(text) }
  }

  // MARK: The rotation

  @Test(arguments: [EndpointRotation.Failure.unreachable, .unanswered])
  func eachMemberIsTriedAtOnceAndThenThereArePauses(failure: EndpointRotation.Failure) {
    var rotation = EndpointRotation(count: 3, seed: 7)
    func fail() -> Duration { rotation.failed(rotation.current, failure, at: .seconds(5)) }
    let first = rotation.current
    #expect(fail() == .zero)
    #expect(fail() == .zero)
    #expect(Set([first, (first + 1) % 3]).contains(rotation.current) == false)
    var (pauses, members): ([Duration], [Int]) = ([], [])
    for _ in 0..<30 {
      pauses.append(fail())
      members.append(rotation.current)
    }
    #expect(pauses[0] >= .milliseconds(10) && pauses[0] <= .milliseconds(20))
    #expect(pauses.allSatisfy { $0 <= .milliseconds(250) })
    #expect(pauses.last.map { $0 >= .milliseconds(125) } == true)
    // All have failed, so that each is tried in turn.
    #expect(members == (0..<30).map { (first + $0) % 3 })
    rotation.succeeded()
    #expect(fail() == .zero)
  }

  @Test func theOnlyMemberIsAskedAgain() {
    var rotation = EndpointRotation(count: 1, seed: 7)
    #expect(rotation.failed(0, .unreachable, at: .zero) >= .milliseconds(10))
    #expect(rotation.current == 0)
    #expect(rotation.next(after: 0, at: .zero, besides: [0]) == nil)
  }

  /// Failures of members in order, from member 0 of three on: at which second, who, in what, and who is next.
  nonisolated struct Course: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [(time: Int, member: Int, failure: EndpointRotation.Failure, next: Int)]
  }

  @Test(arguments: [
    Course(
      testDescription: "a member that is gone is left out while etcd elects its leader",
      steps: [
        (0, 0, .unreachable, 1), (1, 1, .unanswered, 2), (1, 2, .unanswered, 1), (2, 1, .unanswered, 2),
        (2, 2, .unanswered, 1),
      ]),
    Course(
      testDescription: "it is tried again later",
      steps: [(0, 0, .unreachable, 1), (9, 1, .unanswered, 2), (10, 2, .unanswered, 0)]),
    Course(
      testDescription: "and when the others fail, too",
      steps: [(0, 0, .unreachable, 1), (1, 1, .unreachable, 2), (2, 2, .unreachable, 0), (2, 0, .unreachable, 1)]),
    Course(
      testDescription: "and for longer if it fails again",
      steps: [(0, 0, .unreachable, 1), (11, 2, .unanswered, 0), (11, 0, .unreachable, 1), (20, 2, .unanswered, 1)]),
    Course(
      testDescription: "one that only did not answer is not left out",
      steps: [(0, 0, .unanswered, 1), (1, 1, .unreachable, 2), (1, 2, .unanswered, 0), (1, 0, .unanswered, 2)]),
  ])
  func membersThatAreGoneAreLeftOut(course: Course) {
    var rotation = EndpointRotation(count: 3, seed: 7)
    rotation.connected(0)
    for step in course.steps {
      _ = rotation.failed(step.member, step.failure, at: .seconds(step.time))
      #expect(rotation.current == step.next, "\(step)")
    }
  }

  @Test func aMemberThatHasAnsweredIsNotLeftOut() {
    var rotation = EndpointRotation(count: 3, seed: 7)
    rotation.avoid(2, at: .zero)
    #expect(rotation.next(after: 1, at: .zero, besides: []) == 0)
    rotation.connected(2)
    rotation.succeeded()
    #expect(rotation.next(after: 1, at: .zero, besides: []) == 2)
    // Those to which connections are being made are no choice.
    #expect(rotation.next(after: 1, at: .zero, besides: [2, 0]) == 1)
  }
}
