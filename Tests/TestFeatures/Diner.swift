public import ComposableArchitecture
import Foundation
public import IdentifiedCollections
import ReplicatedArchitecture
public import Wire

/// A restaurant whose state has a part of each kind that people read, for tests of clients that know only its schema.
@Reducer
public struct Diner: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var orders: IdentifiedArrayOf<DinerOrder.State> = []
    public var prices: [String: Double] = [:]
    public var chef: Chef?
    public var isOpen = false
    public var servedCount = 0
    public var longestWait = Duration.zero
    @Presents public var alert: AlertState<Question>?

    public init() {}
  }

  @ObservableState @Replicated
  public struct Chef: Equatable, Sendable {
    public var name: String
    public var stars = 0
    public var specialities: [String] = []

    public init(name: String) { self.name = name }
  }

  @CasePathable @Replicated
  public enum Question: Equatable, Sendable { case cancelConfirmed(orderID: Int) }

  @Replicated
  public enum Action: Equatable, Sendable {
    case alert(PresentationAction<Question>)
    case orders(IdentifiedActionOf<DinerOrder>)
    case orderAdded(dish: String, table: Int, note: String?)
    case cancelButtonTapped(orderID: Int)
    case openButtonTapped
    case priceChanged(dish: String, price: Double)
    case chefChanged(Chef?)
    /// Adds many orders, for measurements.
    case crowdArrived(Int)
    case hubStarted
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .alert(.presented(.cancelConfirmed(let id))): state.orders.remove(id: id)
      case .orderAdded(let dish, let table, let note): state.add(dish, table, note)
      case .cancelButtonTapped(let id):
        guard let order = state.orders[id: id] else { break }
        state.alert = AlertState {
          TextState("Cancel \(order.dish)?")
        } actions: {
          ButtonState(role: .destructive, action: .cancelConfirmed(orderID: id)) { TextState("Cancel it") }
          ButtonState(role: .cancel) { TextState("Keep it") }
        } message: {
          TextState("Table \(order.table) will not get it.")
        }
      case .openButtonTapped: state.isOpen.toggle()
      case .priceChanged(let dish, let price): state.prices[dish] = price
      case .chefChanged(let chef): state.chef = chef
      case .crowdArrived(let count): for number in 0..<count { state.add("dish \(number)", number % 50, nil) }
      case .orders(.element(let id, .served)):
        state.orders.remove(id: id)
        state.servedCount += 1
      case .alert, .orders, .hubStarted: break
      }
      return .none
    }
    .forEach(\.orders, action: \.orders) { DinerOrder() }
    .ifLet(\.$alert, action: \.alert)
  }
}

extension Diner.State {
  public mutating func add(_ dish: String, _ table: Int, _ note: String?) {
    let id = (orders.last?.id ?? 0) + 1
    orders.append(DinerOrder.State(id: id, dish: dish, table: table, note: note))
  }
}

/// One dish for one table.
@Reducer
public struct DinerOrder: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Identifiable, Sendable {
    public let id: Int
    public var dish: String
    public var table: Int
    public var note: String?
    public var stage = Stage.waiting
    public var placed = Date(timeIntervalSince1970: 1_800_000_000)
    public var cooking = Duration.zero
    public var extras: Set<String> = []

    public init(id: Int, dish: String, table: Int, note: String? = nil) {
      (self.id, self.dish, self.table, self.note) = (id, dish, table, note)
    }
  }

  @Replicated
  public enum Stage: Equatable, Sendable {
    case waiting
    case onTheStove(minutes: Int)
    case ready
  }

  @Replicated
  public enum Action: Equatable, Sendable {
    case noteChanged(String)
    case stageChanged(Stage)
    case extraAdded(String)
    case served
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .noteChanged(let note): state.note = note.isEmpty ? nil : note
      case .stageChanged(let stage): state.stage = stage
      case .extraAdded(let extra): state.extras.insert(extra)
      case .served: break
      }
      return .none
    }
  }
}
