import ReplicatedArchitecture

/// The orders of a restaurant, shared by waiters, cooks and a screen in the dining room.
@Reducer
public struct Kitchen: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var orders: IdentifiedArrayOf<Order> = []
    public var served = 0
    var nextNumber = 1

    public init() {}
  }

  @Replicated
  public enum Action: Sendable {
    case ordered(dish: String, table: Int)
    case cookStarted(Order.ID)
    case cookingEnded(Order.ID)
    case waiterServed(Order.ID)
    /// The hub was started or restarted, so the timers of dishes on the stove continue.
    case hubStarted
  }

  @Dependency(\.continuousClock) var clock

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .ordered(let dish, let table):
        guard !dish.isEmpty else { return .none }
        state.orders.append(Order(id: state.nextNumber, dish: dish, table: table))
        state.nextNumber += 1
        return .none

      case .cookStarted(let id):
        guard state.orders[id: id]?.stage == .waiting else { return .none }
        state.orders[id: id]?.stage = .onTheStove
        return cook(id)

      case .cookingEnded(let id):
        state.orders[id: id]?.stage = .ready
        return .none

      case .waiterServed(let id):
        guard state.orders[id: id]?.stage == .ready else { return .none }
        state.orders.remove(id: id)
        state.served += 1
        return .none

      case .hubStarted:
        return .merge(state.orders.filter { $0.stage == .onTheStove }.map { cook($0.id) })
      }
    }
  }

  private func cook(_ id: Order.ID) -> Effect<Action> {
    .run { [clock] send in
      try await clock.sleep(for: .seconds(2))
      await send(.cookingEnded(id))
    }
  }
}

/// One dish for one table.
@ObservableState @Replicated
public struct Order: Equatable, Identifiable, Sendable {
  @Replicated
  public enum Stage: Equatable, Sendable { case waiting, onTheStove, ready }

  public let id: Int
  public var dish: String
  public var table: Int
  public var stage = Stage.waiting
}
