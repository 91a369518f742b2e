import ClusterLog
import EtcdMessages
import HubCore
import Spelling

/// The settings of `[cluster]` while files are read.
struct ClusterReading {
  /// The section's first line, and the last line of each setting.
  private var section: INILine
  private var lines: [String: INILine] = [:]
  private var values: [String: String] = [:]

  private static let keys = [
    "node", "nodes", "follow", "relays", "etcd", "prefix", "ca", "cert", "key", "uids", "uid-bases", "takeover-after",
    "keep", "etcd-compact",
  ]

  init(_ section: INILine) { self.section = section }

  /// Takes a setting. Returns the mistake in it, if any.
  mutating func take(_ key: String, _ value: String, _ line: INILine) -> String? {
    guard Self.keys.contains(key) else {
      let near = Spelling.question(Spelling.nearest(to: key, among: Self.keys))
      return "there is no setting '\(key)' in [cluster]; the settings are \(Self.keys.joined(separator: ", "))\(near)"
    }
    (lines[key], values[key]) = (line, value)
    guard let allowed = Self.allowed(key, value) else { return nil }
    return "'\(key)' is '\(value)', but must be \(allowed)"
  }

  /// What a setting must be; nil if the value is.
  private static func allowed(_ key: String, _ value: String) -> String? {
    switch key {
    case "node": NodeName(value) == nil ? "a name of at most \(NodeName.longest) of a-z, 0-9 and -" : nil
    case "nodes":
      nodes(value) == nil
        ? "all nodes, each with its own numeric address, such as a@10.0.0.1:7400, b@10.0.0.2:7400" : nil
    case "follow", "relays":
      names(value) == nil ? "names of nodes, each once, such as a, b" : nil
    case "etcd":
      words(value).isEmpty || words(value).contains { (try? EtcdEndpoint($0)) == nil }
        ? "the members of etcd, such as https://10.0.0.1:2379, https://10.0.0.2:2379" : nil
    case "prefix": isPrefix(value) ? nil : "a path that ends with a slash, without /log/, /node/ or /part/"
    case "uids":
      ["shared", "separate"].contains(value)
        ? nil : "shared, if a uid is the same person on all nodes, or separate, if it is not"
    case "uid-bases":
      userRanges(value) == nil
        ? "the first number of each node's users, 65536 apart at least and below 2147483648, such as a:0, b:1000000000"
        : nil
    case "takeover-after":
      LimitSetting.time(value).map { (.milliseconds(300) ... .seconds(60)).contains($0) } == true
        ? nil : "a time from 300ms to 60s, such as 1s"
    case "keep":
      LimitSetting.bytes(value).map { (1 << 20...64 << 30).contains($0) } == true
        ? nil : "a number of bytes from 1M to 64G, such as 256M"
    case "etcd-compact": ["yes", "no"].contains(value) ? nil : "yes or no"
    default: value.isEmpty ? "the path of a file" : nil
    }
  }

  private static func isPrefix(_ value: String) -> Bool {
    value.hasSuffix("/") && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
      && value.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        .allSatisfy { !LogKey.folders.contains(String($0)) }
  }

  private static func words(_ value: String) -> [String] {
    value.split { $0 == "," || $0.isWhitespace }.map(String.init)
  }

  private static func names(_ value: String) -> [NodeName]? {
    let names = words(value).compactMap { NodeName($0) }
    return names.isEmpty || names.count != words(value).count || Set(names).count != names.count ? nil : names
  }

  private static func nodes(_ value: String) -> [NodeName: ClusterSettings.Address]? {
    var nodes: [NodeName: ClusterSettings.Address] = [:]
    for word in words(value) {
      let parts = word.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, let name = NodeName(parts[0]), let address = ClusterSettings.Address(parts[1]),
        !nodes.values.contains(address), nodes.updateValue(address, forKey: name) == nil
      else { return nil }
    }
    return nodes.isEmpty ? nil : nodes
  }

  /// The users of each node, up to the first number of the next node's; nil for a mistake.
  private static func userRanges(_ value: String) -> [NodeName: ClosedRange<UInt32>]? {
    var bases: [(node: NodeName, first: UInt32)] = []
    for word in words(value) {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, let name = NodeName(parts[0]), let first = UInt32(parts[1]),
        !bases.contains(where: { $0.node == name })
      else { return nil }
      bases.append((name, first))
    }
    bases.sort { $0.first < $1.first }
    var ranges: [NodeName: ClosedRange<UInt32>] = [:]
    for (index, base) in bases.enumerated() {
      let end = index + 1 < bases.count ? bases[index + 1].first : AccessPolicy.remoteUsers.lowerBound
      guard end >= base.first, end - base.first >= 65536 else { return nil }
      ranges[base.node] = base.first...end - 1
    }
    return ranges.isEmpty ? nil : ranges
  }

  /// The settings, or what is missing or does not fit together. Nil for the settings if a value is wrong, which was
  /// reported.
  func finish() -> (settings: ClusterSettings?, problems: [ConfigurationProblem]) {
    func problem(_ key: String, _ text: String) -> ConfigurationProblem {
      let line = lines[key] ?? section
      return ConfigurationProblem(file: line.file, line: line.line, text)
    }
    if values["etcd"] != nil, values["follow"] != nil {
      return (nil, [problem("follow", "[cluster] has 'etcd' and 'follow': a relay follows other hubs and has no etcd")])
    }
    let source = values["follow"] == nil ? "etcd" : "follow"
    let missing = ["node", "nodes", source, "uids"].filter { values[$0] == nil }
    guard missing.isEmpty else { return (nil, missing.map { problem($0, "[cluster] needs '\($0)'") }) }
    guard values.allSatisfy({ Self.allowed($0.key, $0.value) == nil }),
      let node = values["node"].flatMap(NodeName.init),
      let nodes = values["nodes"].flatMap(Self.nodes),
      let endpoints = try? Self.words(values["etcd"] ?? "").map({ try EtcdEndpoint($0) })
    else { return (nil, []) }
    let userRanges = values["uid-bases"].flatMap(Self.userRanges) ?? [:]
    guard (values["uids"] == "separate") == !userRanges.isEmpty else {
      let text =
        userRanges.isEmpty
        ? "'uids' is 'separate', so [cluster] needs 'uid-bases'"
        : "'uid-bases' is only for 'uids = separate': with 'shared', a uid is the same person on all nodes"
      return (nil, [problem(userRanges.isEmpty ? "uids" : "uid-bases", text)])
    }
    var settings = ClusterSettings(node: node, nodes: nodes, endpoints: endpoints)
    settings.follow = values["follow"].flatMap(Self.names) ?? []
    settings.relays = values["relays"].flatMap(Self.names) ?? []
    settings.userRanges = userRanges
    if let (key, text) = settings.objection(beside: Set(values.keys)) { return (nil, [problem(key, text)]) }
    let users = Set(nodes.keys).union(settings.relays).union([node])
    if !userRanges.isEmpty, let other = users.sorted().first(where: { userRanges[$0] == nil }) {
      return (nil, [problem("uid-bases", "'uid-bases' does not have node '\(other)'")])
    }
    if let prefix = values["prefix"] { settings.prefix = prefix }
    if let time = values["takeover-after"].flatMap(LimitSetting.time) { settings.takeoverAfter = time }
    if let count = values["keep"].flatMap(LimitSetting.bytes) { settings.keptBytes = count }
    settings.compacts = values["etcd-compact"] != "no"
    let files = ["ca", "cert", "key"].map { values[$0] }
    if let authority = files[0], let certificate = files[1], let key = files[2] {
      settings.tls = (authority, certificate, key)
      return (settings, [])
    }
    guard files.allSatisfy({ $0 == nil }) else {
      return (nil, [problem("ca", "[cluster] has some of 'ca', 'cert' and 'key', but needs all of them or none")])
    }
    guard !endpoints.contains(where: \.isSecure) else {
      return (nil, [problem("etcd", "'etcd' has https, which needs 'ca', 'cert' and 'key'")])
    }
    guard nodes.values.allSatisfy(\.isLoopback) else {
      return (nil, [problem("nodes", "nodes on other machines need TLS: set 'ca', 'cert' and 'key'")])
    }
    return (settings, [])
  }
}

extension ClusterSettings {
  /// What does not fit together in the names of nodes, and the setting that has it; nil if all does.
  fileprivate func objection(beside keys: Set<String>) -> (key: String, text: String)? {
    if relays.contains(node) { return ("relays", "'relays' has this node, '\(node)'") }
    guard isRelay else {
      if nodes[node] == nil { return ("nodes", "'nodes' does not have this node, '\(node)'") }
      let both = relays.first { nodes[$0] != nil }
      return both.map { ("relays", "'\($0)' is in 'nodes' and in 'relays': a relay is no member of the cluster") }
    }
    if follow.contains(node) { return ("follow", "'follow' has this node, '\(node)'") }
    if let both = relays.first(where: follow.contains) {
      return ("relays", "'\(both)' is in 'follow' and in 'relays': of two nodes, one follows the other")
    }
    if let unknown = follow.first(where: { nodes[$0] == nil }) {
      return ("nodes", "'nodes' does not have the address of '\(unknown)', which 'follow' names")
    }
    if let other = nodes.keys.sorted().first(where: { $0 != node && !follow.contains($0) }) {
      return ("nodes", "'nodes' has '\(other)', which 'follow' does not name")
    }
    if !relays.isEmpty, nodes[node] == nil {
      return ("nodes", "'nodes' does not have this node, '\(node)', which 'relays' are to follow")
    }
    if relays.isEmpty, nodes[node] != nil {
      return ("nodes", "'nodes' has this node, '\(node)', but 'relays' names none that may follow it")
    }
    return ["prefix", "etcd-compact"].first(where: keys.contains).map {
      ($0, "a relay has no etcd, so that '\($0)' means nothing: remove it")
    }
  }
}
