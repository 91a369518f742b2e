internal import Glibc

/// The users and groups of the machine, by name.
public struct UserDatabase: Sendable {
  /// Returns the id of a user, or nil if there is no user of this name.
  public var user: @Sendable (String) -> UInt32?
  /// Returns the id of a group, or nil if there is no group of this name.
  public var group: @Sendable (String) -> UInt32?

  /// Creates a database.
  public init(user: @escaping @Sendable (String) -> UInt32?, group: @escaping @Sendable (String) -> UInt32?) {
    (self.user, self.group) = (user, group)
  }

  /// The machine's user database: getpwnam(3) and getgrnam(3).
  ///
  /// The results are in static memory, so use it on one thread only.
  public static let system = UserDatabase(
    user: { getpwnam($0)?.pointee.pw_uid }, group: { getgrnam($0)?.pointee.gr_gid })
}
