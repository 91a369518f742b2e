public import ComposableArchitecture
public import HubCore
public import IdentifiedCollections
public import TestSupport
public import Wire

/// A feature with views of every kind: chores that users own.
public struct Chores: Reducer, Sendable {
  @Replicated
  public struct Chore: Equatable, Identifiable, Sendable {
    public let id: Int
    public var owner: UInt32
    public var title: String
    public var isDone = false

    public init(id: Int, owner: UInt32, title: String) { (self.id, self.owner, self.title) = (id, owner, title) }
  }

  @Replicated
  public struct State: Equatable, Sendable {
    public var chores: IdentifiedArrayOf<Chore> = []
    public var note = ""

    public init() {}
  }

  @Replicated
  public enum Action: Equatable, Sendable {
    case add(owner: UInt32, title: String)
    case setTitle(Int, String)
    case setDone(Int, Bool)
    case give(Int, to: UInt32)
    case move(Int, before: Int)
    case remove(Int)
    case setNote(String)
  }

  /// The numbers of chores.
  @Replicated
  public struct Counts: Equatable, Sendable {
    public var open: Int
    public var all: Int

    public init(_ chores: IdentifiedArrayOf<Chore>) {
      (open, all) = (chores.count { !$0.isDone }, chores.count)
    }
  }

  /// Chosen chores.
  @Replicated
  public struct Choice: Equatable, Sendable {
    public var owner: UInt32
    public var isDone: Bool

    public init(owner: UInt32, isDone: Bool) { (self.owner, self.isDone) = (owner, isDone) }

    public func includes(_ chore: Chore) -> Bool { chore.owner == owner && chore.isDone == isDone }
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .add(let owner, let title):
        let id = (state.chores.ids.max() ?? 0) + 1
        state.chores.append(Chore(id: id, owner: owner, title: title))
      case .setTitle(let id, let title): state.chores[id: id]?.title = title
      case .setDone(let id, let isDone): state.chores[id: id]?.isDone = isDone
      case .give(let id, let owner): state.chores[id: id]?.owner = owner
      case .move(let id, let other):
        guard let chore = state.chores.remove(id: id) else { break }
        state.chores.insert(chore, at: state.chores.index(id: other) ?? state.chores.count)
      case .remove(let id): state.chores.remove(id: id)
      case .setNote(let note): state.note = note
      }
      return .none
    }
  }

  /// Called with the name of a view whenever it is computed.
  public typealias Counter = (String) -> Void

  /// The views; `onCompute` is told of each computation.
  public static func views(onCompute: @escaping Counter = { _ in }) -> StateViews<State> {
    StateViews {
      StateView("counts", of: \.chores) { chores in
        onCompute("counts")
        return Counts(chores)
      }
      StateView("open", of: \.chores) { chores in
        onCompute("open")
        return chores.filter { !$0.isDone }
      }
      StateView("chosen", of: \.chores, parameter: Choice.self) { chores, choice in
        onCompute("chosen")
        return chores.filter(choice.includes)
      }
      StateView("mine", of: \.chores, for: SystemUser.self) { chores, user in
        onCompute("mine")
        return chores.filter { $0.owner == user.id }
      }
      StateView("titles", of: \.chores, for: SystemUser.self, parameter: Bool.self) { chores, user, isDone in
        onCompute("titles")
        return chores.filter { $0.owner == user.id && $0.isDone == isDone }.map(\.title)
      }
      StateView("summary") { state in
        onCompute("summary")
        return "\(state.note): \(state.chores.count)"
      }
      StateView("byTitle", Elements(\.chores).filter { !$0.isDone }.sorted(by: \.title))
      StateView("owners", Elements(\.chores).grouped(by: \.owner))
      StateView("chosenByTitle", parameter: Choice.self) { choice in
        Elements(\.chores).filter(choice.includes).sorted(by: \.title)
      }
      StateView("firstOfMine", for: SystemUser.self, parameter: Int.self) { user, count in
        Elements(\.chores).filter { $0.owner == user.id }.window(0, count)
      }
    }
  }

  /// A random action; ids are those of up to `limit` chores.
  public static func randomAction(owners: [UInt32], limit: Int, _ random: inout SplitMix) -> Action {
    let (id, other) = (Int.random(in: 1...limit, using: &random), Int.random(in: 1...limit, using: &random))
    let owner = owners.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: return .add(owner: owner, title: "chore \(Int.random(in: 0..<100, using: &random))")
    case 3: return .remove(id)
    case 4: return .give(id, to: owner)
    case 5: return .move(id, before: other)
    case 6: return .setTitle(id, "Ärmel \(other)")
    case 7: return .setNote("\(other)")
    default: return .setDone(id, .random(using: &random))
    }
  }
}
