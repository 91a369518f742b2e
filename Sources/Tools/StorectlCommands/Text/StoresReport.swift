internal import ClusterLog
internal import EtcdLogStore
internal import JSONText

/// The stores that share an etcd, the nodes that lead them, and the leaderships that are to move.
nonisolated struct StoresReport {
  /// A store, and what the hub that leads it has said.
  struct Store {
    let prefix: String
    let answer: OperatedLog.LeaderAnswer
  }

  let stores: [Store]
  let plan: BalancePlan
  /// The moves that were made.
  var done: [BalancePlan.Move] = []

  /// Describes stores.
  ///
  /// - Parameters:
  ///   - stores: The stores, in the order of their prefixes. One whose log was removed meanwhile is left out.
  ///   - chosen: The prefix of the only store that may move; nil for all.
  init(_ stores: [Store], moving chosen: String? = nil) {
    self.stores = stores.filter { $0.answer != .absent }
    plan = BalancePlan(
      self.stores.compactMap { store in
        switch store.answer {
        case .reply(let reply):
          let isFixed = chosen.map { $0 != store.prefix } ?? false
          return BalancePlan.Store(
            store.prefix, leader: reply.leader.node, successors: isFixed ? [] : reply.successors)
        // It counts where it was last, so that a machine whose store is taken over soon does not get more.
        case .silence(let leader):
          return leader.map { BalancePlan.Store(store.prefix, leader: $0.node, successors: []) }
        case .absent: return nil
        }
      })
  }

  /// The prefixes of the stores whose leaders have not answered.
  var silent: [String] {
    stores.compactMap { if case .silence = $0.answer { $0.prefix } else { nil } }
  }

  /// Warnings about names, because a machine has one name in all stores.
  var warnings: [String] {
    var hosts: [NodeName: [String: String]] = [:]
    var names: [String: [NodeName: String]] = [:]
    for store in stores {
      guard case .reply(let reply) = store.answer else { continue }
      for node in reply.nodes {
        hosts[node.name, default: [:]][node.host] = store.prefix
        names[node.host, default: [:]][node.name] = store.prefix
      }
    }
    func places(_ places: [(String, String)]) -> String {
      places.sorted { $0 < $1 }.map { "\($0.0) for \($0.1)" }.joined(separator: " and ")
    }
    let several = hosts.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { name, found in
      """
      node \(name) has the address \(places(found.map { ($0, $1) })): balance takes it for one machine, so give each \
      machine one name in all stores
      """
    }
    // On one machine, to try it, all nodes have its address.
    let shared = names.filter { host, found in
      found.count > 1 && !host.hasPrefix("127.") && host != "::1" && Set(found.values).count > 1
    }.sorted { $0.key < $1.key }.map { host, found in
      """
      the machine at \(host) is node \(places(found.map { ("\($0)", $1) })): balance takes it for several machines, so \
      give each machine one name in all stores
      """
    }
    return several + shared
  }

  // MARK: Text

  /// The table of the stores.
  ///
  /// - Parameter showsPlan: True to show where leaderships move.
  func lines(showsPlan: Bool, _ palette: Palette, width: Int?) -> [String] {
    let targets = Dictionary(uniqueKeysWithValues: plan.moves.map { ($0.store, "\($0.to)") })
    let rows = stores.map { store in
      let cells: [String]
      switch store.answer {
      case .reply(let reply):
        cells = [
          "\(reply.leader.node)", "\(reply.leader.term)", "\(reply.position)",
          reply.nodes.map { Self.text(of: $0, reply) }.joined(separator: ", "),
        ]
      case .silence(let leader):
        cells = [leader.map { "\($0.node)" } ?? "none", leader.map { "\($0.term)" } ?? "", "", "no answer"]
      case .absent: cells = ["", "", "", ""]
      }
      return ([store.prefix] + cells + (showsPlan ? [targets[store.prefix] ?? ""] : [])).map { ValueText.safe($0) }
    }
    let head = ["STORE", "LEADER", "TERM", "ENTRY", "NODES"] + (showsPlan ? ["MOVES TO"] : [])
    let table = Table.lines(head, rows, palette, width: width)
    guard showsPlan else { return table }
    return table + [
      "",
      "leaders     \(Self.text(of: plan.before))", "afterwards  \(Self.text(of: plan.after))",
    ]
  }

  private static func text(of counts: [NodeName: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  private static func text(of node: LeaderReply.Node, _ reply: LeaderReply) -> String {
    guard let lag = reply.lag(of: node) else { return "\(node.name) away" }
    let isBehind = node.name != reply.leader.node && !reply.successors.contains(node.name)
    return isBehind ? "\(node.name) \(lag) behind" : "\(node.name)"
  }

  // MARK: JSON

  func json(showsPlan: Bool) -> JSONValue {
    let stores: [JSONValue] = stores.map { store in
      switch store.answer {
      case .reply(let reply):
        return [
          "store": .string(store.prefix), "leader": .string("\(reply.leader.node)"),
          "term": Self.number(reply.leader.term), "position": Self.number(reply.position),
          "nodes": .array(reply.nodes.map { Self.json(of: $0, reply) }),
        ]
      case .silence(let leader):
        return [
          "store": .string(store.prefix), "leader": leader.map { .string("\($0.node)") } ?? .null,
          "term": leader.map { Self.number($0.term) } ?? .null, "position": .null, "nodes": .null,
        ]
      case .absent: return .null
      }
    }
    guard showsPlan else { return ["stores": .array(stores)] }
    let moves: [JSONValue] = plan.moves.map { move in
      [
        "store": .string(move.store), "from": .string("\(move.from)"), "to": .string("\(move.to)"),
        "done": .bool(done.contains(move)),
      ]
    }
    return ["stores": .array(stores), "moves": .array(moves)]
  }

  private static func json(of node: LeaderReply.Node, _ reply: LeaderReply) -> JSONValue {
    [
      "node": .string("\(node.name)"), "host": .string(node.host), "lag": reply.lag(of: node).map(number) ?? .null,
      "canLead": .bool(node.name == reply.leader.node || reply.successors.contains(node.name)),
    ]
  }

  private static func number(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }
}
