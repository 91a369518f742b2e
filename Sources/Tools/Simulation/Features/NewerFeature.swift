import Features
import IdentifiedCollections
import ReplicatedArchitecture

/// The newer version of the simulated feature, with an additional field in the state and in its items, whose keys
/// therefore differ, and an additional action.
@Reducer
struct NewerFeature {
  @Replicated
  struct Item: SimulatedItem {
    let id: Int
    var color = 7
    var title: String
    var note: Note?
    var marks: [Int] = []

    init(id: Int, title: String) { (self.id, self.title) = (id, title) }
  }

  @Replicated
  struct State: SimulatedState {
    var label = "none"
    var app = AppFeature.State()
    var items: IdentifiedArrayOf<Item> = []
    var chosen: Note?
    var mode = Mode.list
    var numbers: [Int] = []
    var attached: [String: Int] = [:]
    var echoCount = 0
    var awkward = Awkward()
    var shared = SharedPlan()

    init() {}
  }

  @Replicated
  enum Action: SimulatedAction {
    case labelled(UInt64, String)
    case tagged(UInt64, Change)
    case follow(AppFeature.Action)
    case echoed(UInt64)
    case attended(String, Int)
    case kept(UInt64)
    case resumed(UInt64, after: Int)

    var resumedPromise: UInt64? { if case .resumed(let number, _) = self { number } else { nil } }
  }

  let recorder: Recorder

  var body: some ReducerOf<Self> {
    Scope(state: \.app, action: \.follow) { AppFeature() }
    Reduce { state, action in
      switch action {
      case .labelled(let tag, let label):
        recorder.note(tag)
        state.label = label
        for index in state.items.indices.prefix(2) { state.items[index].color = label.utf8.count }
        return .none
      case .tagged(let tag, let change): return state.apply(change, tag: tag, recorder)
      case .follow: return .none
      case .echoed(let number):
        recorder.noteEcho(number)
        state.echoCount += 1
        return .none
      case .attended(let name, let difference):
        state.note(name, difference)
        return .none
      case .kept:
        state.echoCount += 1
        return .none
      case .resumed(let number, let milliseconds): return state.resume(number, after: milliseconds, recorder)
      }
    }
  }
}
