public import ComposableArchitecture
public import IdentifiedCollections
public import TestSupport
public import Wire

/// A feature whose state has every kind of part that can be subscribed to, with random changes.
public struct Board: Reducer, Sendable {
  @Replicated
  public struct Note: Equatable, Sendable {
    public var text = ""
    public var stars = 0

    public init(text: String = "", stars: Int = 0) { (self.text, self.stars) = (text, stars) }
  }

  @Replicated
  public struct Item: Equatable, Identifiable, Sendable {
    public let id: Int
    public var title: String
    public var note: Note?
    public var subitems: IdentifiedArrayOf<Subitem> = []

    public init(id: Int, title: String) { (self.id, self.title) = (id, title) }
  }

  @Replicated
  public struct Subitem: Equatable, Identifiable, Sendable {
    public let id: Int
    public var isDone = false

    public init(id: Int) { self.id = id }
  }

  @Replicated
  public enum Mode: Equatable, Sendable {
    case list
    case edit(Note)
    case move(Int, Note)
  }

  @Replicated
  public struct State: Equatable, Sendable {
    public var title = "board"
    public var count = 0
    public var items: IdentifiedArrayOf<Item> = []
    public var chosen: Note?
    public var mode = Mode.list
    public var numbers: [Int] = []

    public init() {}
  }

  @Replicated
  public enum Action: Equatable, Sendable {
    /// Makes the change that the number determines.
    case change(UInt64)
    case setCount(Int)
    case setTitle(Int, String)
    case addItems(Int)
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .change(let seed):
        var random = SplitMix(seed: seed)
        state.change(using: &random)
      case .setCount(let count): state.count = count
      case .setTitle(let id, let title): state.items[id: id]?.title = title
      case .addItems(let count):
        let first = state.items.count
        for id in first..<first + count { state.items.append(Item(id: id, title: "item \(id)")) }
      }
      return .none
    }
  }
}

extension Board.State {
  /// Makes a random change; ids may be reused after they were removed.
  public mutating func change(using random: inout SplitMix) {
    let id = Int.random(in: 0..<6, using: &random)
    let note = Board.Note(
      text: "\(Int.random(in: 0..<3, using: &random))", stars: Int.random(in: 0..<3, using: &random))
    switch Int.random(in: 0..<17, using: &random) {
    case 0: title = "board \(id)"
    case 1: count += 1
    case 2, 3: items.insert(Board.Item(id: id, title: "new"), at: Int.random(in: 0...items.count, using: &random))
    case 4: items.remove(id: id)
    case 5: items[id: id]?.title = "title \(note.stars)"
    case 6: items[id: id]?.note = note
    case 7: items[id: id]?.note = nil
    case 8: items[id: id]?.note?.stars += 1
    case 9: if items.count > 1 { items.swapAt(0, items.count - 1) }
    case 10: chosen = chosen == nil ? note : nil
    case 11: chosen?.text += "."
    case 12: mode = [.list, .edit(note), .move(id, note)][note.stars]
    case 13:
      if case .edit(var note) = mode {
        note.stars += 1
        mode = .edit(note)
      }
    case 14: numbers.append(id)
    case 15:
      items[id: id]?.subitems.append(Board.Subitem(id: note.stars))
      items[id: id]?.subitems[id: note.stars]?.isDone.toggle()
    default: if items[id: id] != nil { items[id: id] = Board.Item(id: id, title: "other") }
    }
  }

  /// Paths to parts of every kind, some of which are mostly absent.
  public static var paths: [[PathStep]] {
    let (one, two) = (PathStep.id(1.encoded()), PathStep.id(2.encoded()))
    return [
      [], [0], [1], [2], [2, one], [2, one, 1], [2, one, 2], [2, one, 2, 0], [2, one, 2, 0, 1], [2, two], [2, two, 3],
      [2, two, 3, one], [2, two, 3, one, 1], [3], [3, 0], [3, 0, 0], [4], [4, 1], [4, 1, 1], [4, 2, 1], [5],
    ]
  }
}
