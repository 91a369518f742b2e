import IdentifiedCollections
import ReplicatedArchitecture
import StoreHub
import Wire

/// A hub of a shared model with a part of each kind, for tests of the tools that edit it.
@main
struct PlanHub: HubService {
  static let description = ServiceDescription("planhub")

  let initialState = Plan()
  var body: some ReducerOf<Planning> { Planning() }
}

struct Planning: Reducer, Sendable {
  typealias State = Plan
  typealias Action = SharedChange<Plan>

  var body: some ReducerOf<Self> {
    Reduce { (plan: inout Plan, change: SharedChange<Plan>) throws(Refusal) in
      do throws(WireError) { try change.apply(to: &plan) } catch { throw Refusal("\(error.problem)") }
      return .none
    }
  }
}

@Replicated
struct Plan: Equatable, Sendable {
  var syncUps: IdentifiedArrayOf<SyncUp> = []
  var notes: IdentifiedArrayOf<Note> = []
  var votes: SharedCounter = 0
  var tags: Set<String> = []
  var ages: [String: Int] = [:]
  var limits: [Double: String] = [:]
  var words: [String] = []
  var best: SyncUp?
  var weight = 0.0
}

@Replicated
struct SyncUp: Equatable, Identifiable, Sendable {
  let id: Int
  var title = ""
  var theme = Theme.indigo
  var lead: String?
  var attendees: Set<String> = []
}

@Replicated
enum Theme: Equatable, Sendable {
  case indigo, orange
  case custom(red: Int, green: Int)
}

/// An element whose id needs quotes.
@Replicated
struct Note: Equatable, Identifiable, Sendable {
  let id: String
  var text = ""
}
