import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport
import Wire

/// A model with a field of each type that has rules of its own for merging.
@Replicated
struct Plan: Equatable {
  var title = ""
  var items: IdentifiedArrayOf<Item> = []
  var votes: SharedCounter = 0
  var ballots: [String: SharedCounter] = [:]
  var best: SharedCounter?
  var members: Set<String> = []
  var history: [String] = []
  var byName: [String: Item] = [:]
  var place: Place?
  var position = Position.nowhere
  var result = Result<Item, Refusal>.failure(.never)
  var path = StackState<Child.State>()
  var parent = Parent.State(title: "")
  var world = World()
}

extension Shaper {
  mutating func plan() -> Plan {
    var plan = Plan()
    for _ in 0..<8 { plan = changed(plan) }
    return plan
  }

  /// Returns a plan with a few changes, as a client makes them.
  mutating func changed(_ plan: Plan) -> Plan {
    var plan = plan
    for _ in 0...below(3) {
      switch below(16) {
      case 0: plan.title = text()
      case 1, 2: edit(&plan.items)
      case 3: plan.votes += below(9) - 4
      case 4: plan.ballots[text(), default: 0] += below(9) - 4
      case 5: plan.ballots[text()] = pick([nil, 7])
      case 6: plan.best = pick([nil, 3, SharedCounter(below(9))])
      case 7: plan.members.formSymmetricDifference([text()])
      case 8: plan.history.append(text())
      case 9: plan.history = list(4) { $0.text() }
      case 10: plan.byName[text()] = pick([nil, item(0)])
      case 11: plan.byName[text()]?.title = text()
      case 12: changePlace(&plan)
      case 13: changePath(&plan.path)
      case 14: changeParent(&plan.parent)
      default: plan.world = changed(plan.world)
      }
    }
    return plan
  }

  private mutating func changePlace(_ plan: inout Plan) {
    switch below(5) {
    case 0: plan.place = pick([nil, place()])
    case 1: plan.place?.position = position()
    case 2: plan.place?.neighbours.append(place(0))
    case 3: plan.position = position()
    default: plan.result = pick([.success(item(1)), .success(item(1)), .failure(.because(reason: text()))])
    }
  }

  private mutating func changePath(_ path: inout StackState<Child.State>) {
    switch below(4) {
    case 0 where !path.isEmpty: _ = path.popLast()
    case 1 where !path.isEmpty: path[path.startIndex].clicks += 1
    default: if path.count < 4 { path.append(Child.State(id: below(9))) }
    }
  }

  private mutating func changeParent(_ parent: inout Parent.State) {
    switch below(5) {
    case 0: parent.destination = pick([nil, .child(Child.State(id: below(3)))])
    case 1: parent.count = below(99)
    case 2: parent.child.clicks += 1
    case 3: parent.rows.append(Child.State(id: below(99)))
    default: if !parent.rows.isEmpty { parent.rows[0].name = text() }
    }
  }
}

extension Replicated {
  func merging(_ change: [UInt8]) throws(WireError) -> Self {
    var result = self
    try result.merge(change: change.span.bytes)
    return result
  }
}
