internal import HubCore
package import Wire

extension OperatorConfiguration {
  /// Returns the whole configuration as the text of an equivalent file; users and groups are numbers.
  package func text(for schema: Schema) -> String {
    var lines = ["[limits]"] + LimitSetting.all.map { "\($0.name) = \($0.value(in: limits))" }
    func add(_ section: String, _ grant: AccessGrant) {
      lines += [
        "", "[\(section)]",
        "read = \(Self.list(grant.read) { (try? schema.name(of: $0)) ?? "?" })",
        "act = \(Self.list(grant.act) { schema.name(ofAction: $0) ?? "?" })",
        "admin = \(grant.isAdmin ? "yes" : "no")",
      ]
    }
    for (user, grant) in policy.users.sorted(by: { $0.key < $1.key }) { add("user \(user)", grant) }
    for (group, grant) in policy.groups.sorted(by: { $0.key < $1.key }) { add("group \(group)", grant) }
    if let everyone = policy.everyone { add("everyone", everyone) }
    return lines.joined(separator: "\n")
  }

  private static func list(_ paths: [[PathStep]], _ name: ([PathStep]) -> String) -> String {
    if paths.isEmpty { return "none" }
    return paths.contains([]) ? "all" : paths.map(name).joined(separator: ", ")
  }
}
