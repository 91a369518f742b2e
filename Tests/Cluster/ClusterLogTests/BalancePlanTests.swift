import ClusterLog
import Testing

/// The leaders of several stores spread over the machines, with as few moves as possible.
@Suite struct BalancePlanTests {
  private typealias Store = BalancePlan.Store

  private func node(_ character: Character) -> NodeName { Samples.name(String(character)) }

  /// A store in the notation `x a bc`: its name, the node that leads, and the others that can.
  private func store(_ text: String) -> Store {
    let words = text.split(separator: " ").map(String.init)
    let others = words.count > 2 ? words[2] : ""
    return Store(words[0], leader: node(Character(words[1])), successors: Set(others.map(node)))
  }

  private func plan(_ texts: [String]) -> BalancePlan { BalancePlan(texts.map(store)) }

  @Test(
    arguments: [
      ([], []),
      // One store has nothing to spread.
      (["x a bc"], []),
      // They are spread already, also if another machine has none.
      (["x a bc", "y b ac"], []),
      (["x a bc", "y b ac", "z c ab"], []),
      (["x a bc", "y a bc"], ["y b"]),
      (["x a bc", "y a bc", "z a bc"], ["y b", "z c"]),
      // Two machines: the difference of one cannot be less.
      (["x a b", "y a b", "z b a"], []),
      (["x a b", "y a b", "z a b"], ["z b"]),
      // Node b is away for y, so that x moves.
      (["x a b", "y a"], ["x b"]),
      // Nothing can move.
      (["x a", "y a"], []),
      // Only by way of another store: x cannot move to c, but y can, and makes room on b.
      (["v a b", "x a b", "y b c"], ["x b", "y c"]),
      // A store whose leader does not answer counts, but does not move.
      (["v a", "x a bc", "y b ac"], ["x c"]),
    ] as [([String], [String])])
  func aPlanHasTheFewestMoves(stores: [String], moves: [String]) {
    let plan = plan(stores)
    // Which of several equal stores moves is not promised, but how many.
    #expect(plan.moves.count == moves.count, "\(plan.moves)")
    let expected = Set(moves.map { $0.split(separator: " ")[1] }.map { node(Character(String($0))) })
    #expect(Set(plan.moves.map(\.to)) == expected, "\(plan.moves)")
    #expect(self.plan(stores.reversed()) == plan)
  }

  @Test func aPlanCountsTheLeaders() {
    let plan = plan(["x a bc", "y a bc"])
    #expect(plan.before == [node("a"): 2, node("b"): 0, node("c"): 0])
    #expect(plan.after == [node("a"): 1, node("b"): 1, node("c"): 0])
    #expect(plan.moves.allSatisfy { $0.from == node("a") })
  }

  /// Small worlds, of which all distributions can be tried.
  @Test func noOtherDistributionIsBetter() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<400 {
      let machines = Array("abcd".prefix(Int.random(in: 1...4, using: &random)))
      let stores = (0..<Int.random(in: 0...5, using: &random)).map { number in
        Store(
          "s\(number)", leader: node(machines.randomElement() ?? "a"),
          successors: Set(machines.filter { _ in Bool.random(using: &random) }.map(node)))
      }
      let plan = BalancePlan(stores)
      let (squares, moves) = best(stores)
      #expect(plan.after.values.reduce(0) { $0 + $1 * $1 } == squares, "\(stores): \(plan)")
      #expect(plan.moves.count == moves, "\(stores): \(plan)")
      checkMoves(plan, stores)
    }
  }

  private func checkMoves(_ plan: BalancePlan, _ stores: [Store]) {
    let targets = Dictionary(uniqueKeysWithValues: plan.moves.map { ($0.store, $0) })
    let moved = stores.map { store in
      guard let move = targets[store.name] else { return store }
      #expect(move.from == store.leader && move.to != store.leader && store.successors.contains(move.to))
      return Store(
        store.name, leader: move.to, successors: store.successors.subtracting([move.to]).union([store.leader]))
    }
    // After it, there is nothing to do.
    let next = BalancePlan(moved)
    #expect(next.moves.isEmpty, "\(stores): \(plan), then \(next)")
    #expect(next.before.filter { $0.value > 0 } == plan.after.filter { $0.value > 0 })
  }

  /// The least sum of the squares of the numbers of leaders, and the fewest moves with it, by trying everything.
  private func best(_ stores: [Store]) -> (squares: Int, moves: Int) {
    var found = (squares: Int.max, moves: Int.max)
    func assign(_ index: Int, _ counts: [NodeName: Int], _ moves: Int) {
      guard index < stores.count else {
        let candidate = (counts.values.reduce(0) { $0 + $1 * $1 }, moves)
        if candidate < found { found = candidate }
        return
      }
      let store = stores[index]
      for node in store.successors.union([store.leader]) {
        var counts = counts
        counts[node, default: 0] += 1
        assign(index + 1, counts, moves + (node == store.leader ? 0 : 1))
      }
    }
    assign(0, [:], 0)
    return found
  }

  /// Where every node can lead every store, the numbers of two machines differ by at most one.
  @Test func manyStoresAreSpreadEvenly() {
    var random = SystemRandomNumberGenerator()
    let machines = "abcdefghi".map(node)
    for count in [1, 8, 9, 10, 60] {
      let stores = (0..<count).map { number in
        Store("s\(number)", leader: machines.randomElement(using: &random) ?? machines[0], successors: Set(machines))
      }
      let plan = BalancePlan(stores)
      let (least, most) = (plan.after.values.min() ?? 0, plan.after.values.max() ?? 0)
      #expect(most - least <= 1 && plan.after.values.reduce(0, +) == count)
      checkMoves(plan, stores)
    }
  }
}
