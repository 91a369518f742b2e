import IdentifiedCollections
import ReplicatedArchitecture
import StoreHub

/// A hub of a shared model with a part of each kind, for tests of the tools that edit it.
@main
struct PlanHub: SharedHub {
  static let description = ServiceDescription("planhub")

  let initialState = Plan()
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
  var scores: [String: SharedCounter] = [:]
  var groups: [String: IdentifiedArrayOf<Note>] = [:]
  var marks: IdentifiedArrayOf<Mark> = []
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

/// An element whose id is a number that may be minus zero, with elements whose ids are texts.
@Replicated
struct Mark: Equatable, Identifiable, Sendable {
  let id: Double
  var notes: IdentifiedArrayOf<Note> = []
}

/// An element whose id needs quotes.
@Replicated
struct Note: Equatable, Identifiable, Sendable {
  let id: String
  var text = ""
}
