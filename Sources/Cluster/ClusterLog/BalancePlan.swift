/// The leaderships that move so that the leaders of several stores spread over the machines.
///
/// Of all distributions, it has one with the least sum of the squares of the numbers of leaders, and of these, one with
/// the fewest moves. So the numbers of two machines differ by at most one wherever nodes that can lead allow it, and
/// nothing moves without need. It does not depend on the order of the stores.
package struct BalancePlan: Equatable, Sendable {
  /// A store, and where it can be led.
  package struct Store: Equatable, Sendable {
    /// The name, which no other store has.
    package let name: String
    /// The node that leads.
    package let leader: NodeName
    /// The other nodes that can lead now.
    package let successors: Set<NodeName>

    /// Describes a store.
    package init(_ name: String, leader: NodeName, successors: Set<NodeName>) {
      (self.name, self.leader, self.successors) = (name, leader, successors)
    }
  }

  /// A leadership that passes from one node to another.
  package struct Move: Hashable, Sendable {
    package let store: String
    package let from, to: NodeName

    /// Describes a move.
    package init(of store: String, from: NodeName, to: NodeName) {
      (self.store, self.from, self.to) = (store, from, to)
    }
  }

  /// The moves, in the order of the stores' names.
  package let moves: [Move]
  /// The number of leaders on each machine that can lead a store, before and after the moves.
  package let before, after: [NodeName: Int]

  /// Plans.
  ///
  /// - Parameter stores: All stores whose leaders count. One that must not move has no successors.
  /// - Precondition: No two have the same name.
  package init(_ stores: [Store]) {
    precondition(Set(stores.map(\.name)).count == stores.count, "two stores of one name")
    var assignment = Assignment(stores.sorted { $0.name < $1.name })
    for store in assignment.stores.indices { assignment.add(store) }
    moves = assignment.moves
    before = assignment.counts { $0.leader }
    after = assignment.after
  }
}

/// A distribution of stores that grows by one store after the other, each along the cheapest path: the new store may
/// displace another one, which displaces another one in turn. This is the method of successive shortest paths for a flow
/// of least cost, whose result is the least for all stores.
private struct Assignment {
  let stores: [BalancePlan.Store]
  private let machines: [NodeName]
  /// The machines of each store, in order, and whether the store would move there.
  private let choices: [[(machine: Int, moves: Bool)]]
  /// The machine of each store that was added.
  private var places: [Int] = []
  private var loads: [Int]

  init(_ stores: [BalancePlan.Store]) {
    self.stores = stores
    let machines = Set(stores.flatMap { $0.successors.union([$0.leader]) }).sorted()
    self.machines = machines
    choices = stores.map { store in
      machines.indices.filter { machines[$0] == store.leader || store.successors.contains(machines[$0]) }
        .map { ($0, machines[$0] != store.leader) }
    }
    loads = machines.map { _ in 0 }
  }

  /// How a path reaches a machine: with a store that comes from another machine, or with the new one.
  private struct Step {
    var cost: Int
    let store: Int
    let from: Int?
  }

  mutating func add(_ new: Int) {
    var steps = [Step?](repeating: nil, count: machines.count)
    for choice in choices[new] { steps[choice.machine] = Step(cost: choice.moves ? 1 : 0, store: new, from: nil) }
    // Each round makes the paths one step longer; a cheapest one visits no machine twice.
    for _ in machines {
      var isCheaper = false
      for (store, from) in places.enumerated() {
        guard let cost = steps[from]?.cost else { continue }
        let saved = machines[from] == stores[store].leader ? 0 : 1
        for choice in choices[store] where choice.machine != from {
          let total = cost + (choice.moves ? 1 : 0) - saved
          guard steps[choice.machine].map({ total < $0.cost }) ?? true else { continue }
          steps[choice.machine] = Step(cost: total, store: store, from: from)
          isCheaper = true
        }
      }
      if !isCheaper { break }
    }
    // One more leader on a machine with n of them adds 2 n + 1 to the sum of the squares, which outweighs all moves.
    let weight = stores.count + 1
    let ends = machines.indices.compactMap { machine in
      steps[machine].map { (cost: $0.cost + weight * (2 * loads[machine] + 1), machine: machine) }
    }
    guard let end = ends.min(by: { $0.cost < $1.cost }) else { preconditionFailure("a store has its leader") }
    loads[end.machine] += 1
    var place = end.machine
    places.append(place)
    while let step = steps[place] {
      places[step.store] = place
      guard let from = step.from else { break }
      place = from
    }
  }

  var moves: [BalancePlan.Move] {
    zip(stores, places).compactMap { store, place in
      machines[place] == store.leader ? nil : BalancePlan.Move(of: store.name, from: store.leader, to: machines[place])
    }
  }

  var after: [NodeName: Int] { Dictionary(uniqueKeysWithValues: zip(machines, loads)) }

  func counts(_ place: (BalancePlan.Store) -> NodeName) -> [NodeName: Int] {
    var counts = Dictionary(uniqueKeysWithValues: machines.map { ($0, 0) })
    for store in stores { counts[place(store), default: 0] += 1 }
    return counts
  }
}
