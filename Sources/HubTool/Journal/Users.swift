internal import Glibc
internal import ProgramOptions

/// The users of this machine, by name and number.
nonisolated enum Users {
  /// Returns the name of a user, or the number if it has none.
  static func name(_ number: UInt32) -> String { userName(number) ?? "\(number)" }

  /// Returns the number of a user, given its number or name.
  static func number(_ text: String) throws(ToolFailure) -> UInt32 {
    if let number = UInt32(text) { return number }
    guard let entry = getpwnam(text) else { throw ToolFailure(.usage, "there is no user '\(text)'") }
    return entry.pointee.pw_uid
  }
}
