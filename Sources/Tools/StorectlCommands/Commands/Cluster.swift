internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let cluster = Self(
    "cluster", "show the part of the hub in its cluster, pass the leadership on, or operate the log",
    arguments: [.init("ACTION", value: .words(clusterActions)), .init("NODE|PREFIX", .atMostOnce)],
    options: [
      .directory,
      .init(
        "config", argument: "FILE",
        """
        verify, remove, add, init, restore, balance, status --all: the hub's configuration; default \
        /etc/storehub/hub.conf
        """,
        value: .file),
      .init("all", "show all stores that share the etcd of the configuration", if: .argument("status")),
      .init("from-journal", "begin with the journal in --state-dir", if: .argument("init")),
      .init("yes", "do it; without, the command only says what it would do", if: .arguments(["restore", "balance"])),
      .init(
        "into", argument: "DIR", "the directory of the copy, which has no journal yet", value: .file,
        if: .argument("copy")),
    ],
    details: [
      .text(
        """
        status shows the hub's node and the one that leads, since when the state may be stale, the last applied entry \
        of the log and how many the leader has beyond it, the nodes to which a link is open, and those that were removed. \
        Needs the right to read \
        the hub's own state.
        """),
      .text(
        """
        transfer has the hub, which leads, pass the leadership on to NODE, or to the node that has the most of the log, \
        and waits until that one leads. No action is lost, and clients keep their connections. Needs the right admin. A \
        hub that is stopped does the same by itself.
        """),
      .code(["storectl cluster status", "storectl cluster transfer b"]),
      .text(
        """
        balance spreads the leaders of all stores that share an etcd over the machines, or moves that of the store with \
        PREFIX only. Run it on any of them. The stores are those whose prefix has the same beginning up to the last name, \
        as kitchen/ and office/, or hubs/kitchen/ and hubs/office/. Each leader is asked, through etcd, which nodes can \
        lead: those that it is linked with and that lack no more than 256 entries. The plan has the fewest moves after \
        which the numbers of leaders on two machines differ by at most one, as far as nodes can lead. With --yes, it is \
        carried out, one move after the other, and ends with the first one that fails. A name of a node is that of one \
        machine in all stores.
        """),
      .text(
        """
        balance exits with 0 if the leaders are spread, with 1 without --yes or if a move has failed, and with 6 if a \
        leader has not answered, whose store stays where it is. status --all shows the stores without a plan.
        """),
      .code(["storectl cluster status --all", "storectl cluster balance", "storectl cluster balance --yes"]),
      .text(
        """
        verify reads the journal of a node and what etcd has of the log, and says whether they belong together and are \
        whole: the name of the log, each entry with its checksum, term, schema and turns, each turn that both have, the \
        end of the journal, and how far the nodes have proved theirs. It changes nothing, and the hub may be running. It \
        exits with 0 if all is well, with 8 if there is a difference, with 9 if the journal is damaged, and with another \
        status if it could not look. Two nodes with the same checksum at an entry have the same log up to there.
        """),
      .text(
        """
        remove takes NODE, whose hub does not run, out of the cluster, and says what else is to be done. The hub of a \
        removed node does not serve, also if it was only stopped or cut off. It refuses if NODE leads or its hub runs, \
        which takes some seconds to find out. A second time changes nothing. add takes a removed node back.
        """),
      .code([
        "storectl cluster verify --state-dir /var/lib/storehub", "storectl cluster remove c", "storectl cluster add c",
      ]),
      .text(
        """
        copy writes a copy of the journal of a node into DIR, with its place in the log, from which another node can \
        start: a new one, or one that was away for too long. The hub may be running. Needs to read its files.
        """),
      .text(
        """
        init --from-journal begins the log of a cluster with the journal of a hub that was in none. The hub is stopped; \
        afterwards it starts with its section [cluster]. The other nodes get a snapshot of it, or start from \
        copies.
        """),
      .text(
        """
        restore continues the log after etcd has lost entries, or was restored from a backup. Run it on the machine whose \
        journal ends last, while all hubs are stopped. If etcd has the journal's last entry, the log goes on as it is, \
        under a new name; otherwise it begins again with that entry, so that nothing of the journal is lost. Every node \
        whose journal ends there goes on; one that ends earlier needs a copy, and says so. If the log has an entry after \
        the end of the journal that cannot be read, that entry and the later ones are removed.
        """),
      .text(
        """
        Without --yes, restore says what it would do, and exits with 1. It changes nothing, and exits with 12, if the \
        journal belongs to the log in etcd as it is; and with 8 if the log must not be continued with this journal, \
        because it ends later, is another one, or another hub has led since. If init, restore or remove is interrupted, \
        it says what was done so far.
        """),
      .code([
        "storectl cluster copy --state-dir /var/lib/storehub --into /srv/copy",
        "storectl cluster init --from-journal --state-dir /var/lib/storehub",
        "storectl cluster restore --state-dir /var/lib/storehub",
      ]),
    ])

  nonisolated static let clusterActions = [
    "status", "transfer", "balance", "verify", "remove", "add", "copy", "init", "restore",
  ]
}

extension Tool {
  /// Runs `cluster status`, `transfer [NODE]`, `balance [PREFIX]`, `verify`, `remove NODE`, `add NODE`, `copy`, `init`
  /// and `restore`.
  func cluster() async throws(ToolFailure) {
    switch (options.arguments[0], options.arguments.dropFirst().first) {
    case ("status", nil): if options.flag("all") { try await storesStatus() } else { try await clusterStatus() }
    case ("transfer", let node): try await transferLeadership(to: node ?? "")
    case ("balance", let prefix): try await balanceLeaders(of: prefix)
    case ("verify", nil): try await verifyLog()
    case ("remove", let node): try await removeNode(node ?? "")
    case ("add", let node): try await addNode(node ?? "")
    case ("copy", nil): try await copyNode()
    case ("init", nil): try await beginLog()
    case ("restore", nil): try await restoreLog()
    case (let word, let name?) where ProgramOptions.Command.clusterActions.contains(word):
      throw ToolFailure(.usage, "unexpected argument '\(name)'")
    case (let word, _): throw wrongWord(word, ProgramOptions.Command.clusterActions)
    }
  }

  private func clusterStatus() async throws(ToolFailure) {
    let (_, mirror) = try await connectedCluster()
    guard let status = mirror.part?.cluster else { return }
    guard !isJSON else { return print(status.json) }
    print(status.rows.map { palette.name($0) + String(repeating: " ", count: 10 - $0.count) + $1 })
  }

  private func transferLeadership(to node: String) async throws(ToolFailure) {
    guard node.utf8.count <= Transfer.nodeLimit else {
      throw ToolFailure(.usage, "the name of a node has at most \(Transfer.nodeLimit) characters")
    }
    let (hub, mirror) = try await connectedCluster()
    guard let before = mirror.part?.cluster else { return }
    guard node.isEmpty || before.leader != node else { return note("node \(node) leads already") }
    hub.transferLeadership(to: node)
    // A node that takes the leadership from the chosen one would be a later term, too.
    try await hub.wait { mirror.part?.cluster.map { $0.term > before.term && !$0.leader.isEmpty } ?? false }
    guard let after = mirror.part?.cluster else { return }
    effect = "node \(after.leader) leads"
    if isJSON { print(after.json) } else { note("node \(after.leader) leads in term \(after.term)") }
  }

  /// Connects to a hub, and waits for its metrics with the part in its cluster.
  private func connectedCluster() async throws(ToolFailure) -> (HubConnection, TypedMirror<HubMetrics>) {
    let hub = try await connect()
    guard try await hub.subscribeIfPermitted(to: .metrics) != nil else {
      throw ToolFailure(.notPermitted, "this user may not read the hub's own state")
    }
    let mirror = hub.followMetrics()
    try await hub.wait { mirror.part != nil }
    guard mirror.part?.cluster != nil else { throw ToolFailure(.absent, "the hub is in no cluster") }
    return (hub, mirror)
  }
}
