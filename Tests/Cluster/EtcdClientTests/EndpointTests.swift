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

  @Test func eachMemberIsTriedAtOnceAndThenThereArePauses() {
    var rotation = EndpointRotation(count: 3, seed: 7)
    let first = rotation.current
    #expect(rotation.failed() == .zero)
    #expect(rotation.failed() == .zero)
    #expect(Set([first, (first + 1) % 3]).contains(rotation.current) == false)
    var pauses: [Duration] = []
    for _ in 0..<30 { pauses.append(rotation.failed()) }
    #expect(pauses[0] >= .milliseconds(10) && pauses[0] <= .milliseconds(20))
    #expect(pauses.allSatisfy { $0 <= .milliseconds(250) })
    #expect(pauses.last.map { $0 >= .milliseconds(125) } == true)
    rotation.succeeded()
    #expect(rotation.failed() == .zero)
  }
}
