internal import Senders

/// The names of the users of connections.
///
/// The system's answer may take long, also for a user without a name, so each user is looked up once. A user that is
/// renamed while the hub runs keeps its name here.
struct UserNames {
  private var names: [UInt32: String] = [:]

  /// Returns the name of a user; empty if it has none.
  mutating func name(of user: UInt32) -> String {
    if let known = names[user] { return known }
    let name = SystemUser.name(of: user) ?? ""
    // Users are as many as the machine has, or as attackers with many user ids.
    if names.count >= 4096 { names.removeAll() }
    names[user] = name
    return name
  }
}
