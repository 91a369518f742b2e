import Foundation
import Testing
import WebSocketServer

@testable import Gateway

@Suite struct GatewayConfigurationTests {
  private func read(_ text: String) throws(GatewayConfigurationError) -> GatewayConfiguration {
    try GatewayConfiguration(text: text, file: "g.conf")
  }

  private func problems(_ text: String) -> [String] {
    do throws(GatewayConfigurationError) {
      _ = try read(text)
      return []
    } catch {
      return error.problems
    }
  }

  @Test func withoutAFileOnlyThisMachineCanConnect() throws {
    let configuration = try GatewayConfiguration(file: nil)
    #expect(configuration.listen == [ListenAddress(host: "127.0.0.1", port: 7080)])
    #expect(configuration.origins.isEmpty && configuration.tls == nil && configuration.root == nil)
  }

  @Test func eachSettingIsReadAndPrintedAsItWasRead() throws {
    let text = """
      [gateway]
      listen = 127.0.0.1:80, [::1]:0
      hub = /run/hub.sock
      tokens = /var/lib/tokens
      origins = HTTPS://Board.example.org, http://localhost:8080
      [tls]
      certificate = /c.pem
      key = /k.pem
      [limits]
      connections = 10
      connections-per-address = 9
      connections-per-token = 8
      guesses-per-minute = 7
      request-timeout = 6s
      message-bytes = 64K
      ping-interval = 5s
      [files]
      root = /srv/board
      """
    let configuration = try read(text)
    #expect(configuration.listen.map(\.text) == ["127.0.0.1:80", "[::1]:0"])
    #expect(configuration.origins == ["https://board.example.org", "http://localhost:8080"])
    #expect(configuration.tls?.certificate == "/c.pem" && configuration.tls?.key == "/k.pem")
    #expect(configuration.connections == 10 && configuration.connectionsPerAddress == 9)
    #expect(configuration.connectionsPerToken == 8 && configuration.guessesPerMinute == 7)
    #expect(configuration.limits.requestTime == .seconds(6) && configuration.limits.messageBytes == 65536)
    #expect(configuration.limits.pingInterval == .seconds(5) && configuration.root == "/srv/board")
    #expect(configuration.hub == "/run/hub.sock" && configuration.tokens == "/var/lib/tokens")
    #expect(try read(configuration.text) == configuration)
  }

  @Test(arguments: [
    (
      "[gatway]\nhub = /x",
      "g.conf:1: there is no section [gatway]; the sections are [gateway], [tls], [limits], [files]"
    ),
    ("hub = /x", "g.conf:1: there is no section []; the sections are [gateway], [tls], [limits], [files]"),
    ("[tls]\ncert = /x", "g.conf:2: [tls] has no setting 'cert', only certificate, key"),
    (
      "[limits]\nconnections = 0", "g.conf:2: 'connections' is '0', but must be a number from 1 to 65000"
    ),
    (
      "[limits]\nmessage-bytes = 65M",
      "g.conf:2: 'message-bytes' is '65M', but must be a number of bytes from 1K to 64M, such as 4M"
    ),
    (
      "[limits]\nping-interval = 100ms",
      "g.conf:2: 'ping-interval' is '100ms', but must be a time of whole seconds from 1s to 3600s, such as 30s"
    ),
    (
      "[gateway]\nlisten = localhost:80",
      "g.conf:2: 'listen' is 'localhost:80', but must be numeric addresses with ports, such as 127.0.0.1:7080, [::1]:7080"
    ),
    (
      "[gateway]\norigins = *",
      "g.conf:2: 'origins' is '*', but must be origins of pages, such as https://board.example.org"
    ),
    (
      "[gateway]\norigins = https://board.example.org/page",
      "g.conf:2: 'origins' is 'https://board.example.org/page', but must be origins of pages, such as https://board.example.org"
    ),
    ("[tls]\nkey = /k.pem", "g.conf: [tls] needs both 'certificate' and 'key'"),
    (
      "[gateway]\nlisten = 0.0.0.0:80",
      "g.conf: 'listen' has 0.0.0.0:80, which other machines can reach, so [tls] is needed"
    ),
  ])
  func aMistakeIsNamedWithItsLineAndTheRemedy(text: String, problem: String) {
    #expect(problems(text) == [problem])
  }

  @Test func allMistakesAreFoundAtOnce() {
    #expect(problems("[limits]\nconnections = x\nping-interval = y\n[tls]\nkey = /k").count == 3)
  }
}

@Suite struct LimitedAddressTests {
  /// A host has a whole network of IPv6, so that a limit for one address would be none.
  @Test(arguments: [
    ("10.0.0.1:80", "10.0.0.1"), ("[::1]:80", "0:0:0:0::/64"), ("[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"),
    ("[2001:db8::1]:80", "2001:db8:0:0::/64"), ("[2001:db8:1:2::1]:9", "2001:db8:1:2::/64"),
    ("[::ffff:10.0.0.1]:80", "10.0.0.1"),
  ])
  func limitsHoldForTheNetworkOfAHost(address: String, limited: String) {
    #expect(limitedAddress(address) == limited)
  }
}

@Suite struct AdmissionTests {
  private let limits: GatewayConfiguration = {
    // Nothing is read, so that it cannot fail.
    guard var limits = try? GatewayConfiguration(file: nil) else { preconditionFailure("the defaults are valid") }
    (limits.connections, limits.connectionsPerAddress, limits.connectionsPerToken) = (3, 2, 1)
    limits.guessesPerMinute = 2
    return limits
  }()

  @Test func connectionsAreLimitedInTotalAndForEachAddress() {
    var admission = Admission()
    let refusals = ["a", "a", "a", "b", "c"].map { admission.open($0, limits) }
    #expect(refusals == [nil, nil, .connectionsPerAddress, nil, .connections])
    admission.close("a")
    let next = admission.open("c", limits)
    #expect(next == nil)
    #expect(admission.connectionCount == 3)
  }

  @Test func webSocketsAreLimitedForEachToken() {
    var admission = Admission()
    #expect(admission.refusal(of: [1], limits) == nil)
    admission.open([1])
    #expect(admission.refusal(of: [1], limits) == .connectionsPerToken)
    #expect(admission.refusal(of: [2], limits) == nil)
    admission.close([1])
    #expect(admission.refusal(of: [1], limits) == nil)
  }

  @Test func wrongTokensAreLimitedForEachAddressAndMinute() {
    var admission = Admission()
    func refusal(_ address: String, at second: Int) -> Admission.Refusal? {
      admission.guess(from: address, at: .seconds(second), limits)
    }
    for _ in 0..<2 {
      let first = refusal("a", at: 100)
      #expect(first == nil)
      admission.noteGuess(from: "a")
    }
    let refusals = [refusal("a", at: 101), refusal("b", at: 101), refusal("a", at: 160)]
    #expect(refusals == [.guesses, nil, nil])
  }

  /// An attacker with many addresses takes no memory without a limit.
  @Test func theAddressesOfGuessersAreBounded() {
    var admission = Admission()
    for number in 0..<10_000 { admission.noteGuess(from: "\(number)") }
    let refusal = admission.guess(from: "another", at: .zero, limits)
    #expect(refusal == .guesses)
  }
}
