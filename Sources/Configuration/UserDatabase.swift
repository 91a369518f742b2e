internal import Glibc

/// The users and groups of the machine, by name.
public struct UserDatabase: Sendable {
  /// The id of a user; nil if there is none of this name.
  public var user: @Sendable (String) -> UInt32?
  /// The id of a group; nil if there is none of this name.
  public var group: @Sendable (String) -> UInt32?

  /// Creates a database.
  public init(user: @escaping @Sendable (String) -> UInt32?, group: @escaping @Sendable (String) -> UInt32?) {
    (self.user, self.group) = (user, group)
  }

  /// The machine's own: getpwnam(3) and getgrnam(3).
  ///
  /// Their answers are in static memory, so it is to be used on one thread.
  public static let system = UserDatabase(
    user: { getpwnam($0)?.pointee.pw_uid }, group: { getgrnam($0)?.pointee.gr_gid })
}
