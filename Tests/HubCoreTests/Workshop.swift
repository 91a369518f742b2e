import IdentifiedCollections
import ReplicatedArchitecture
import TestSupport

/// A state with collections that refer to each other.
@Replicated
struct Workshop: Equatable {
  @Replicated
  struct Task: Equatable, Identifiable {
    let id: Int
    var owner: Int?
    var title: String
    var rank: Double
    var isDone: Bool
  }

  @Replicated
  struct Person: Equatable, Identifiable {
    let id: Int
    var name: String
  }

  @Replicated
  struct Shelf: Equatable, Identifiable {
    let id: Double
    var name: String
  }

  @Replicated
  struct Row: Equatable, Identifiable {
    let id: Int
    var title: String
    var owner: String?
  }

  var tasks: IdentifiedArrayOf<Task> = []
  var people: IdentifiedArrayOf<Person> = []
  var shelves: IdentifiedArrayOf<Shelf> = []
  var note = ""
  /// The number of tasks of which `change` inserts no more.
  private var limit: Int

  init(taskCount: Int, _ random: inout SplitMix) {
    limit = 2 * taskCount
    for id in 0..<taskCount { tasks.append(Self.task(id, &random)) }
    for id in 0..<3 { people.append(Person(id: id, name: "person \(id)")) }
  }

  /// The tasks, by as many paths as there are numbers.
  subscript(tasksOn day: Int) -> IdentifiedArrayOf<Task> { tasks }

  private static func task(_ id: Int, _ random: inout SplitMix) -> Task {
    Task(
      id: id, owner: owner(&random), title: title(&random), rank: rank(&random), isDone: .random(using: &random))
  }

  private static func title(_ random: inout SplitMix) -> String {
    // Some texts are equal and have other bytes.
    ["a", "b", "c", "d", "\u{e9}", "e\u{301}"].randomElement(using: &random) ?? ""
  }

  private static func owner(_ random: inout SplitMix) -> Int? {
    Bool.random(using: &random) ? .random(in: 0..<6, using: &random) : nil
  }

  private static func rank(_ random: inout SplitMix) -> Double {
    Int.random(in: 0..<5, using: &random) == 0 ? .nan : Double(Int.random(in: -2...2, using: &random))
  }

  /// Changes one element, or its place.
  mutating func change(_ random: inout SplitMix) {
    let position = tasks.isEmpty ? nil : Int.random(in: 0..<tasks.count, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<3: insertTask(&random)
    case 3..<5: if let position { tasks.remove(at: position) }
    case 5..<7:
      guard let position else { return }
      let task = tasks.remove(at: position)
      tasks.insert(task, at: Int.random(in: 0...tasks.count, using: &random))
    case 7: if let position { tasks[position].title = Self.title(&random) }
    case 8: if let position { tasks[position].owner = Self.owner(&random) }
    case 9: if let position { tasks[position].rank = Self.rank(&random) }
    case 10..<12: if let position { tasks[position].isDone.toggle() }
    case 12: if let position { tasks[position] = Self.task(tasks[position].id, &random) }
    default: changePeople(&random)
    }
  }

  private mutating func insertTask(_ random: inout SplitMix) {
    let id = Int.random(in: 0..<2 * limit, using: &random)
    guard tasks.count < limit, !tasks.ids.contains(id) else { return }
    tasks.insert(Self.task(id, &random), at: Int.random(in: 0...tasks.count, using: &random))
  }

  private mutating func changePeople(_ random: inout SplitMix) {
    let id = Int.random(in: 0..<6, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: people.remove(id: id)
    case 1: people[id: id]?.name += "+"
    case 2:
      guard let person = people.remove(id: id) else { return }
      people.insert(person, at: Int.random(in: 0...people.count, using: &random))
    default: people.updateOrAppend(Person(id: id, name: "person \(id)"))
    }
  }

  /// Changes more than an operator follows.
  mutating func changeMost(_ random: inout SplitMix) {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: tasks.shuffle(using: &random)
    case 1: for position in tasks.indices { tasks[position].isDone.toggle() }
    case 2: tasks = IdentifiedArray(uniqueElements: Array(tasks))
    case 3: tasks.removeAll()
    default: people.removeAll()
    }
  }
}
