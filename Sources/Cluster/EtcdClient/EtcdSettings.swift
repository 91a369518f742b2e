package import EtcdMessages
package import EventLoop
package import NetworkStream

/// The settings of a client.
package nonisolated struct EtcdSettings: Sendable {
  /// The members.
  package var endpoints: [EtcdEndpoint]
  /// The TLS files, which `https` needs.
  package var tls: TLSFiles?
  /// The time for a connection, with TLS, until the member speaks HTTP/2.
  package var connectTimeout = Duration.seconds(1)
  /// The time after which another member is asked beside one with which there is no connection yet. A machine that is gone
  /// then costs no more, and a slow one is not given up.
  package var connectPatience = Duration.milliseconds(200)
  /// A member with calls that was silent for this long is asked for a sign of life. etcd ends the connections of clients
  /// that ask more often than every 5 s.
  package var pingInterval = Duration.seconds(10)
  /// The time for the sign.
  package var pingTimeout = Duration.seconds(3)
  /// The time before a stream that the member has ended is opened again.
  package var streamPause = Duration.milliseconds(250)
  /// The number of calls that may wait for a connection.
  package var waitingCalls = 1024
  /// The seed of the choice of the first member and of the pauses.
  package var seed: UInt64

  /// Creates settings with the default times.
  /// - Precondition: There is at least one endpoint.
  package init(endpoints: [EtcdEndpoint], tls: TLSFiles? = nil, seed: UInt64 = .random(in: 0 ... .max)) {
    precondition(!endpoints.isEmpty, "a client of no members")
    (self.endpoints, self.tls, self.seed) = (endpoints, tls, seed)
  }

  /// Reads the TLS files, if a member needs them.
  func credentials() throws(TLSError) -> TLSCredentials? {
    guard endpoints.contains(where: \.isSecure) else { return nil }
    guard let tls else { throw .file("ca", reason: "an https endpoint needs it, and it is not set") }
    return try TLSCredentials(tls, role: .client, protocolName: "h2")
  }
}

/// The reason why a client cannot be created.
package nonisolated enum EtcdClientError: Error, Hashable, Sendable, CustomStringConvertible {
  case tls(TLSError)
  case loop(UVError)

  package static func == (a: EtcdClientError, b: EtcdClientError) -> Bool { a.description == b.description }
  package func hash(into hasher: inout Hasher) { hasher.combine(description) }

  package var description: String {
    switch self {
    case .tls(let error): "\(error)"
    case .loop(let error): "\(error)"
    }
  }
}
