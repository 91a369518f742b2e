internal import Glibc
internal import ProgramOptions

/// The users of this machine, by name and number.
nonisolated enum Users {
  /// Returns the name of a user, or `uid 1234` for one without an account.
  static func name(_ number: UInt32) -> String { userName(number) ?? "uid \(number)" }

  /// Returns the number of a user, given its number or name.
  static func number(_ text: String) throws(ToolFailure) -> UInt32 {
    if let number = UInt32(text.hasPrefix("uid ") ? text.dropFirst(4) : text[...]) { return number }
    guard let entry = getpwnam(text) else { throw ToolFailure(.usage, "there is no user '\(text)'") }
    return entry.pointee.pw_uid
  }

  /// Returns the names of all local accounts.
  static func all() -> [String] {
    var names: [String] = []
    setpwent()
    defer { endpwent() }
    while let entry = getpwent() { names.append(String(cString: entry.pointee.pw_name)) }
    return names
  }
}
