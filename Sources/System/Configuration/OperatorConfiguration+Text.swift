internal import HubCore
internal import SchemaNames
package import Wire

extension OperatorConfiguration {
  /// Returns the whole configuration as the text of an equivalent file; users and groups are numbers.
  package func text(for schema: Schema) -> String {
    var lines = ["[limits]"] + LimitSetting.all.map { "\($0.name) = \($0.value(in: limits))" }
    let hasSharedModel = !schema.sharedModels.isEmpty
    func add(_ section: String, _ grant: AccessGrant) {
      lines += ["", "[\(section)]"]
      lines += Self.list("read =", grant.read) { (try? schema.name(of: $0)) ?? "?" }
      lines += Self.list("act =", grant.act) { schema.name(ofAction: $0) ?? "?" }
      if hasSharedModel { lines += Self.list("write =", grant.write) { schema.name(ofAction: $0) ?? "?" } }
      lines.append("admin = \(grant.isAdmin ? "yes" : "no")")
    }
    for (user, grant) in policy.users.sorted(by: { $0.key < $1.key }) { add("user \(user)", grant) }
    for (group, grant) in policy.groups.sorted(by: { $0.key < $1.key }) { add("group \(group)", grant) }
    if let everyone = policy.everyone { add("everyone", everyone) }
    for (gateway, users) in policy.gateways.sorted(by: { $0.key < $1.key }) {
      lines += ["", "[gateway \(gateway)]", "users = \(users.lowerBound)-\(users.upperBound)"]
    }
    if let cluster { lines += [""] + cluster.lines }
    return lines.joined(separator: "\n")
  }

  /// Returns a setting with a list of paths, continued on indented lines: a line of a file has a maximum length.
  private static func list(_ key: String, _ paths: [[PathStep]], _ name: ([PathStep]) -> String) -> [String] {
    if paths.isEmpty { return ["\(key) none"] }
    if paths.contains([]) { return ["\(key) all"] }
    var lines = [key]
    for (index, path) in paths.enumerated() {
      let word = " \(name(path))\(index == paths.count - 1 ? "" : ",")"
      // A line may consist of the key alone.
      if lines[lines.count - 1].utf8.count + word.utf8.count <= lineLength {
        lines[lines.count - 1] += word
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  private static let lineLength = 120
}
