/// A client of a hub, as the hub knows it.
///
/// The kernel has stated the process and the user, as they were when the process connected. The client has chosen its
/// name.
public struct HubClient: Hashable, Sendable {
  /// The number of the connection. It is unique in the hub's history: two processes of one name and one user have
  /// different ones, and so has a client after it has connected again.
  public let connection: UInt64
  /// The identity of the session, which a client continues on its next connection. It does not suffice to resume the
  /// session.
  public let session: UInt64
  /// The name by which the client introduced itself.
  public let name: String
  /// The process that has connected; 0 if it had ended before the hub accepted its connection, or is on another node of
  /// the cluster.
  public let process: Int32
  /// The user of that process.
  public let user: SystemUser

  /// Creates a client, for example for a test.
  public init(connection: UInt64, session: UInt64 = 0, name: String, process: Int32 = 0, user: SystemUser) {
    (self.connection, self.session, self.name, self.process, self.user) = (connection, session, name, process, user)
  }
}

extension HubClient: CustomStringConvertible {
  /// The user and the name: `alice deployterm`.
  public var description: String { name.isEmpty ? user.description : "\(user) \(name)" }
}
