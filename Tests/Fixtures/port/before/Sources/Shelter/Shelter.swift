import Animals
import ComposableArchitecture
import Foundation

@Reducer
struct Shelter {
  @ObservableState
  struct State: Equatable {
    var kennels: IdentifiedArrayOf<Kennel.State> = []
    @Presents var sheet: Sheet.State?
    var page = Page<Animal>(number: 1)
    var search: Search<Animal.ID>.State
    // A comment that stays.
    var openingHours = Hours.weekend
    var closedOn: Date?
    #if DEBUG
      var debugText: String { "\(kennels.count)" }
    #endif
    private var visits = 0
  }

  enum Action: ViewAction {
    case kennels(IdentifiedActionOf<Kennel>)
    case sheet(PresentationAction<Sheet.Action>)
    case search(Search<Animal.ID>.Action)
    case view(View)

    @CasePathable enum View {
      case adopted(Animal, by: Person)
      case hoursChanged(Hours?)
    }
  }

  struct Person: Equatable {
    var name: String
    var phone: String?
  }

  @Dependency(\.date.now) var now
  let capacity: Int

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .view(.hoursChanged(let hours)):
        state.openingHours = hours ?? .weekend
        return .none
      default:
        return .none
      }
    }
    .forEach(\.kennels, action: \.kennels) { Kennel() }
    .ifLet(\.$sheet, action: \.sheet)
  }
}

/// The opening hours, in minutes of the day.
struct Hours {
  var opens, closes: Int

  /// Only in the afternoon.
  static let weekend = Hours(opens: 13 * 60, closes: 17 * 60)
}

extension Hours: Equatable, Comparable {
  static func < (lhs: Self, rhs: Self) -> Bool { lhs.opens < rhs.opens }
  fileprivate var length: Int { closes - opens }
}

struct Page<Item: Equatable & Sendable>: Equatable {
  var items: [Item] = []
  var number: Int
}
