/// Counts connections and wrong tokens, and refuses what exceeds the limits.
struct Admission {
  /// Why a connection or a token is refused.
  enum Refusal: Equatable {
    case connections, connectionsPerAddress, connectionsPerToken, guesses
  }

  private var count = 0
  private var byAddress: [String: Int] = [:]
  private var byToken: [[UInt8]: Int] = [:]
  /// The wrong tokens of each address in the current minute.
  private var guesses: [String: Int] = [:]
  private var minute = Duration.zero

  /// The number of addresses whose wrong tokens are counted; further ones share the count of the empty address.
  private static let guesserLimit = 4096

  /// The number of open connections.
  var connectionCount: Int { count }

  /// Counts a new connection, unless it exceeds a limit.
  mutating func open(_ address: String, _ limits: GatewayConfiguration) -> Refusal? {
    guard count < limits.connections else { return .connections }
    guard byAddress[address, default: 0] < limits.connectionsPerAddress else { return .connectionsPerAddress }
    count += 1
    byAddress[address, default: 0] += 1
    return nil
  }

  /// A connection that was counted has ended.
  mutating func close(_ address: String) {
    count -= 1
    Self.decrement(&byAddress, address)
  }

  /// Returns the refusal of another WebSocket of a token.
  func refusal(of digest: [UInt8], _ limits: GatewayConfiguration) -> Refusal? {
    byToken[digest, default: 0] < limits.connectionsPerToken ? nil : .connectionsPerToken
  }

  /// Counts a WebSocket of a token.
  mutating func open(_ digest: [UInt8]) { byToken[digest, default: 0] += 1 }

  /// A WebSocket that was counted has ended.
  mutating func close(_ digest: [UInt8]) { Self.decrement(&byToken, digest) }

  /// Returns the refusal of an address that has sent too many wrong tokens in this minute.
  mutating func guess(from address: String, at now: Duration, _ limits: GatewayConfiguration) -> Refusal? {
    if now >= minute + .seconds(60) { (guesses, minute) = ([:], now) }
    return guesses[guesser(address), default: 0] < limits.guessesPerMinute ? nil : .guesses
  }

  /// Counts a wrong token.
  mutating func noteGuess(from address: String) { guesses[guesser(address), default: 0] += 1 }

  private func guesser(_ address: String) -> String {
    guesses[address] != nil || guesses.count < Self.guesserLimit ? address : ""
  }

  private static func decrement<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
    guard let count = counts[key] else { preconditionFailure("what ends was counted") }
    counts[key] = count > 1 ? count - 1 : nil
  }
}
