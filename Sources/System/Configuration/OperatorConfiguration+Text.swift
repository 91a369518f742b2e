internal import HubCore
internal import ProgramOptions
internal import SchemaNames
package import Wire

extension OperatorConfiguration {
  /// Returns the whole configuration as the text of an equivalent file; users and groups are numbers.
  ///
  /// - Parameters:
  ///   - schema: The schema of the hub's feature.
  ///   - views: The schema of the views that the feature declares; nil if it declares none.
  package func text(for schema: Schema, views: Schema? = nil) -> String {
    var lines = ["[limits]"] + LimitSetting.all.map { "\($0.name) = \($0.value(in: limits))" }
    lines += ["", "[loop]", "busy-poll = \(busyPoll.busyPollText)"]
    lines += ["", "[region]"] + RegionSetting.allCases.map { "\($0.rawValue) = \(region[keyPath: $0.path])" }
    let hasSharedModel = !schema.sharedModels.isEmpty
    func add(_ section: String, _ grant: AccessGrant) {
      lines += ["", "[\(section)]"]
      let readable = grant.read.map { RootedPath(.feature, $0) } + grant.views.map { RootedPath(.views, $0) }
      lines += Self.list("read =", readable, isAll: grant.read.contains([])) { place in
        guard place.root == .views else { return (try? schema.name(of: place.path)) ?? "?" }
        return RootedPath.viewPrefix + ((try? views?.name(of: place.path)) ?? "?")
      }
      lines += Self.list("act =", grant.act, isAll: grant.act.contains([])) { schema.name(ofAction: $0) ?? "?" }
      if hasSharedModel {
        lines += Self.list("write =", grant.write, isAll: grant.write.contains([])) { schema.name(ofAction: $0) ?? "?" }
      }
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
  private static func list<Path>(_ key: String, _ paths: [Path], isAll: Bool, _ name: (Path) -> String) -> [String] {
    if paths.isEmpty { return ["\(key) none"] }
    if isAll { return ["\(key) all"] }
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
