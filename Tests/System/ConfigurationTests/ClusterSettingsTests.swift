import ClusterLog
import Configuration
import EtcdMessages
import FeatureCore
import Features
import HubCore
import Testing
import Wire

/// The section `[cluster]`.
@Suite struct ClusterSettingsTests {
  private static let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
  private static let users = UserDatabase(user: { _ in nil }, group: { _ in nil })
  private static let local = """
    [cluster]
    node = a
    nodes = a@127.0.0.1:7400, b@[::1]:7401
    etcd = http://127.0.0.1:2379
    uids = shared

    """

  private func read(_ texts: String...) throws(ConfigurationError) -> OperatorConfiguration {
    var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
    let files = texts.enumerated().map { (file: "\($0).conf", text: $1) }
    try configuration.read(files, schema: Self.schema, users: Self.users)
    return configuration
  }

  private func problems(_ texts: String...) -> [String] {
    do throws(ConfigurationError) {
      var configuration = try OperatorConfiguration(owner: 7, users: Self.users)
      let files = texts.enumerated().map { (file: "\($0).conf", text: $1) }
      try configuration.read(files, schema: Self.schema, users: Self.users)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func aHubHasNoClusterWithoutTheSection() throws {
    #expect(try read("[limits]\nscopes = 5").cluster == nil)
  }

  @Test func theSectionIsReadAndPrinted() throws {
    let cluster = try #require(try read(Self.local).cluster)
    #expect(cluster.node.text == "a" && cluster.nodes.count == 2 && cluster.endpoints.map(\.port) == [2379])
    #expect(cluster.takeoverAfter == .seconds(1) && cluster.keptBytes == 256 << 20 && cluster.compacts)
    #expect(cluster.tls == nil && cluster.prefix == "storehub/")
    let full = try read(
      Self.local + "ca = /ca\ncert = /cert\nkey = /key\n",
      """
      [cluster]
      nodes = a@10.0.0.1:7400, b@10.0.0.2:7400
      etcd = https://10.0.0.1
      prefix = kitchen/
      takeover-after = 500ms
      keep = 1G
      etcd-compact = no
      """)
    let changed = try #require(full.cluster)
    #expect(changed.tls?.authority == "/ca" && changed.keptBytes == 1 << 30 && !changed.compacts)
    #expect(changed.takeoverAfter == .milliseconds(500) && changed.prefix == "kitchen/")
    #expect(try read(full.text(for: Self.schema)).cluster == changed)
  }

  @Test(arguments: [
    ("node = A", "'node' is 'A', but must be a name of at most 32 of a-z, 0-9 and -"),
    (
      "nodes = a@localhost:7400",
      "'nodes' is 'a@localhost:7400', but must be all nodes, each with its own numeric address, such as a@10.0.0.1:7400, b@10.0.0.2:7400"
    ),
    (
      "nodes = a@10.0.0.1:1, a@10.0.0.2:1",
      "'nodes' is 'a@10.0.0.1:1, a@10.0.0.2:1', but must be all nodes, each with its own numeric address, such as a@10.0.0.1:7400, b@10.0.0.2:7400"
    ),
    (
      "nodes = a@10.0.0.1:1, b@10.0.0.1:1",
      "'nodes' is 'a@10.0.0.1:1, b@10.0.0.1:1', but must be all nodes, each with its own numeric address, such as a@10.0.0.1:7400, b@10.0.0.2:7400"
    ),
    (
      "etcd = 10.0.0.1:2379",
      "'etcd' is '10.0.0.1:2379', but must be the members of etcd, such as https://10.0.0.1:2379, https://10.0.0.2:2379"
    ),
    (
      "uids = none",
      "'uids' is 'none', but must be shared, if a uid is the same person on all nodes, or separate, if it is not"
    ),
    (
      "uid-bases = a:0, b:1000",
      "'uid-bases' is 'a:0, b:1000', but must be the first number of each node's users, 65536 apart at least and below 2147483648, such as a:0, b:1000000000"
    ),
    (
      "prefix = kitchen",
      "'prefix' is 'kitchen', but must be a path that ends with a slash, without /log/, /node/ or /part/"
    ),
    // A log with the prefix `kitchen/` has keys there.
    (
      "prefix = kitchen/log/",
      "'prefix' is 'kitchen/log/', but must be a path that ends with a slash, without /log/, /node/ or /part/"
    ),
    ("takeover-after = 1ms", "'takeover-after' is '1ms', but must be a time from 300ms to 60s, such as 1s"),
    ("keep = 3", "'keep' is '3', but must be a number of bytes from 1M to 64G, such as 256M"),
    ("etcd-compact = maybe", "'etcd-compact' is 'maybe', but must be yes or no"),
    ("cert =", "'cert' is '', but must be the path of a file"),
  ])
  func wrongValuesAreNamed(line: String, problem: String) {
    #expect(problems(Self.local, "[cluster]\n\(line)") == ["1.conf:2: \(problem)"])
  }

  @Test func unknownSettingsAndMissingOnesAreNamed() {
    #expect(problems(Self.local + "ndoes = x").first?.contains("there is no setting 'ndoes' in [cluster]") == true)
    #expect(
      problems("[cluster]\nnode = a") == ["nodes", "etcd", "uids"].map { "0.conf:1: [cluster] needs '\($0)'" })
  }

  @Test func machinesHaveUsersOfTheirOwn() throws {
    let separate = "[cluster]\nuids = separate\nuid-bases = b:1000000000, c:2000000000, a:0"
    let configuration = try read(Self.local, separate)
    let cluster = try #require(configuration.cluster)
    let names = cluster.userRanges.map { ($0.key.text, $0.value) }.sorted { $0.0 < $1.0 }
    #expect(names.map(\.0) == ["a", "b", "c"])
    #expect(names.map(\.1) == [0...999_999_999, 1_000_000_000...1_999_999_999, 2_000_000_000...2_147_483_647])
    #expect(cluster.users(of: cluster.node) == [0...999_999_999, AccessPolicy.remoteUsers])
    #expect(try read(configuration.text(for: Self.schema)).cluster == cluster)
    #expect(try read(Self.local).cluster?.userRanges == [:])
  }

  @Test(arguments: ["b:2147483648", "a:0, a:100000", "a:0, B:100000", "a:-1", "a", "a:2147483000", ""])
  func wrongBasesAreNamed(bases: String) {
    let found = problems(Self.local, "[cluster]\nuids = separate\nuid-bases = \(bases)")
    #expect(found.count == 1 && found.first?.hasPrefix("1.conf:3: 'uid-bases' is '\(bases)', but must be ") == true)
  }

  @Test func basesAreForSeparateUsersOfAllNodes() {
    #expect(
      problems(Self.local, "[cluster]\nuids = separate")
        == ["1.conf:2: 'uids' is 'separate', so [cluster] needs 'uid-bases'"])
    #expect(
      problems(Self.local, "[cluster]\nuid-bases = a:0, b:100000").first?.contains("is only for 'uids = separate'")
        == true)
    #expect(
      problems(Self.local, "[cluster]\nrelays = r\nuids = separate\nuid-bases = a:0, b:100000, c:200000")
        .first?.contains("does not have node 'r'") == true)
    #expect(
      problems(Self.local, "[cluster]\nuids = separate\nuid-bases = a:0")
        == ["1.conf:3: 'uid-bases' does not have node 'b'"])
  }

  @Test func whatDoesNotFitTogetherIsNamed() {
    #expect(problems(Self.local, "[cluster]\nnode = c") == ["0.conf:3: 'nodes' does not have this node, 'c'"])
    #expect(
      problems(Self.local, "[cluster]\nnodes = a@10.0.0.1:1")
        == ["1.conf:2: nodes on other machines need TLS: set 'ca', 'cert' and 'key'"])
    #expect(
      problems(Self.local, "[cluster]\netcd = https://10.0.0.1")
        == ["1.conf:2: 'etcd' has https, which needs 'ca', 'cert' and 'key'"])
    #expect(
      problems(Self.local, "[cluster]\nrelays = a") == ["1.conf:2: 'relays' has this node, 'a'"])
    #expect(
      problems(Self.local, "[cluster]\nrelays = d, b")
        == ["1.conf:2: 'b' is in 'nodes' and in 'relays': a relay is no member of the cluster"])
    #expect(
      problems(Self.local, "[cluster]\nrelays = d, d").first
        == "1.conf:2: 'relays' is 'd, d', but must be names of nodes, each once, such as a, b")
    #expect(
      problems(Self.local, "[cluster]\nfollow = b")
        == ["1.conf:2: [cluster] has 'etcd' and 'follow': a relay follows other hubs and has no etcd"])
    #expect(
      problems(Self.local + "cert = /cert").first?.contains("some of 'ca', 'cert' and 'key'") == true)
  }

  // MARK: Relays

  private static let relay = """
    [cluster]
    node = d
    nodes = b@127.0.0.1:7400, c@127.0.0.1:7401
    follow = c, b
    uids = shared

    """

  @Test func aRelayFollowsInPlaceOfEtcd() throws {
    let configuration = try read(Self.relay)
    let relay = try #require(configuration.cluster)
    #expect(relay.isRelay && relay.follow.map(\.text) == ["c", "b"] && relay.relays.isEmpty && relay.endpoints.isEmpty)
    #expect(try read(configuration.text(for: Self.schema)).cluster == relay)
    let upper = try read(
      Self.relay, "[cluster]\nnodes = b@127.0.0.1:7400, c@127.0.0.1:7401, d@127.0.0.1:7402\nrelays = e, f")
    #expect(upper.cluster?.relays.map(\.text) == ["e", "f"] && upper.cluster?.nodes.count == 3)
    #expect(try read(upper.text(for: Self.schema)).cluster == upper.cluster)
    let member = try #require(try read(Self.local, "[cluster]\nrelays = d, e").cluster)
    #expect(!member.isRelay && member.relays.count == 2)
  }

  @Test(arguments: [
    ("follow = b, d", "'follow' has this node, 'd'"),
    ("relays = c", "'c' is in 'follow' and in 'relays': of two nodes, one follows the other"),
    ("relays = d", "'relays' has this node, 'd'"),
    ("relays = e", "'nodes' does not have this node, 'd', which 'relays' are to follow"),
    ("follow = b, x", "'nodes' does not have the address of 'x', which 'follow' names"),
    ("follow = b", "'nodes' has 'c', which 'follow' does not name"),
    (
      "nodes = b@127.0.0.1:7400, c@127.0.0.1:7401, d@127.0.0.1:7402",
      "'nodes' has this node, 'd', but 'relays' names none that may follow it"
    ),
    ("prefix = x/", "a relay has no etcd, so that 'prefix' means nothing: remove it"),
    ("etcd-compact = no", "a relay has no etcd, so that 'etcd-compact' means nothing: remove it"),
    ("nodes = b@10.0.0.1:7400, c@127.0.0.1:7401", "nodes on other machines need TLS: set 'ca', 'cert' and 'key'"),
  ])
  func whatDoesNotFitARelayIsNamed(line: String, problem: String) {
    #expect(
      problems(Self.relay, "[cluster]\n\(line)").map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) }
        == [problem])
  }
}
