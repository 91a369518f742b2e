import ComposableCore
import HubCore
import IdentifiedCollections
import Wire

@Replicated
private struct Order: Identifiable, Sendable {
  let id: Int
  var owner: Int
  var title: String
  var rank: Int
  var isDone = false
}

@Replicated
private struct Owner: Identifiable, Sendable {
  let id: Int
  var name: String
}

@Replicated
private struct OrderLine: Identifiable, Sendable {
  let id: Int
  var title: String
  var owner: String?
}

@Replicated
private struct Shop: Sendable {
  var orders: IdentifiedArrayOf<Order> = []
  var owners: IdentifiedArrayOf<Owner> = []

  static let ownerCount = 500

  init(orderCount: Int) {
    orders = IdentifiedArray(
      uniqueElements: (0..<orderCount).map {
        Order(id: $0, owner: $0 % Self.ownerCount, title: "order number \($0)", rank: $0 &* 7919 % orderCount)
      })
    owners = IdentifiedArray(uniqueElements: (0..<Self.ownerCount).map { Owner(id: $0, name: "owner \($0)") })
  }
}

@Replicated
private enum ShopAction: Sendable {
  /// Moves an order between the groups, in the order by rank, and into or out of the filtered ones.
  case change(Int, rank: Int)
}

private func reduce(_ state: inout Shop, _ action: ShopAction) -> Effect<ShopAction> {
  switch action {
  case .change(let id, let rank):
    state.orders[id: id]?.rank = rank
    state.orders[id: id]?.owner = rank % Shop.ownerCount
    state.orders[id: id]?.isDone.toggle()
  }
  return .none
}

/// What an action on one element costs a hub with a view of the elements: `storebench --element-views` prints a table.
///
/// Each action is a turn of its own, in which the view is brought up to date, compared, and its change encoded for a
/// client that has attached a window of it. A figure is the least mean of several batches. Sockets are not included.
@MainActor
struct ElementViews {
  private let clock = ContinuousClock()

  func run() {
    print(
      """

      | view of the elements | µs in 1,000 | µs in 1,000,000 | ÷, goal ≤ 2 | first value of 1,000,000, ms | its turns | \
      its longest turn, ms |
      """)
    print("|---|--:|--:|--:|--:|--:|--:|")
    let (short, long) = (Shop(orderCount: 1_000), Shop(orderCount: 1_000_000))
    let orders = Elements<Shop, Order>(\.orders)
    measure("none: a window of the collection", nil, short, long)
    measure("filter", StateView("view", orders.filter { !$0.isDone }), short, long)
    measure("map", StateView("view", orders.map { OrderLine(id: $0.id, title: $0.title) }), short, long)
    measure("sorted", StateView("view", orders.sorted(by: \.rank)), short, long)
    measure("window", StateView("view", orders.window(100, 50)), short, long)
    measure("grouped", StateView("view", orders.grouped(by: \.owner)), short, long)
    let joined = orders.joined(with: Elements(\.owners), on: \.owner) { order, owner in
      OrderLine(id: order.id, title: order.title, owner: owner?.name)
    }
    measure("joined", StateView("view", joined), short, long)
    measure(
      "filter, sorted, window", StateView("view", orders.filter { !$0.isDone }.sorted(by: \.rank).window(0, 50)), short,
      long)
    measure(
      "filter by a function of the collection",
      StateView("view", of: \.orders) { orders in orders.filter { !$0.isDone } }, short, long)
  }

  private func measure(_ name: String, _ view: StateView<Shop>?, _ short: Shop, _ long: Shop) {
    let (few, many) = (cost(view, short), cost(view, long))
    let figures = [
      few.change, many.change, many.change / few.change, many.start.total / 1_000, Double(many.start.turns),
      many.start.longest / 1_000,
    ]
    let row = figures.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: " | ")
    print("| \(name) | \(row) |")
  }

  /// The microseconds of a change, and of the turns from that in which the first client attaches the view to that in
  /// which it gets the value.
  private func cost(
    _ view: StateView<Shop>?, _ shop: Shop
  ) -> (change: Double, start: (total: Double, turns: Int, longest: Double)) {
    let views = view.map { view in StateViews { view } } ?? StateViews()
    let sockets = Sockets(FeatureEngine(initialState: shop, reducer: Reduce(reduce), views: views))
    // The size of the state is counted at first.
    repeat { sockets.end() } while sockets.hasMoreToWrite
    var start = (total: 0.0, turns: 0, longest: 0.0)
    repeat {
      let began = clock.now
      if start.turns == 0 { sockets.follow([0, .window(start: 0, count: 50)], in: view == nil ? .feature : .views) }
      sockets.end()
      let time = (clock.now - began) / .microseconds(1)
      start = (start.total + time, start.turns + 1, max(start.longest, time))
    } while sockets.hasMoreToWrite
    var (seed, least) = (7 as UInt64, Double.infinity)
    func random() -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % shop.orders.count
    }
    func turns(_ count: Int) -> Double {
      let began = clock.now
      for _ in 0..<count { sockets.turn(1, ShopAction.change(random(), rank: random())) }
      return (clock.now - began) / .microseconds(1) / Double(count)
    }
    // About 50 ms for each batch.
    let count = max(3, min(2_000, Int(50_000 / turns(3))))
    for _ in 0..<7 { least = min(least, turns(count)) }
    return (least, start)
  }
}
