import ComposableArchitecture
import IdentifiedCollections
import TestSupport
import Testing
import Wire

@testable import HubCore

/// Operators on elements, over random histories: what they make of the changes is what the definition makes of the state.
@Suite(.computing) struct ElementHistoryTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func everyResultIsThatOfItsDefinition(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var workshop = Workshop(taskCount: seed % 4 == 0 ? 300 : 12, &random)
    var earlier = workshop
    let operators = FollowedElements.all()
    for step in 0..<(seed % 4 == 0 ? 20 : 80) {
      for followed in operators {
        if let problem = followed.problem(workshop) {
          Issue.record("\(followed.name), seed \(seed), step \(step): \(problem)")
          return
        }
      }
      // Several changes, or none, may come between two observations, and the state may return to an earlier one.
      for _ in 0..<Int.random(in: 0...4, using: &random) { workshop.change(&random) }
      switch Int.random(in: 0..<30, using: &random) {
      case 0: swap(&workshop, &earlier)
      case 1: earlier = workshop
      case 2: workshop.changeMost(&random)
      default: break
      }
    }
  }

  /// Changes come between the pieces of a first result, and of the changes that have come meanwhile.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func aResultInPiecesIsThatOfItsDefinition(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var workshop = Workshop(taskCount: seed % 2 == 0 ? 400 : 12, &random)
    let operators = FollowedElements.all()
    var completed = Set<String>()
    for step in 0..<60 {
      // At the end nothing changes any more.
      let isLast = step == 59
      for followed in operators {
        var budget = isLast ? WorkBudget.unlimited : WorkBudget(steps: .random(in: 1...2_000, using: &random))
        guard let problem = followed.problemInPieces(workshop, &budget) else { continue }
        completed.insert(followed.name)
        guard !problem.isEmpty else { continue }
        Issue.record("\(followed.name), seed \(seed), step \(step): \(problem)")
        return
      }
      if isLast { break }
      for _ in 0..<Int.random(in: 0...3, using: &random) { workshop.change(&random) }
      if Int.random(in: 0..<40, using: &random) == 0 { workshop.changeMost(&random) }
    }
    #expect(completed == Set(operators.map(\.name)))
  }

  @Test(arguments: [0, 1, 63, 64, 65, 500, 1_000])
  func positionsAreSortedInPieces(count: Int) {
    var random = SplitMix(seed: UInt64(count))
    let keys = (0..<count).map { _ in Int.random(in: 0..<max(count / 4, 1), using: &random) }
    var (sort, turns, isSorted) = (PiecewiseSort(count: count), 0, false)
    while !isSorted {
      var (budget, comparisons) = (WorkBudget(steps: 300), 0)
      isSorted = sort.advance(&budget) {
        comparisons += 1
        return keys[$0] < keys[$1]
      }
      #expect(comparisons <= 1_000)
      turns += 1
    }
    #expect(sort.order == keys.indices.sorted { keys[$0] < keys[$1] })
    #expect(turns > count / 300)
  }

  /// The keys of a NaN are not equal to themselves, so that no order of Swift has a place for them.
  @Test func elementsWithoutAnOrderAreLast() {
    var random = SplitMix(seed: 1)
    var workshop = Workshop(taskCount: 6, &random)
    for (position, rank) in [3, .nan, 1, .nan, 2, 0].enumerated() { workshop.tasks[position].rank = rank }
    let next = Elements(\Workshop.tasks).sorted(by: \.rank).begin()
    #expect(next(workshop).map(\.id) == [5, 2, 4, 0, 1, 3])
    workshop.tasks[0].rank = .nan
    workshop.tasks[3].rank = 0
    #expect(next(workshop).map(\.id) == [3, 5, 2, 4, 0, 1])
  }

  @Test func aReferenceThatIsNotEqualToItselfRefersToNothing() {
    var random = SplitMix(seed: 1)
    var workshop = Workshop(taskCount: 2, &random)
    workshop.tasks[0].rank = .nan
    workshop.tasks[1].rank = 1
    workshop.shelves = [Workshop.Shelf(id: 1, name: "first")]
    let next = Elements(\Workshop.tasks).joined(with: Elements(\.shelves), on: \.rank) { task, shelf in
      Workshop.Row(id: task.id, title: task.title, owner: shelf?.name)
    }.begin()
    #expect(next(workshop).map(\.owner) == [nil, "first"])
    workshop.tasks[0].rank = 1
    workshop.tasks[1].rank = .nan
    #expect(next(workshop).map(\.owner) == ["first", nil])
  }

  /// The type of a view has no key that may be a NaN, but the groups that others are joined with may.
  @Test func anElementWhoseKeyIsNotEqualToItselfIsInNoGroup() {
    var random = SplitMix(seed: 1)
    var workshop = Workshop(taskCount: 20, &random)
    for position in workshop.tasks.indices { workshop.tasks[position].rank = position < 3 ? .nan : 1 }
    let next = Elements(\Workshop.tasks)
      .joined(with: Elements(\.tasks).grouped(by: \.rank), on: \.rank) { task, group in
        Workshop.Row(id: task.id, title: task.title, owner: (group?.count).map(String.init))
      }.begin()
    #expect(Set(next(workshop).prefix(3).map(\.owner)) == [nil] && next(workshop)[3].owner == "17")
    workshop.tasks[0].rank = 1
    workshop.tasks[1].title = "another"
    workshop.tasks.remove(at: 2)
    #expect(next(workshop).map(\.owner) == ["18", nil] + [String?](repeating: "18", count: 17))
  }

  @Test func windowsMayBeginAndEndAnywhere() {
    var random = SplitMix(seed: 1)
    let workshop = Workshop(taskCount: 5, &random)
    let expected: [(start: Int, count: Int, ids: [Int])] = [
      (.min, .max, [0, 1, 2, 3, 4]), (.max, .max, []), (.max, .min, []), (4, .max, [4]), (0, 0, []),
    ]
    for (start, count, ids) in expected {
      #expect(Elements(\Workshop.tasks).window(start, count).begin()(workshop).map(\.id) == ids)
    }
  }

  @Test func aViewKnowsWhetherItsCollectionsHaveChanged() {
    var random = SplitMix(seed: 1)
    let old = Workshop(taskCount: 2, &random)
    var new = old
    new.note = "other"
    let reads = ElementReads<Workshop>()
    reads.add(Elements<Workshop, Workshop.Task>(\.tasks).inputs)
    #expect(!reads.differ(from: old, in: new))
    new.tasks[0].isDone.toggle()
    #expect(reads.differ(from: old, in: new))
  }

  /// Clients choose parameters, and so the memory for what they choose must be limited.
  @Test func theCollectionsThatParametersChooseAreNotAllRemembered() {
    var random = SplitMix(seed: 1)
    let workshop = Workshop(taskCount: 2, &random)
    let reads = ElementReads<Workshop>()
    for day in 0..<10 { reads.add(Elements<Workshop, Workshop.Task>(\.[tasksOn: day]).inputs) }
    #expect(!reads.differ(from: workshop, in: workshop))
    for day in 0..<1_000 { reads.add(Elements<Workshop, Workshop.Task>(\.[tasksOn: day]).inputs) }
    #expect(reads.differ(from: workshop, in: workshop))
  }
}

/// Elements that are followed from state to state, with their definition.
private struct FollowedElements {
  let name: String
  /// What is wrong with the result for a state; nil if it is as defined.
  let problem: (Workshop) -> String?
  /// The same of another result, which is computed in pieces; empty if it is as defined, nil while it is not complete.
  let problemInPieces: (Workshop, inout WorkBudget) -> String?

  init<Element: Replicated>(
    _ name: String, _ elements: Elements<Workshop, Element>,
    by isSame: @escaping (Element, Element) -> Bool = { !$0.differs(from: $1) },
    _ definition: @escaping (Workshop) -> [Element]
  ) {
    let (next, nextInPieces) = (elements.begin(), elements.follow())
    self.name = name
    func problem(_ result: IdentifiedArrayOf<Element>, _ workshop: Workshop) -> String? {
      let expected = definition(workshop)
      if let violation = result.checkInvariants() { return violation }
      let isRight = result.count == expected.count && zip(result, expected).allSatisfy(isSame)
      return isRight ? nil : "\(Array(result)) is not \(expected)"
    }
    self.problem = { problem(next($0), $0) }
    problemInPieces = { workshop, budget in nextInPieces(workshop, &budget).map { problem($0, workshop) ?? "" } }
  }

  static func all() -> [Self] { alone() + joined() + combined() }

  private static var tasks: Elements<Workshop, Workshop.Task> { Elements(\.tasks) }

  /// Each operator on a collection.
  private static func alone() -> [Self] {
    var all = [Self("collection", tasks) { Array($0.tasks) }]
    all.append(Self("filter", tasks.filter(\.isDone)) { $0.tasks.elements.filter(\.isDone) })
    all.append(Self("map", tasks.map { row($0, nil) }) { $0.tasks.map { row($0, nil) } })
    all.append(Self("sorted", tasks.sorted(by: \.title), byTitle))
    all.append(
      Self("sorted down", tasks.sorted(by: \.title, using: >)) { workshop in
        workshop.tasks.sorted { $0.title > $1.title }
      })
    all.append(
      Self("sorted with NaN", tasks.sorted(by: \.rank)) { workshop in
        let (tasks, ordered) = (workshop.tasks.elements, workshop.tasks.elements.filter { !$0.rank.isNaN })
        return ordered.sorted { $0.rank < $1.rank } + tasks.filter(\.rank.isNaN)
      })
    all.append(Self("window", tasks.window(3, 4)) { Array($0.tasks.elements.dropFirst(3).prefix(4)) })
    all.append(Self("window of nothing", tasks.window(-1, -1)) { _ in [] })
    // Equal texts may have different bytes.
    all.append(Self("groups", tasks.grouped(by: \.title), by: ==) { groups($0.tasks.elements, \.title) })
    all.append(
      Self("groups of two", tasks.grouped(by: \.isDone)) { workshop in
        let done = workshop.tasks.count { $0.isDone }
        let counts = [GroupCount(id: false, count: workshop.tasks.count - done), GroupCount(id: true, count: done)]
        return counts.filter { $0.count > 0 }
      })
    return all
  }

  private static func joined() -> [Self] {
    let numbered = tasks.joined(with: tasks.grouped(by: \.title), on: \.title) { task, group in
      Workshop.Row(id: task.id, title: task.title, owner: "\(group?.count ?? 0)")
    }
    return [
      Self("joined", tasks.joined(with: Elements(\.people), on: \.owner, row), rows),
      Self("joined with groups", numbered) { workshop in
        workshop.tasks.map { task in
          let count = workshop.tasks.count { $0.title == task.title }
          return Workshop.Row(id: task.id, title: task.title, owner: "\(count)")
        }
      },
    ]
  }

  /// Operators on the results of others.
  private static func combined() -> [Self] {
    let firstOpen = tasks.filter { !$0.isDone }.sorted(by: \.title).window(0, 5).map { row($0, nil) }
    let owned = tasks.joined(with: Elements(\.people), on: \.owner, row).filter { $0.owner != nil }
    let sortedTwice = tasks.sorted(by: \.title).sorted { $0.owner ?? -1 }
    return [
      Self("first open", firstOpen) { workshop in
        byTitle(workshop).filter { !$0.isDone }.prefix(5).map { row($0, nil) }
      },
      Self("owned, in groups", owned.grouped { $0.owner ?? "" }) { workshop in
        groups(rows(workshop).filter { $0.owner != nil }) { $0.owner ?? "" }
      },
      Self("sorted twice", sortedTwice) { workshop in
        byTitle(workshop).sorted { $0.owner ?? -1 < $1.owner ?? -1 }
      },
      Self("window, sorted", tasks.window(2, 6).sorted(by: \.title, using: >)) { workshop in
        workshop.tasks.elements.dropFirst(2).prefix(6).sorted { $0.title > $1.title }
      },
    ]
  }

  // MARK: Definitions

  private static func row(_ task: Workshop.Task, _ person: Workshop.Person?) -> Workshop.Row {
    Workshop.Row(id: task.id, title: task.title, owner: person?.name)
  }

  private static func rows(_ workshop: Workshop) -> [Workshop.Row] {
    workshop.tasks.map { task in row(task, workshop.people.first { $0.id == task.owner }) }
  }

  private static func byTitle(_ workshop: Workshop) -> [Workshop.Task] {
    workshop.tasks.sorted { $0.title < $1.title }
  }

  private static func groups<Key: Hashable & Comparable, Element>(
    _ elements: [Element], _ key: (Element) -> Key
  ) -> [GroupCount<Key>] {
    let groups = Dictionary(grouping: elements, by: key).sorted { $0.key < $1.key }
    return groups.map { GroupCount(id: $0.key, count: $0.value.count) }
  }
}
