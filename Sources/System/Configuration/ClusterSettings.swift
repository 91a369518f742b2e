package import ClusterLog
package import EtcdMessages
package import HubCore

/// The section `[cluster]`: the hubs that share one log in etcd, and this one among them.
package struct ClusterSettings: Equatable, Sendable {
  /// The address of a node for the other nodes.
  package struct Address: Hashable, Sendable {
    /// A numeric address, without brackets.
    package let host: String
    package let port: UInt16
  }

  /// This node.
  package var node: NodeName
  /// All members of the cluster, with this one; for a relay, the nodes that it may follow, and itself if relays may follow
  /// it.
  package var nodes: [NodeName: Address]
  /// The nodes that this one may follow, in the order of preference: it is a relay. Empty for a member.
  package var follow: [NodeName] = []
  /// The relays whose clients' actions this node lets through, those that follow it and those below them.
  package var relays: [NodeName] = []
  /// The members of etcd; empty for a relay.
  package var endpoints: [EtcdEndpoint]
  /// The beginning of the keys in etcd.
  package var prefix = "storehub/"
  /// The files of TLS; nil for plain connections on this machine.
  package var tls: (authority: String, certificate: String, key: String)? {
    get { files.map { ($0.authority, $0.certificate, $0.key) } }
    set { files = newValue.map { Files(authority: $0.authority, certificate: $0.certificate, key: $0.key) } }
  }
  private var files: Files?
  /// The numbers of each node's users, if a uid is not the same person on all machines; otherwise empty. Nodes that are not
  /// in `nodes` may have some as well, so that no others get them.
  package var userRanges: [NodeName: ClosedRange<UInt32>] = [:]
  /// How long a follower waits for a sign of the leader before it takes over.
  package var takeoverAfter = Duration.seconds(1)
  /// The bytes of the log that stay in etcd for nodes that were away.
  package var keptBytes = 256 << 20
  /// True if the hub that leads compacts etcd.
  package var compacts = true

  private struct Files: Equatable, Sendable { let authority, certificate, key: String }

  init(node: NodeName, nodes: [NodeName: Address], endpoints: [EtcdEndpoint]) {
    (self.node, self.nodes, self.endpoints) = (node, nodes, endpoints)
  }
}

extension ClusterSettings.Address: CustomStringConvertible {
  /// The address as in a URL.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Reads a numeric address with a port; nil for another text.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = String(text[..<colon])
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = String(host.dropFirst().dropLast()) }
    let digits = isBracketed ? "0123456789abcdefABCDEF:." : "0123456789."
    guard !host.isEmpty, host.contains(isBracketed ? ":" : "."), host.allSatisfy({ digits.contains($0) }) else {
      return nil
    }
    (self.host, self.port) = (host, port)
  }

  /// True if only this machine can reach it.
  var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }
}

extension ClusterSettings {
  /// True if the hub follows other hubs, and has no etcd.
  package var isRelay: Bool { !follow.isEmpty }

  /// The numbers of the users for whom a node may act, if the machines have users of their own: those of its machine, and
  /// those for whom gateways speak.
  package func users(of node: NodeName) -> [ClosedRange<UInt32>] {
    [userRanges[node], AccessPolicy.remoteUsers].compactMap(\.self)
  }

  /// The numbers of the users of all machines.
  package var userNumbers: UserNumbers {
    UserNumbers(of: node.text, among: Dictionary(uniqueKeysWithValues: userRanges.map { ($0.key.text, $0.value) }))
  }

  /// The lines of the section in a configuration.
  var lines: [String] {
    var lines = ["[cluster]", "node = \(node)"]
    lines.append("nodes = \(nodes.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value)" }.joined(separator: ", "))")
    func names(_ nodes: [NodeName]) -> String { nodes.map(\.description).joined(separator: ", ") }
    if !follow.isEmpty { lines.append("follow = \(names(follow))") }
    if !relays.isEmpty { lines.append("relays = \(names(relays))") }
    if !endpoints.isEmpty {
      lines.append("etcd = \(endpoints.map(\.description).joined(separator: ", "))")
      lines.append("prefix = \(prefix)")
    }
    if let tls { lines += ["ca = \(tls.authority)", "cert = \(tls.certificate)", "key = \(tls.key)"] }
    lines.append("uids = \(userRanges.isEmpty ? "shared" : "separate")")
    if !userRanges.isEmpty {
      let bases = userRanges.sorted { $0.value.lowerBound < $1.value.lowerBound }
      lines.append("uid-bases = \(bases.map { "\($0.key):\($0.value.lowerBound)" }.joined(separator: ", "))")
    }
    lines.append("takeover-after = \(LimitSetting.text(of: takeoverAfter))")
    lines.append("keep = \(LimitSetting.text(ofBytes: keptBytes))")
    if !endpoints.isEmpty { lines.append("etcd-compact = \(compacts ? "yes" : "no")") }
    return lines
  }
}
