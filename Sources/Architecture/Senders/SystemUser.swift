internal import Glibc

/// A user of a machine.
public struct SystemUser: Hashable, Sendable {
  /// The user's number.
  public let id: UInt32
  /// The user's name, as the hub's machine knew it; empty for a user without one.
  public let name: String
  /// The numbers of the groups of its process, the primary group first.
  public let groups: [UInt32]

  /// Creates a user.
  public init(id: UInt32, name: String = "", groups: [UInt32] = []) {
    (self.id, self.name, self.groups) = (id, name, groups)
  }
}

extension SystemUser: CustomStringConvertible {
  /// The name; without one, the number.
  public var description: String { name.isEmpty ? "\(id)" : name }
}

extension SystemUser {
  /// The effective user of this process, with its groups.
  package static var current: SystemUser {
    let primary = getegid()
    let capacity = max(getgroups(0, nil), 0)
    var groups = [gid_t](repeating: 0, count: Int(capacity))
    groups = Array(groups.prefix(Int(max(getgroups(capacity, &groups), 0))))
    return SystemUser(
      id: geteuid(), name: name(of: geteuid()) ?? "", groups: [primary] + groups.filter { $0 != primary })
  }

  /// Looks up the name of a user of this machine; nil if it has none. The system's answer may take long.
  package static func name(of id: UInt32) -> String? {
    var size = 1024
    while size <= 1 << 20 {
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      var buffer = [CChar](repeating: 0, count: size)
      let error = getpwuid_r(id, &entry, &buffer, size, &found)
      if error == ERANGE {
        size *= 2
        continue
      }
      guard error == 0, let found, let name = found.pointee.pw_name else { return nil }
      return String(cString: name)
    }
    return nil
  }
}
