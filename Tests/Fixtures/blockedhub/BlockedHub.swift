import Glibc
import ReplicatedArchitecture
import StoreHub

/// A hub with actions that never return or trap, and such a view, for tests of what the next process does.
@main
struct BlockedHub: HubService {
  static let description = ServiceDescription(
    "blockedhub",
    options: [
      ServiceOption("trap-at", argument: "EVENT", "answer an event with a trap: started, attached or detached"),
      ServiceOption("act-at", argument: "EVENT", "answer an event with an action that traps"),
    ])

  let initialState = Blockable.State()
  private var trap: String?
  private var act: String?
  var body: some ReducerOf<Blockable> { Blockable() }

  var views: StateViews<Blockable.State> {
    // Traps if the list has no such position.
    StateView("item", of: \.items, parameter: Int.self) { items, position in items[position] }
  }

  mutating func configure(_ options: ServiceOptions) throws(ServiceOptionError) {
    (trap, act) = (options["trap-at"], options["act-at"])
  }

  func actions(for event: HubEvent, in state: Blockable.State) -> [Blockable.Action] {
    let name =
      switch event {
      case .started: "started"
      case .attached: "attached"
      case .detached: "detached"
      }
    if trap == name { fatalError("the answer to \(name) traps") }
    return act == name ? [.counted, .removed(at: 99)] : []
  }
}

@Reducer
struct Blockable: Sendable {
  @ObservableState @Replicated
  struct State: Equatable, Sendable {
    var count = 0
    var items = [1, 2, 3]
    var label = Label()
  }

  /// A text that cannot be compared when it is cursed: an action that sets it succeeds, and its turn cannot be encoded.
  struct Label: RawRepresentable, Replicated, Equatable, Sendable {
    var rawValue = ""

    func differs(from base: Self) -> Bool {
      if rawValue == "cursed" { fatalError("a cursed label") }
      return rawValue != base.rawValue
    }
  }

  @Replicated
  enum Action: Sendable {
    case counted
    case blocked
    /// Traps if the list has no such position.
    case removed(at: Int)
    /// An effect sends `removed` afterwards.
    case removedLater(at: Int)
    case labelled(String)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .counted: state.count += 1
      case .blocked:
        // For tests, which cannot know from outside when it is here.
        let line = Array("the reducer blocks\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        while true { sleep(1) }
      case .removed(let position): state.items.remove(at: position)
      case .removedLater(let position): return .run { await $0(.removed(at: position)) }
      case .labelled(let text): state.label.rawValue = text
      }
      return .none
    }
  }
}
