import Foundation
import TestSupport
import Testing

/// The machine's etcd: Debian's package etcd-server, or an installation by hand.
private enum Etcd {
  static let path = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first { FileManager.default.isExecutableFile(atPath: $0) }
  static let isMissing: Comment =
    "skipped: etcd, Python or openssl is not installed (Debian packages etcd-server, python3 and openssl)"
}

/// Makes certificates: Debian's package openssl.
private enum OpenSSL {
  static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}

/// Three hubs and an etcd as processes.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ClusterProgramTests {
  private struct Outcome: Decodable {
    let acknowledged: Int
    let missing: [String: Int]
    let doubled: [String: Int]
    let differing: Int
    let gaps: [Double]
    let lostConnections: Int
    let forgotten: Int?
    let views: [String: Bool]
  }

  private struct Renewal: Decodable {
    let acknowledged: Int
    let missing: [String: Int]
    let doubled: [String: Int]
    let differing: Int
    let mistake: String
  }

  private struct Mistakes: Decodable {
    let statuses: [String: Int]
    let logs: [String: String]
  }

  /// The hub that leads is killed while a client of each hub sends actions, and another one loses its disk. Nothing
  /// acknowledged is lost or doubled, and the clients of the other hubs keep their connections.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func clientsOfOtherHubsOutliveTheHubThatLeads() throws {
    let output = try run("1")
    let outcome = try JSONDecoder().decode(Outcome.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(outcome.acknowledged > 20, "\(text)")
    #expect(outcome.missing.count == 3 && outcome.missing.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(outcome.doubled.count == 3 && outcome.doubled.values.allSatisfy { $0 == 0 }, "\(text)")
    // A hub without its disk answers nobody before it has copied the log.
    #expect(outcome.forgotten == 0, "\(text)")
    #expect(outcome.differing == 0 && outcome.lostConnections == 0, "\(text)")
    // The views of the hubs that follow change before and after the takeover, and have the todos of all in the end.
    #expect(outcome.views == ["a": true, "b": true, "c": true], "\(text)")
    // 3 s are promised on a machine that has the time for it.
    #expect(outcome.gaps.count == 1 && outcome.gaps.allSatisfy { $0 < 60 }, "\(text)")
  }

  private struct Control: Decodable {
    struct Output: Decodable { let figures: Figures }
    struct Figures: Decodable { let cluster: Status }

    let status: Int
    let output: Output?
    let errors: String
  }

  private struct Status: Decodable {
    let node: String
    let leader: String?
    let term: Int
    let condition: String
    let staleSince: String?
    let linkedNodes: [String]
  }

  private struct Operation: Decodable {
    struct Transfer: Decodable {
      let status: Int
      let output: Status?
      let errors: String
    }

    let users, expectedUsers: [UInt32]
    let places: [String: [String]]
    let leaders: [String]
    let statuses: [String: Control]
    let refused: Transfer
    let transfer: Transfer
    let logs: [String: String]
  }

  /// An operator sees the part of each hub in its cluster. A hub that leads passes the leadership on when it is stopped,
  /// or told to: clients of the others do not wait for its silence. No client loses its connection, except those of a hub
  /// that stops.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func anOperatorPassesTheLeadershipOn() throws {
    var (operation, text) = try operate()
    // A pause of the machine is a silence, after which another hub leads, too.
    for _ in 0..<4 where operation.transfer.output?.term != 3 { (operation, text) = try operate() }
    let (first, second) = (operation.leaders[0], operation.leaders[1])
    let statuses = operation.statuses.compactMapValues { $0.output?.figures.cluster }
    #expect(statuses.count == 3, "\(text)")
    for (node, status) in statuses {
      #expect(status.node == node && status.leader == first && status.term == 1 && status.condition == "current")
      #expect(status.staleSince == nil && status.linkedNodes == ["a", "b", "c"].filter { $0 != node })
    }
    #expect(operation.users == operation.expectedUsers, "\(text)")
    #expect(operation.places == ["known": [first], "unknown": ["a", "b", "c"].filter { $0 != first }], "\(text)")
    let handOver = "this node hands the leadership over to "
    #expect(operation.logs[first]?.contains(handOver + second) == true, "\(text)")
    #expect(operation.logs[second]?.contains(handOver + first) == true, "\(text)")
    #expect(operation.refused.status == 1, "\(text)")
    #expect(operation.refused.errors.contains("this hub does not lead; that of node \(second) does"), "\(text)")
    #expect(operation.transfer.status == 0, "\(text)")
    #expect(operation.transfer.output?.leader == first && operation.transfer.output?.term == 3, "\(text)")
  }

  private func operate() throws -> (Operation, output: String) {
    let output = try run("operate", Program(name: "storectl").url.path)
    let outcome = try JSONDecoder().decode(Outcome.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(outcome.missing.values.allSatisfy { $0 == 0 } && outcome.doubled.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(outcome.differing == 0 && outcome.lostConnections == 0, "\(text)")
    #expect(outcome.gaps.count == 2 && outcome.gaps.allSatisfy { $0 < 60 }, "\(text)")
    return (try JSONDecoder().decode(Operation.self, from: output), text)
  }

  /// At SIGHUP the hubs read the certificates again, for etcd and for the links. Without that, they could connect neither
  /// with etcd nor with the hub that starts again. A file with a mistake changes nothing.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil && OpenSSL.path != nil, Etcd.isMissing))
  func certificatesAreReadAgain() throws {
    let output = try run("renew", try #require(OpenSSL.path))
    let outcome = try JSONDecoder().decode(Renewal.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(outcome.acknowledged > 60, "\(text)")
    #expect(outcome.missing.count == 3 && outcome.missing.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(outcome.doubled.values.allSatisfy { $0 == 0 } && outcome.differing == 0, "\(text)")
    #expect(outcome.mistake.contains("the configuration is unchanged: ") && outcome.mistake.contains(".pem"), "\(text)")
  }

  /// A hub whose clients' actions cannot get to the hub that leads says so, and one that lost the cluster's log stops.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func anOperatorReadsWhatIsWrong() throws {
    let outcome = try JSONDecoder().decode(Mistakes.self, from: run("mistakes"))
    let logs = outcome.logs
    #expect(logs["a"]?.contains("no link with node c at 127.0.0.1:1: cannot connect to 127.0.0.1:1") == true, "\(logs)")
    #expect(logs["b"]?.contains("node c leads, but 'nodes' in [cluster] does not name it") == true, "\(logs)")
    #expect(outcome.statuses == ["a": 1, "b": 1, "c": 1])
    for (node, log) in logs {
      #expect(log.contains("but the log at 0: etcd has lost entries. Bring back its data"), "\(node): \(log)")
      #expect(log.contains("if 'etcd' or 'prefix' in [cluster] is wrong, correct that"), "\(node): \(log)")
      #expect(!log.contains("journal cannot be written"), "\(node): \(log)")
    }
  }

  private struct Names: Decodable {
    let leaders: [String]
    let clients: [[[String]]]
    let senders: [String: [[String]]]
    let log: [String: [String]]
  }

  /// Each of two hubs leads once, and knows the name that the client of the other one has chosen: in its list of clients,
  /// and in the journals of both.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func theHubThatLeadsKnowsTheNamesOfOtherHubsClients() throws {
    let output = try run("names", Program(name: "storectl").url.path)
    let names = try JSONDecoder().decode(Names.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(Set(names.leaders) == ["a", "b"], "\(text)")
    #expect(
      names.clients == [[["a", "worker a"], ["b", "worker b"]], [["a", "worker a"], ["b", "worker b"]]], "\(text)")
    let senders = ["a 0", "b 0", "a 1", "b 1"].map { [$0, "worker \($0.prefix(1))"] }
    #expect(names.senders == ["a": senders, "b": senders], "\(text)")
    // The initial state has no sender.
    for lines in names.log.values {
      #expect(lines.suffix(4).map { String($0.suffix(9)) } == senders.map { " \($0[1])" }, "\(text)")
    }
  }

  private struct Absence: Decodable {
    let first: [String: Int]
    let kept: [String]
    let ended: Int
    let verified: [Restoration.Command]
    let node: String
    let logs: [String: String]
  }

  /// A hub is away until the log has removed what it lacks: killed, and stopped, so that it serves when it finds out and
  /// ends. Then it loses its disk. Each time it starts, it gets a snapshot from another one, and nobody else notices. Its
  /// first client sees all that was acknowledged before.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func aHubComesBackToALogThatLacksWhatItNeeds() throws {
    let output = try run("away", Program(name: "storectl").url.path)
    let outcome = try JSONDecoder().decode(Outcome.self, from: output)
    let absence = try JSONDecoder().decode(Absence.self, from: output)
    let logs = absence.logs.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
    #expect(outcome.acknowledged > 100, "\(logs)")
    #expect(outcome.missing.count == 3 && outcome.missing.values.allSatisfy { $0 == 0 }, "\(outcome) \(logs)")
    #expect(outcome.doubled.values.allSatisfy { $0 == 0 } && outcome.differing == 0, "\(outcome) \(logs)")
    #expect(outcome.lostConnections == 0, "\(logs)")
    #expect(absence.first == ["time": 0, "stop": 0, "disk": 0], "\(logs)")
    let log = try #require(absence.logs[absence.node])
    let installed = log.components(separatedBy: "is the snapshot of another node now")
    #expect(installed.count == 4, "\(log)")
    // The journals that it had when it was away, of which the second began with the first snapshot.
    #expect(installed[1].hasPrefix("; the previous journal is kept as "), "\(log)")
    #expect(installed.last?.hasPrefix("; the previous") == false, "\(log)")
    #expect(absence.kept == ["journal.db.before-1", "journal.db.before-2"])
    #expect(absence.ended == 1, "\(log)")
    #expect(log.contains("this hub starts again, and gets a snapshot from another node"), "\(log)")
    #expect(absence.verified.map(\.status) == [0, 0, 0], "\(absence.verified)")
    let sent = absence.logs.values.map { $0.components(separatedBy: "sends node \(absence.node) a snapshot").count - 1 }
    #expect(sent.reduce(0, +) >= 3, "\(logs)")
  }

  private struct Restoration: Decodable {
    struct Command: Decodable {
      let status: Int
      let output, errors: String

      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        (status, output) = (try values.decode(Int.self), try values.decode(String.self))
        errors = try values.decode(String.self)
      }
    }

    struct Ended: Decodable {
      let status: Int
      let log: String

      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        (status, log) = (try values.decode(Int.self), try values.decode(String.self))
      }
    }

    struct Repair: Decodable {
      let refused: [String: Ended]
      let plans: [String: Command]
      let ends: [String: UInt64]
      let best: String
      let interrupted, restored, again: Command
      let behind: [String: String]
      let verified, afterwards: [String: Command]
    }

    struct Cut: Decodable {
      let last: UInt64
      let refused: [String: Ended]
      let plan, restored, again: Command
      let afterwards: [String: Command]
    }

    struct MendedLeader: Decodable {
      let lost: Int
      let served: [String: Int]
      let verified, plan, restored, again: Command
      let logs: [String: String]
      let afterwards: [String: Command]
    }

    struct Verification: Decodable {
      let verified: [String: Command]
      let damaged, mended: Command
      let runningNodes: [String: Command]
      let leader, gone: String
      let removals: [Command]
      let removed, again, statusAgain: Command
      let lockedOut: LockedOut
    }

    /// The removed node goes on, starts, and is taken back.
    struct LockedOut: Decodable {
      let status: Command
      let ends: [Int]
      let log: String
      let additions: [Command]
    }

    /// The output of `cluster verify --json`.
    struct Report: Decodable {
      struct Journal: Decodable { let entry: UInt64 }
      struct Log: Decodable {
        let last: UInt64
        let leader: String
      }
      struct Node: Decodable {
        let node: String
        let removed: Bool
      }

      let whole: Bool
      let differences: [String]
      let journal: Journal
      let log: Log
      let checkedEntries, comparedTurns: UInt64
      let nodes: [Node]
    }

    let running, twice: Command
    let older, empty, nameless: Repair
    let cut: Cut
    let leaders: [MendedLeader]
    let verification: Verification
  }

  /// The journal of a hub of one machine becomes the beginning of a cluster. Then etcd is replaced by an older backup, and
  /// then it loses everything: the log is restored from the journal that ends last, and no acknowledged action is lost.
  /// Then it has an entry that cannot be read, and at last, another program damages the keys `leader` and `history`.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func anOperatorBeginsALogWithAJournal() throws {
    let output = try run("restore", Program(name: "storectl").url.path)
    let outcome = try JSONDecoder().decode(Outcome.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(outcome.acknowledged > 100, "\(text)")
    #expect(outcome.missing.values.allSatisfy { $0 == 0 } && outcome.doubled.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(outcome.differing == 0, "\(text)")

    let restoration = try JSONDecoder().decode(Restoration.self, from: output)
    try checkVerification(restoration.verification)
    #expect(restoration.running.status == 7 && restoration.running.errors.contains("of a hub without a cluster"))
    #expect(restoration.twice.status == 1 && restoration.twice.errors.contains("that of a cluster already"))
    for repair in [restoration.older, restoration.empty, restoration.nameless] {
      for (node, ended) in repair.refused {
        #expect(ended.status == 1 && ended.log.contains("run `storectl cluster restore`"), "\(node): \(ended.log)")
        #expect(isRefusedOnce(ended.log, "run `storectl cluster restore`"), "\(node): \(ended.log)")
      }
      for (node, plan) in repair.plans {
        #expect(plan.status == 1 && plan.errors.contains("nothing was changed"), "\(node): \(plan.errors)")
        #expect(plan.output.contains("lost "), "\(plan.output)")
      }
      #expect(repair.interrupted.status == 130, "\(repair.interrupted)")
      #expect(repair.interrupted.errors.contains("interrupted: nothing was changed"), "\(repair.interrupted)")
      #expect(repair.restored.status == 0, "\(repair.restored.errors)")
      #expect(repair.again.status == 12 && repair.again.errors.contains("nothing to restore"))
      // A hub whose journal ends where the best one ends goes on; others name the command to run.
      for (node, end) in repair.ends where end == repair.ends[repair.best] { #expect(repair.behind[node] == nil) }
      for (node, log) in repair.behind { #expect(log.contains("storectl cluster copy"), "\(node): \(log)") }
      for (node, command) in repair.verified { #expect(command.status == 8, "\(node): \(command)") }
      for (node, command) in repair.afterwards { #expect(command.status == 0, "\(node): \(command)") }
    }
    for command in restoration.older.verified.values {
      #expect(command.output.contains("the journal ends at entry"), "\(command)")
    }
    for command in restoration.empty.verified.values {
      #expect(command.output.contains("etcd has no log here"), "\(command)")
    }
    checkCut(restoration.cut)
    checkMendedKeys(restoration)
  }

  private struct Clocks: Decodable {
    let ahead, right, behind: [String: [String: Double]]
    let verified: [String: Restoration.Command]
    let logs: [String: String]
  }

  /// The clock of a node is wrong: each node says so once for each other one whose clock differs, and once that it is
  /// right again. Nothing is lost, also while that node leads.
  @Test(
    .enabled(
      if: Python.isInstalled && Etcd.path != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"),
      Etcd.isMissing))
  func aWrongClockIsReported() throws {
    let directory = NSTemporaryDirectory() + "clock-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let library = directory + "/clock.so"
    let compiled = try Program(path: "/usr/bin/cc").run(
      "-shared", "-fPIC", "-o", library, RepositoryFiles.path("Tests/Fixtures/preload/clock.c"))
    try #require(compiled.status == 0, "\(compiled)")

    let output = try run("clock", Program(name: "storectl").url.path, library)
    let outcome = try JSONDecoder().decode(Outcome.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(outcome.acknowledged > 100, "\(text)")
    #expect(outcome.missing.values.allSatisfy { $0 == 0 } && outcome.doubled.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(outcome.differing == 0 && outcome.lostConnections == 0, "\(text)")

    let clocks = try JSONDecoder().decode(Clocks.self, from: output)
    for (found, ahead) in [(clocks.ahead, 10_000.0), (clocks.behind, -10_000)] {
      #expect(found["a"]?.keys.sorted() == ["c"] && found["b"]?.keys.sorted() == ["c"], "\(found)")
      #expect(found["c"]?.keys.sorted() == ["a", "b"], "\(found)")
      // Half of an answer's time may count as a difference.
      for node in ["a", "b"] { #expect(abs((found[node]?["c"] ?? 0) - ahead) <= 600, "\(found)") }
      for node in ["a", "b"] { #expect(abs((found["c"]?[node] ?? 0) + ahead) <= 600, "\(found)") }
    }
    #expect(clocks.right == ["a": [:], "b": [:], "c": [:]], "\(text)")
    for (node, log) in clocks.logs {
      let others = node == "c" ? 2 : 1
      // Once while the clock of c was ahead, and once while it was behind.
      for text in [" s ahead of this machine's", " s behind this machine's"] {
        #expect(log.components(separatedBy: text).count == others + 1, "\(node): \(log)")
      }
      #expect(log.components(separatedBy: "agrees with this machine's again").count == others + 1, "\(node): \(log)")
    }
    for (node, command) in clocks.verified { #expect(command.status == 0, "\(node): \(command)") }
  }

  private struct SchemaChange: Decodable {
    let acknowledged, lost, differing, miscounted: Int
    let ended: [String: Int]
    let logs: [String: String]
    let missing, doubled: [String: Int]
    let migrations, unclean: [Int]
    let verified: [String: Restoration.Command]
  }

  /// Hubs are upgraded one after the other to versions with other schemas: those that follow stand by, and the first of
  /// them that leads converts the state for all. Nothing is lost, and clients of other machines keep their connections
  /// until the leadership is passed on.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func aVersionWithAnotherSchemaStandsByUntilItLeads() throws {
    let output = try run("schema", Program(name: "storectl").url.path, hub: "ledgerhub")
    let change = try JSONDecoder().decode(SchemaChange.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(change.acknowledged > 100 && change.lost == 0, "\(text)")
    #expect(change.missing.values.allSatisfy { $0 == 0 } && change.doubled.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(change.differing == 0 && change.miscounted == 0, "\(text)")
    // One migration was declared, and each node has its result once.
    #expect(change.migrations == [1, 1, 1, 1, 1, 1], "\(text)")
    // A state that cannot be converted, and a hub whose version the log has left.
    #expect(change.ended == ["unfit": 1, "old": 1, "standing by": 0], "\(text)")
    // The journal of a hub that was stopped while it stood by is closed in order; that of one that was killed is not.
    #expect(change.unclean == [0, 0, 1], "\(text)")
    #expect(change.logs["unfit"]?.contains("does not fit this program's feature") == true, "\(text)")
    #expect(isRefusedOnce(change.logs["old"] ?? "", "run the version of the other nodes on this one"), "\(text)")
    let loss = "'currency' of Ledger3, which this version does not have"
    #expect(change.logs["earlier"]?.contains(loss) == true, "\(text)")
    for (node, command) in change.verified { #expect(command.status == 0, "\(node): \(command)") }
  }

  /// True if the log of a hub says once that it does not serve, with this reason.
  private func isRefusedOnce(_ log: String, _ reason: String) -> Bool {
    let lines = log.split(separator: "\n").filter { $0.contains(reason) }
    return lines.count == 1 && lines[0].contains("this node does not serve: ")
  }

  /// An entry that no journal has, and that cannot be read, keeps all hubs from serving, until the operator gives it up.
  private func checkCut(_ cut: Restoration.Cut) {
    for (node, ended) in cut.refused {
      #expect(ended.status == 1 && ended.log.contains("entry \(cut.last + 1): "), "\(node): \(ended.log)")
      #expect(isRefusedOnce(ended.log, "run `storectl cluster restore`"), "\(node): \(ended.log)")
    }
    #expect(cut.plan.status == 1 && cut.plan.errors.contains("nothing was changed"), "\(cut.plan)")
    #expect(cut.plan.output.contains("damaged     entry \(cut.last + 1) of the log: "), "\(cut.plan)")
    #expect(cut.plan.output.contains("up to entry \(cut.last); entry \(cut.last + 1) is removed"), "\(cut.plan)")
    #expect(cut.restored.status == 0, "\(cut.restored)")
    #expect(cut.again.status == 12, "\(cut.again)")
    for (node, command) in cut.afterwards { #expect(command.status == 0, "\(node): \(command)") }
  }

  /// Without the key `leader`, hubs serve what they have, and no client loses its connection or its session. Without the
  /// name of the log, they do not start.
  private func checkMendedKeys(_ restoration: Restoration) {
    let nonsense = "the key 'leader' has bytes that no hub has written"
    for (leader, reason) in zip(restoration.leaders, [nonsense, "the key 'leader' is missing"]) {
      #expect(leader.lost == 0 && leader.served.count == 3 && leader.served.values.allSatisfy { $0 > 100 }, "\(leader)")
      for (node, log) in leader.logs {
        #expect(log.contains("no node can lead: the log is damaged (\(reason)"), "\(node): \(log)")
      }
      #expect(leader.verified.status == 8, "\(leader.verified)")
      #expect(leader.plan.status == 1 && leader.plan.errors.contains("nothing was changed"), "\(leader.plan)")
      #expect(leader.plan.output.contains("the key 'leader' has the leadership of its last entry"), "\(leader.plan)")
      #expect(leader.plan.output.contains("lost        nothing"), "\(leader.plan)")
      #expect(leader.restored.status == 0, "\(leader.restored)")
      #expect(leader.again.status == 12, "\(leader.again)")
      for (node, command) in leader.afterwards { #expect(command.status == 0, "\(node): \(command)") }
    }
    #expect(restoration.leaders.count == 2)
    for (node, ended) in restoration.nameless.refused {
      #expect(ended.log.contains("the log is damaged (the key 'history' has bytes"), "\(node): \(ended.log)")
    }
    for (node, plan) in restoration.nameless.plans {
      #expect(plan.output.contains("damaged     the key 'history', which has bytes that no hub"), "\(node): \(plan)")
    }
  }

  /// The log is whole while the hubs run. Only a node whose hub does not run is removed, and serves when it is taken back.
  private func checkVerification(_ found: Restoration.Verification) throws {
    for (node, command) in found.verified {
      #expect(
        command.status == 0 && command.output.contains("the journal and the log belong together"), "\(node): \(command)"
      )
      #expect(command.output.contains("nodes     a (entry "), "\(command)")
    }
    #expect(found.damaged.status == 8 && found.damaged.output.contains(" is damaged: "), "\(found.damaged)")
    #expect(found.mended.status == 0, "\(found.mended)")
    for (node, command) in found.runningNodes {
      let reason = node == found.leader ? "node \(node) leads in term" : "the hub of node \(node) runs"
      #expect(command.status == 1 && command.errors.contains(reason), "\(node): \(command)")
    }
    #expect(found.removals.map(\.status) == [0, 0], "\(found.removals)")
    #expect(found.removals.first?.output.contains("node \(found.gone) was removed; its journal") == true)
    #expect(found.removals.last?.output.contains("node \(found.gone) was removed before") == true)
    for removal in found.removals {
      #expect(removal.output.contains("take \(found.gone) out of 'nodes'"), "\(removal)")
      #expect(removal.output.contains("etcdctl member remove"), "\(removal)")
    }
    #expect(found.removed.status == 0, "\(found.removed)")
    let report = try JSONDecoder().decode(Restoration.Report.self, from: Data(found.removed.output.utf8))
    #expect(report.whole && report.differences == [] && report.journal.entry <= report.log.last, "\(found.removed)")
    #expect(report.log.leader != found.gone, "\(report)")
    #expect(report.checkedEntries > 10 && report.comparedTurns > 10, "\(report)")
    #expect(report.nodes.filter(\.removed).map(\.node) == [found.gone], "\(found.removed)")
    let lockedOut = found.lockedOut
    let row = "removed   \(found.gone)\n"
    #expect(lockedOut.status.output.contains(row), "\(lockedOut.status)")
    #expect(lockedOut.ends == [1, 1], "\(lockedOut)")
    let reason = "node \(found.gone) was removed from the cluster"
    // Once it has served until then, and once it has not begun to.
    #expect(lockedOut.log.components(separatedBy: reason).count > 2, "\(lockedOut.log)")
    #expect(lockedOut.additions.map(\.status) == [0, 0], "\(lockedOut.additions)")
    #expect(lockedOut.additions.first?.output == "node \(found.gone) was taken back: its hub can start\n")
    #expect(lockedOut.additions.last?.output == "node \(found.gone) was not removed\n")
    #expect(found.again.status == 0 && !found.again.output.contains("removed"), "\(found.again)")
    #expect(found.statusAgain.status == 0 && !found.statusAgain.output.contains(row), "\(found.statusAgain)")
  }

  private struct Sharing: Decodable {
    struct Command: Decodable {
      let status: Int
      let output, errors: String
    }
    struct Spread: Decodable {
      let before: String
      let leaders: [String: String]
    }
    struct Away: Decodable {
      let node, third, before: String
      let leaders: [String: String]
    }
    struct Stopped: Decodable {
      let ended: Int?
      let lost: Int
    }
    struct Inner: Decodable {
      let status: Int
      let log: String
    }
    struct Report: Decodable {
      struct Store: Decodable {
        let store, leader: String
        let position: Int
      }
      struct Move: Decodable, Equatable {
        let store, from, to: String
        let done: Bool
      }

      let stores: [Store]
      let moves: [Move]?
    }

    let status, plan, again, unknown: Command
    let moves: [Command]
    let spread: Spread
    let away: Away
    let stopped: Stopped
    let inner: Inner
    let outcomes: [String: Outcome]
    let verified: [String: [String: Restoration.Command]]
  }

  /// Two stores of six hubs share an etcd. Their leaders spread over the nodes that are there, and no client notices. A
  /// hub that is stopped, while the other store writes much and etcd forgets everything old, goes on.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil, Etcd.isMissing))
  func storesShareAnEtcdAndTheirLeadersSpread() throws {
    let output = try run("Fixtures/stores.py", [Program(name: "storectl").url.path])
    let sharing = try JSONDecoder().decode(Sharing.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    func report(_ command: Sharing.Command) throws -> Sharing.Report {
      try JSONDecoder().decode(Sharing.Report.self, from: Data(command.output.utf8))
    }
    let first = sharing.spread.before
    let status = try report(sharing.status)
    #expect(sharing.status.status == 0 && status.stores.map(\.store) == ["kitchen/", "office/"], "\(text)")
    #expect(status.stores.map(\.leader) == [first, first] && status.stores.allSatisfy { $0.position > 10 }, "\(text)")
    // A plan changes nothing, and is made of the same moves.
    #expect(sharing.plan.status == 1 && sharing.plan.errors.contains("nothing was changed; --yes does it"), "\(text)")
    let (plan, done) = (try report(sharing.plan), try report(sharing.moves[0]))
    #expect(plan.moves?.count == 1 && plan.moves?.first?.done == false && plan.moves?.first?.from == first, "\(text)")
    #expect(sharing.moves.map(\.status) == [0, 0], "\(text)")
    #expect(done.moves?.map(\.done) == [true] && done.moves?.map(\.to) == plan.moves?.map(\.to), "\(text)")
    #expect(Set(sharing.spread.leaders.values) == Set([first] + (plan.moves?.map(\.to) ?? [])), "\(text)")
    #expect(sharing.again.status == 0 && sharing.again.errors.contains("nothing is to be moved"), "\(text)")
    #expect(sharing.unknown.status == 7 && sharing.unknown.errors.contains("no store nowhere/"), "\(text)")
    // The node that is away gets none.
    #expect(Set(sharing.away.leaders.values) == [sharing.away.before, sharing.away.third], "\(text)")
    #expect(sharing.stopped.ended == nil && sharing.stopped.lost == 0, "\(text)")
    #expect(sharing.inner.status == 1, "\(text)")
    let reason = "etcd has the log of another store below kitchen/, and no prefix may be the beginning"
    #expect(isRefusedOnce(sharing.inner.log, reason), "\(sharing.inner.log)")
    for outcome in sharing.outcomes.values {
      #expect(outcome.acknowledged > 100 && outcome.differing == 0 && outcome.lostConnections == 0, "\(text)")
      #expect(outcome.missing.values.allSatisfy { $0 == 0 } && outcome.doubled.values.allSatisfy { $0 == 0 }, "\(text)")
    }
    #expect(sharing.outcomes.count == 2)
    for (store, nodes) in sharing.verified {
      for (node, command) in nodes { #expect(command.status == 0, "\(store) \(node): \(command)") }
    }
  }

  /// What the script of this suite prints.
  private struct Relays: Decodable {
    let acknowledged: Int
    let missing: [String: Int]
    let doubled: [String: Int]
    let differing: Int
    let lost: Int
    let slowest: [Double]
    let follows: [String]
    let forgotten: Int
    let ofRelay: Int
    let senders, expectedSenders: [String: [UInt32]]
    let others: [OtherUser?]
    let warned: [String]
  }

  /// What another user than the hub's own is told: the status of the command, and its errors.
  private struct OtherUser: Decodable {
    let status: Int
    let errors: String

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      (status, errors) = (try values.decode(Int.self), try values.decode(String.self))
    }
  }

  /// A relay below a relay: its upstream is killed, and stopped, and the hub that leads is killed. Its client sees its own
  /// actions, keeps its connection, and loses nothing. The links have TLS, and the hub that leads knows the users of each
  /// machine by the numbers of that one, which also gives them their rights.
  @Test(.enabled(if: Python.isInstalled && Etcd.path != nil && OpenSSL.path != nil, Etcd.isMissing))
  func relaysInTwoLevelsOutliveTheirUpstreams() throws {
    let output = try run(
      "Fixtures/relays.py", ["test", Program(name: "storectl").url.path, try #require(OpenSSL.path)])
    let outcome = try JSONDecoder().decode(Relays.self, from: output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(outcome.acknowledged > 60 && outcome.ofRelay > 40, "\(text)")
    #expect(outcome.missing.count == 5 && outcome.missing.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(outcome.doubled.count == 5 && outcome.doubled.values.allSatisfy { $0 == 0 }, "\(text)")
    #expect(outcome.differing == 0 && outcome.lost == 0 && outcome.forgotten == 0, "\(text)")
    #expect(outcome.follows.starts(with: ["d", "b", "d", "b"]), "\(text)")
    #expect(outcome.slowest.count == 3 && outcome.slowest.allSatisfy { $0 < 60 }, "\(text)")
    #expect(outcome.senders == outcome.expectedSenders, "\(text)")
    #expect(outcome.warned == ["e"], "\(text)")
    guard case let others = outcome.others.compactMap(\.self), !others.isEmpty else { return }
    #expect(others.map(\.status) == [0, 11, 11], "\(text)")
    #expect(others[1].errors.contains("user 4242 may not send todos.addButtonTapped"), "\(text)")
    #expect(others[2].errors.contains("user 4242 may not use this hub"), "\(text)")
  }

  private func run(_ arguments: String..., hub: String = "storehubd") throws -> Data {
    try run("Fixtures/cluster.py", arguments, hub: hub)
  }

  private func run(_ script: String, _ arguments: [String], hub: String = "storehubd") throws -> Data {
    let directory = NSTemporaryDirectory() + "cluster-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try Python.run(
      script, [Program(name: hub).url.path, try #require(Etcd.path), directory] + arguments)
  }

  /// Without --config, the commands read what the unit of the package names.
  @Test func theConfigurationIsThatOfTheService() throws {
    let unit = RepositoryFiles.lines("systemd/storehub.service")
    #expect(unit.contains { $0.contains("--config -%E/storehub/hub.conf") })
    let outcome = try Program(name: "storectl").run("cluster", "remove", "c")
    #expect(outcome.status != 0 && outcome.errors.contains("/etc/storehub/hub.conf"), "\(outcome.errors)")
    #expect(try Program(name: "storectl").run("cluster", "remove").status == 2)
    #expect(try Program(name: "storectl").run("cluster", "remove", "C 1").status == 2)
  }

  /// The log has no registration of a relay, so that its removal would only leave a key there.
  @Test func aRelayIsNotRemovedFromTheLog() throws {
    let file = NSTemporaryDirectory() + "cluster-\(UUID().uuidString.prefix(8)).conf"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try """
    [cluster]
    node = a
    nodes = a@127.0.0.1:7400
    etcd = http://127.0.0.1:1
    relays = e
    uids = shared
    """.write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try Program(name: "storectl").run("cluster", "remove", "e", "--timeout", "1s", "--config", file)
    #expect(outcome.status == 1 && outcome.errors.contains("take it out of 'relays'"), "\(outcome)")
  }

  @Test func wrongSettingsOfAClusterAreNamed() throws {
    let directory = NSTemporaryDirectory() + "cluster-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = directory + "/hub.conf"
    try """
    [cluster]
    node = A
    nodes = a@localhost:7400
    etcd = 10.0.0.1:2379
    uids = mine
    uid-bases = a:x
    keep = 3
    """.write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try Program(name: "storehubd").run("--check-config", "--config", file)
    #expect(outcome.status == 2)
    for key in ["node", "nodes", "etcd", "uids", "uid-bases", "keep"] {
      #expect(outcome.errors.contains("'\(key)' is '"), "\(key)")
    }
  }
}
