import EventLoop
import Glibc
import HTTPServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct HTTPServerTests {
  /// A server that answers `/now` at once and `/later` never, and connections to it.
  private final class Fixture {
    let loop: EventLoop
    let server: HTTPServer
    private(set) var waiting: [HTTPExchange] = []
    /// The server does not keep its loop running.
    private let timer: Timer
    private var port: UInt16 { if case .port(let port) = server.address { port } else { 0 } }

    /// Creates a server that closes a connection after some seconds of silence: many, because other tests may keep this
    /// thread busy for some.
    init(seconds: UInt32 = 60) throws {
      loop = try EventLoop()
      timer = try Timer(on: loop) {}
      timer.start(after: .zero, repeating: .milliseconds(5))
      var limits = HTTPServer.Limits()
      limits.seconds = seconds
      var receive: (HTTPExchange) -> Void = { _ in }
      server = try HTTPServer(on: loop, at: .port(0), limits: limits) { receive($0) }
      receive = { [weak self] exchange in
        if exchange.request.query["page"] != nil { exchange.idleSeconds = 60 }
        if exchange.request.path == "/now" { return exchange.answer(.text(200, "now")) }
        self?.waiting.append(exchange)
      }
    }

    func connection() throws -> Connection { try Connection(to: port) }

    func pump(until condition: () -> Bool) async { #expect(await loop.pump(until: condition)) }
  }

  private final class Connection {
    private let descriptor: CInt
    private var received = ""
    private(set) var isClosed = false

    init(to port: UInt16) throws {
      descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let status = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(status == 0)
    }

    isolated deinit { close(descriptor) }

    func get(_ target: String, _ headers: String = "", body: String = "") {
      let text = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\(body)".utf8)
      #expect(send(descriptor, text, text.count, CInt(MSG_NOSIGNAL)) == text.count)
    }

    /// The number of responses with a status that have arrived.
    func responses(_ status: Int) -> Int {
      var buffer = [UInt8](repeating: 0, count: 1 << 12)
      while !isClosed {
        let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        guard count >= 0 else { break }
        isClosed = count == 0
        received += String(decoding: buffer[..<count], as: UTF8.self)
      }
      return received.split(separator: "HTTP/1.1 \(status)", omittingEmptySubsequences: false).count - 1
    }
  }

  @Test func aServerThatClosesRefusesItsLastRequests() async throws {
    let fixture = try Fixture()
    let (early, late) = (try fixture.connection(), try fixture.connection())
    early.get("/later")
    late.get("/now")
    await fixture.pump { fixture.waiting.count == 1 && late.responses(200) == 1 }
    // The server reads this request while it closes.
    late.get("/later")
    fixture.server.close()
    #expect(fixture.waiting.count == 1 && fixture.waiting.allSatisfy(\.isOver))
    #expect(early.responses(503) == 1)
  }

  @Test func theBodyOfARequestIsIgnored() async throws {
    let fixture = try Fixture()
    let connection = try fixture.connection()
    connection.get("/now", "Content-Length: 5\r\n", body: "hello")
    await fixture.pump { connection.responses(200) == 1 }
    connection.get("/now")
    await fixture.pump { connection.responses(200) == 2 }
    fixture.server.close()
  }

  @Test func aSilentConnectionIsClosedButNotThatOfAPage() async throws {
    let fixture = try Fixture(seconds: 1)
    let silent = try fixture.connection()
    var page: Connection
    // On a busy machine, the time may be up before the page has made its first request.
    repeat {
      page = try fixture.connection()
      page.get("/now?page")
      await fixture.pump { page.responses(200) == 1 || page.isClosed }
    } while page.isClosed
    await fixture.pump { silent.responses(200) == 0 && silent.isClosed }
    page.get("/now")
    await fixture.pump { page.responses(200) == 2 }
    fixture.server.close()
  }
}
