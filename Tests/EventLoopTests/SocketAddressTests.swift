import EventLoop
import Glibc
import Testing

@Suite struct SocketAddressTests {
  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"), ("fe80::1:2", "[fe80::1:2]:80"), ("localhost", nil),
      ("127.0.0", nil), ("1.2.3.4.5", nil), ("", nil), ("::g", nil),
    ] as [(String, String?)])
  func numericAddressesAreRead(host: String, text: String?) {
    #expect(SocketAddress(numeric: host, port: 80)?.text == text)
  }

  @Test func aNumericAddressIsFoundAtOnceAndANameLater() async throws {
    let loop = try EventLoop()
    var found: [String: Result<[SocketAddress], UVError>] = [:]
    for host in ["::1", "localhost", "host.invalid"] {
      SocketAddress.find(host, port: 7, on: loop) { found[host] = $0 }
    }
    #expect(try found["::1"]?.get().map(\.text) == ["[::1]:7"])
    #expect(found.count == 1)
    #expect(await loop.pump(until: { found.count == 3 }))
    #expect(try found["localhost"]?.get().isEmpty == false)
    guard case .failure(let error)? = found["host.invalid"] else { Issue.record("\(found)"); return }
    #expect("\(error)".hasPrefix("cannot find host.invalid"), "\(error)")
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func aListeningSocketHasItsAddress(host: String) throws {
    let descriptor = try #require(SocketAddress(numeric: host, port: 0)).listen()
    defer { close(descriptor) }
    let address = try #require(SocketAddress(of: descriptor))
    #expect(address.text.contains(host) && !address.text.hasSuffix(":0"))
    let error = #expect(throws: UVError.self) { try address.listen() }
    #expect(error?.code == UVError.Code.addressInUse)
    #expect(error?.subject == address.text)
    #expect(SocketAddress(of: descriptor, isPeer: true) == nil)
    #expect(SocketAddress(of: -1) == nil)
  }
}
