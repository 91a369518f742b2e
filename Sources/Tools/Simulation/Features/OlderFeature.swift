import Features
import IdentifiedCollections
import ReplicatedArchitecture

/// The older version of the simulated feature.
@Reducer
struct OlderFeature {
  @Replicated
  struct Item: SimulatedItem {
    let id: Int
    var title: String
    var note: Note?
    var marks: [Int] = []

    init(id: Int, title: String) { (self.id, self.title) = (id, title) }
  }

  @Replicated
  struct State: SimulatedState {
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
