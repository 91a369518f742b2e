import Animals
import ComposableArchitecture
import Foundation
import ReplicatedArchitecture

@Reducer
public struct Shelter: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var kennels: IdentifiedArrayOf<Kennel.State> = []
    @Presents public var sheet: Sheet.State?
    public var page = Page<Animal>(number: 1)
    public var search: Search<Animal.ID>.State
    // A comment that stays.
    public var openingHours = Hours.weekend
    public var closedOn: Date?
    #if DEBUG
      public var debugText: String { "\(kennels.count)" }
    #endif
    private var visits = 0

    public init(
      kennels: IdentifiedArrayOf<Kennel.State> = [],
      sheet: Sheet.State? = nil,
      page: Page<Animal> = Page<Animal>(number: 1),
      search: Search<Animal.ID>.State,
      openingHours: Hours = Hours.weekend,
      closedOn: Date? = nil
    ) {
      self.kennels = kennels
      self.sheet = sheet
      self.page = page
      self.search = search
      self.openingHours = openingHours
      self.closedOn = closedOn
    }
  }

  @Replicated
  public enum Action: ViewAction, Sendable {
    case kennels(IdentifiedActionOf<Kennel>)
    case sheet(PresentationAction<Sheet.Action>)
    case search(Search<Animal.ID>.Action)
    case view(View)

    @CasePathable @Replicated public enum View: Sendable {
      case adopted(Animal, by: Person)
      case hoursChanged(Hours?)
    }
  }

  @Replicated
  public struct Person: Equatable, Sendable {
    public var name: String
    public var phone: String?

    public init(name: String, phone: String? = nil) {
      self.name = name
      self.phone = phone
    }
  }

  @Dependency(\.date.now) var now
  let capacity: Int

  public init(capacity: Int) {
    self.capacity = capacity
  }

  public var body: some ReducerOf<Self> {
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
@Replicated
public struct Hours: Sendable {
  public var opens, closes: Int

  public init(opens: Int, closes: Int) {
    self.opens = opens
    self.closes = closes
  }

  /// Only in the afternoon.
  public static let weekend = Hours(opens: 13 * 60, closes: 17 * 60)
}

extension Hours: Equatable, Comparable {
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.opens < rhs.opens }
  fileprivate var length: Int { closes - opens }
}

@Replicated
public struct Page<Item: Equatable & Sendable>: Equatable, Sendable {
  public var items: [Item] = []
  public var number: Int

  public init(items: [Item] = [], number: Int) {
    self.items = items
    self.number = number
  }
}
