internal import Glibc

/// The users and groups of the machine, by name.
package struct UserDatabase: Sendable {
  /// Returns the id of a user or group, or nil if there is none of this name.
  package typealias Lookup = @Sendable (String) throws(UserDatabaseError) -> UInt32?

  /// Returns the id of a user.
  package var user: Lookup
  /// Returns the id of a group.
  package var group: Lookup

  /// Creates a database.
  package init(user: @escaping Lookup, group: @escaping Lookup) { (self.user, self.group) = (user, group) }

  /// The machine's user database: getpwnam_r(3) and getgrnam_r(3).
  package static let system = UserDatabase(
    user: { (name) throws(UserDatabaseError) in
      try find(passwd(), "user", name) { getpwnam_r(name, $0, $1, $2, $3) }?.pw_uid
    },
    group: { (name) throws(UserDatabaseError) in
      try find(Glibc.group(), "group", name) { getgrnam_r(name, $0, $1, $2, $3) }?.gr_gid
    })

  /// The maximum size of an entry in bytes.
  private static let entryLimit = 16 << 20

  /// Returns an entry, whose pointers are not valid; nil if there is none.
  private static func find<Entry>(
    _ empty: Entry, _ kind: String, _ name: String,
    _ look: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> CInt
  ) throws(UserDatabaseError) -> Entry? {
    var (entry, size) = (empty, 1024)
    while true {
      var buffer = [CChar](repeating: 0, count: size)
      var found: UnsafeMutablePointer<Entry>?
      switch look(&entry, &buffer, size, &found) {
      // Depending on the source, a name that does not exist has one of these codes.
      case 0, ENOENT, ESRCH, EBADF, EPERM: return found == nil ? nil : entry
      case EINTR: continue
      // A group may have many members.
      case ERANGE where size < entryLimit: size *= 4
      case let code:
        throw UserDatabaseError("cannot look up the \(kind) '\(name)': \(String(cString: strerror(code)))")
      }
    }
  }
}

/// A failure of the user database, as opposed to a name that does not exist.
package struct UserDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem.
  package let description: String

  /// Creates an error.
  package init(_ description: String) { self.description = description }
}
