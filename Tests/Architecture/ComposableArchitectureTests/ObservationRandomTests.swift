import ComposableArchitecture
import RandomNumbers
import Testing

/// Whatever reducers do with states, their copies and earlier versions, observers of a field see its last value.
@MainActor @Suite(.timeLimit(.minutes(30))) struct ObservationRandomTests {
  @ObservableState struct Leaf: Equatable, Identifiable, Sendable {
    var id = 0
    var value = 0
    var text = 0
  }

  @ObservableState struct Branch: Equatable, Identifiable, Sendable {
    var id = 0
    var leaf = Leaf()
    var optional: Leaf?
    var rows: IdentifiedArrayOf<Leaf> = []
    var count = 0
  }

  @ObservableState struct Root: Equatable, Sendable {
    var branch = Branch()
    var other = Branch()
    var rows: IdentifiedArrayOf<Branch> = []
    var path = StackState<Leaf>()
    @Presents var presented: Branch?
    var count = 0
  }

  private enum Action {
    case change((inout Root) -> Void)
  }

  private static let places: [@Sendable (Root) -> Int] = [
    { $0.count }, { $0.branch.count }, { $0.branch.leaf.value }, { $0.branch.leaf.text },
    { $0.branch.optional?.value ?? -1 }, { $0.branch.optional == nil ? 0 : 1 },
    { $0.branch.rows[id: 1]?.value ?? -1 }, { $0.branch.rows.reduce(0) { $0 * 10 + $1.id } },
    { $0.other.leaf.value }, { $0.other.optional?.text ?? -1 }, { $0.rows[id: 1]?.leaf.value ?? -1 },
    { $0.rows[id: 2]?.rows[id: 2]?.text ?? -1 }, { $0.rows.reduce(0) { $0 * 10 + $1.id } }, { $0.rows.count },
    { $0.path.count }, { $0.path.first?.value ?? -1 }, { $0.path.last?.text ?? -1 },
    { $0.presented?.leaf.value ?? -1 }, { $0.presented?.count ?? -1 }, { $0.presented == nil ? 0 : 1 },
    { root in root.rows.reduce(0) { $0 + $1.leaf.value + ($1.optional?.value ?? 0) } },
  ]

  private static func changeLeaf(_ leaf: inout Leaf, _ numbers: inout SplitMix) {
    if Bool.random(using: &numbers) {
      leaf.value = Int.random(in: 0..<5, using: &numbers)
    } else {
      leaf.text = Int.random(in: 0..<5, using: &numbers)
    }
  }

  private static func change(_ branch: inout Branch, _ numbers: inout SplitMix) {
    let id = Int.random(in: 1...3, using: &numbers)
    switch Int.random(in: 0..<9, using: &numbers) {
    case 0: branch.count += 1
    case 1: changeLeaf(&branch.leaf, &numbers)
    case 2: branch.optional = Leaf(value: id)
    case 3: branch.optional = Bool.random(using: &numbers) ? nil : branch.leaf
    case 4: if var leaf = branch.optional { changeLeaf(&leaf, &numbers); branch.optional = leaf }
    case 5: if let leaf = branch.optional { branch.leaf = leaf }
    case 6: branch.rows[id: id] = Leaf(id: id, value: Int.random(in: 0..<5, using: &numbers))
    case 7: branch.rows.remove(id: id)
    default:
      guard let index = branch.rows.index(id: id) else { return }
      changeLeaf(&branch.rows[index], &numbers)
    }
  }

  private static func change(_ root: inout Root, _ numbers: inout SplitMix, _ kept: inout [Root]) {
    let id = Int.random(in: 1...3, using: &numbers)
    switch Int.random(in: 0..<16, using: &numbers) {
    case 0: root.count += 1
    case 1: change(&root.branch, &numbers)
    case 2: change(&root.other, &numbers)
    case 3: root.other = root.branch
    case 4: (root.branch, root.other) = (root.other, root.branch)
    case 5: root.rows[id: id] = Branch(id: id)
    case 6:
      guard let index = root.rows.index(id: id) else { return }
      change(&root.rows[index], &numbers)
    case 7: if root.rows.count > 1 { root.rows.swapAt(0, 1) }
    case 8: root.presented = Bool.random(using: &numbers) ? nil : root.branch
    case 9: if var branch = root.presented { change(&branch, &numbers); root.presented = branch }
    case 10: if let branch = root.presented { root.branch = branch }
    case 11: root.path.append(root.branch.leaf)
    case 12: if !root.path.isEmpty { changeLeaf(&root.path[0], &numbers) }
    case 13: if root.path.count > 2 { root.path.removeFirst() }
    case 14: kept.append(root)
    default: if let earlier = kept.randomElement(using: &numbers) { root = earlier }
    }
  }

  @Test(arguments: 0..<20)
  func observersSeeTheLastValue(seed: UInt64) {
    let store = Store<Root, Action>(initialState: Root()) {
      Reduce { state, action in
        if case .change(let change) = action { change(&state) }
        return .none
      }
    }
    var numbers = SplitMix(seed: seed &* 77 &+ 1)
    var kept: [Root] = []
    var outside: [Root] = []
    var seen = Self.places.map { _ in Int.min }
    let subscriptions = Self.places.indices.map { index in
      observe { seen[index] = store.withState(Self.places[index]) }
    }
    for step in 0..<300 {
      if Int.random(in: 0..<3, using: &numbers) == 0 { outside.append(store.state) }
      if outside.count > 3 { outside.removeFirst() }
      store.send(
        .change { root in
          for _ in 0..<Int.random(in: 1...4, using: &numbers) { Self.change(&root, &numbers, &kept) }
        })
      let actual = Self.places.map(store.withState)
      guard seen == actual else {
        Issue.record("step \(step): \(seen) instead of \(actual)")
        return
      }
    }
    for subscription in subscriptions { subscription.cancel() }
  }
}
