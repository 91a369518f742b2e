import ClusterLog
import EtcdLogStore
import JSONText
import Testing

@testable import StorectlCommands

/// The stores that share an etcd, as an operator reads them.
@Suite struct StoresReportTests {
  private func name(_ text: String) throws -> NodeName { try #require(NodeName(text)) }

  private func store(
    _ prefix: String, leader: String, hosts: [String: String] = [:], away: Set<String> = [], behind: Set<String> = []
  ) throws -> StoresReport.Store {
    let nodes = try ["a", "b", "c"].enumerated().map { number, node in
      LeaderReply.Node(
        name: try name(node), host: hosts[node] ?? "10.0.0.\(number + 1)",
        stored: away.contains(node) ? nil : behind.contains(node) ? 100 : 5120)
    }
    let reply = LeaderReply(
      id: 1, leader: Leadership(term: 3, node: try name(leader), process: 9), position: 5120, nodes: nodes)
    return StoresReport.Store(prefix: prefix, answer: .reply(reply))
  }

  private func lines(_ report: StoresReport, showsPlan: Bool = true) -> [String] {
    report.lines(showsPlan: showsPlan, Palette(.never, isTerminal: false), width: nil).map {
      String($0.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test func thePlanIsATable() throws {
    let report = StoresReport([
      try store("kitchen/", leader: "a", behind: ["b"]), try store("office/", leader: "a", away: ["c"]),
    ])
    #expect(
      lines(report) == [
        "STORE     LEADER  TERM  ENTRY  NODES                MOVES TO",
        "kitchen/  a       3     5120   a, b 5020 behind, c",
        "office/   a       3     5120   a, b, c away         b",
        "", "leaders     a 2, b 0, c 0", "afterwards  a 1, b 1, c 0",
      ])
    #expect(lines(report, showsPlan: false)[0].hasSuffix("NODES"))
    #expect(report.silent.isEmpty && report.warnings.isEmpty)
  }

  @Test func onlyTheChosenStoreMoves() throws {
    let stores = try ["kitchen/", "office/", "shop/"].map { try store($0, leader: "a") }
    let report = StoresReport(stores, moving: "office/")
    #expect(report.plan.moves == [BalancePlan.Move(of: "office/", from: try name("a"), to: try name("b"))])
    #expect(StoresReport(stores).plan.moves.count == 2)
  }

  /// A store whose leader does not answer counts where it was last, and stays there.
  @Test func aSilentStoreStays() throws {
    let leader = Leadership(term: 7, node: try name("a"), process: 1)
    let report = StoresReport([
      StoresReport.Store(prefix: "kitchen/", answer: .silence(leader)), try store("office/", leader: "a"),
      StoresReport.Store(prefix: "shop/", answer: .silence(nil)),
      StoresReport.Store(prefix: "yard/", answer: .absent),
    ])
    #expect(report.silent == ["kitchen/", "shop/"])
    #expect(report.plan.moves.map(\.store) == ["office/"] && report.plan.before[leader.node] == 2)
    #expect(lines(report).contains { $0.hasPrefix("kitchen/  a       7") && $0.contains("no answer") })
    #expect(lines(report).contains { $0.hasPrefix("shop/     none") })
    #expect(!lines(report).contains { $0.hasPrefix("yard/") })
  }

  /// A name of a node is that of one machine in all stores.
  @Test func otherAddressesOfANameAreReported() throws {
    let moved = StoresReport([
      try store("kitchen/", leader: "a"), try store("office/", leader: "a", hosts: ["a": "10.0.0.9"]),
    ])
    #expect(moved.warnings.count == 1)
    #expect(moved.warnings[0].hasPrefix("node a has the address 10.0.0.1 for kitchen/ and 10.0.0.9 for office/"))
    let renamed = StoresReport([
      try store("kitchen/", leader: "a"),
      try store("office/", leader: "a", hosts: ["a": "10.0.0.1", "b": "10.0.0.3", "c": "10.0.0.2"]),
    ])
    #expect(
      renamed.warnings.contains { $0.hasPrefix("the machine at 10.0.0.2 is node b for kitchen/ and c for office/") })
    // Three hubs on one machine, to try it.
    let local = ["a": "127.0.0.1", "b": "127.0.0.1", "c": "127.0.0.1"]
    let tried = StoresReport([
      try store("kitchen/", leader: "a", hosts: local), try store("office/", leader: "a", hosts: local),
    ])
    #expect(tried.warnings.isEmpty)
  }

  @Test func theReportIsJSONForPrograms() throws {
    var report = StoresReport([try store("kitchen/", leader: "a"), try store("office/", leader: "a", away: ["c"])])
    report.done = report.plan.moves
    let json = report.json(showsPlan: true)
    guard case .array(let stores)? = json["stores"], case .array(let moves)? = json["moves"] else {
      Issue.record("\(json)")
      return
    }
    #expect(stores.count == 2 && stores[1]["leader"] == .string("a") && stores[1]["position"] == .integer(5120))
    guard case .array(let nodes)? = stores[1]["nodes"] else { Issue.record("\(json)"); return }
    #expect(nodes.map { $0["canLead"] } == [.bool(true), .bool(true), .bool(false)])
    #expect(nodes[2]["lag"] == .null && nodes[2]["host"] == .string("10.0.0.3"))
    #expect(moves.count == 1 && moves[0]["done"] == .bool(true) && moves[0]["from"] == .string("a"))
  }
}
