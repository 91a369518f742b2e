import ComposableCore
import Glibc
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

  init(orderCount: Int, ownerCount: Int = 500) {
    orders = IdentifiedArray(
      uniqueElements: (0..<orderCount).map {
        Order(id: $0, owner: $0 % ownerCount, title: "order number \($0)", rank: $0 &* 7919 % orderCount)
      })
    owners = IdentifiedArray(uniqueElements: (0..<ownerCount).map { Owner(id: $0, name: "owner \($0)") })
  }
}

@Replicated
private enum ShopAction: Sendable {
  /// Moves an order between the groups, in the order by rank, and into or out of the filtered ones.
  case change(Int, rank: Int)
  /// Changes as many orders in the same way, distributed over all.
  case changeMany(Int)
  /// Renames an owner, which changes the rows of all orders that it has.
  case rename(Int)
}

private func reduce(_ state: inout Shop, _ action: ShopAction) -> Effect<ShopAction> {
  switch action {
  case .change(let id, let rank):
    state.change(id, rank: rank)
  case .changeMany(let count):
    let (step, orderCount) = (state.orders.count / count, state.orders.count)
    for index in 0..<count { state.change(index * step, rank: (index &* 104_729 + count) % orderCount) }
  case .rename(let id):
    state.owners[id: id]?.name += "+"
  }
  return .none
}

extension Shop {
  fileprivate mutating func change(_ id: Int, rank: Int) {
    orders[id: id]?.rank = rank
    orders[id: id]?.owner = rank % owners.count
    orders[id: id]?.isDone.toggle()
  }
}

/// The time for which a processor was busy with this thread: other programs do not count.
private func busyTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// What an action on one element costs a hub with a view of the elements: `storebench --element-views` prints a table.
///
/// Each action is a turn of its own, in which the view is brought up to date, compared, and its change encoded for a
/// client that has attached a window of it. A figure is the least mean of several batches. Sockets are not included.
/// The time is that of the processor.
@MainActor
struct ElementViews {
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
    runLongest(long)
  }

  /// The longest turn of a first value, of changes of many elements, when a client comes back, and of a release.
  private func runLongest(_ long: Shop) {
    print(
      """

      | longest turns with a view of 1,000,000 elements, ms | first value | 200,000 change | all change | the first's \
      owner changes | back after a change of all | released | back to an incomplete value | released |
      """)
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    let orders = Elements<Shop, Order>(\.orders)
    func joined() -> StateView<Shop> {
      let rows = orders.joined(with: Elements(\.owners), on: \.owner) { order, owner in
        OrderLine(id: order.id, title: order.title, owner: owner?.name)
      }
      return StateView("view", rows)
    }
    measureLongest("none: a window of the collection", nil, long)
    measureLongest("filter, of which half are left", StateView("view", orders.filter { $0.rank % 2 == 0 }), long)
    measureLongest("map", StateView("view", orders.map { OrderLine(id: $0.id, title: $0.title) }), long)
    measureLongest("sorted by a text", StateView("view", orders.sorted(by: \.title)), long)
    measureLongest(
      "filter, sorted, window", StateView("view", orders.filter { !$0.isDone }.sorted(by: \.rank).window(0, 50)), long)
    measureLongest("grouped in 2", StateView("view", orders.grouped(by: \.isDone)), long)
    measureLongest("grouped in 1,000,000", StateView("view", orders.grouped(by: \.id)), long)
    measureLongest("joined with 500", joined(), long)
    measureLongest("joined with 1", joined(), Shop(orderCount: 1_000_000, ownerCount: 1))
    measureLongest("joined with 100,000", joined(), Shop(orderCount: 1_000_000, ownerCount: 100_000))
  }

  private func measureLongest(_ name: String, _ view: StateView<Shop>?, _ shop: Shop) {
    let views = view.map { view in StateViews { view } } ?? StateViews()
    let sockets = Sockets(FeatureEngine(initialState: shop, reducer: Reduce(reduce), views: views))
    let path: [PathStep] = [0, .window(start: 0, count: 50)]
    let root = view == nil ? StateRoot.feature : .views
    // The size of the state is counted at first.
    repeat { sockets.end() } while sockets.hasMoreToWrite
    /// The longest of the turns until there is no work any more.
    func longest(_ begin: () -> Void) -> Double {
      var (longest, isFirst) = (Duration.zero, true)
      repeat {
        let began = busyTime()
        if isFirst { begin() }
        isFirst = false
        sockets.end()
        longest = max(longest, busyTime() - began)
      } while sockets.hasMoreToWrite
      return longest / .milliseconds(1)
    }
    func attach(_ client: ConnectionID, knowing revision: UInt64? = nil) {
      sockets.attach(path, in: root, knowing: revision, on: client)
    }
    var client = sockets.connect()
    sockets.listen(to: client)
    var figures = [longest { attach(client) }]
    figures.append(longest { sockets.turn(1, ShopAction.changeMany(200_000)) })
    figures.append(longest { sockets.turn(1, ShopAction.changeMany(1_000_000)) })
    figures.append(longest { sockets.turn(1, ShopAction.rename(0)) })
    var away = sockets.leave()
    sockets.turn(1, ShopAction.changeMany(1_000_000))
    client = sockets.connect(resuming: away)
    figures.append(longest { attach(client, knowing: away.revision) })
    figures.append(longest { sockets.detach(client) })
    // The next client goes and comes back before the value is complete.
    client = sockets.connect()
    sockets.listen(to: client)
    sockets.end()
    attach(client)
    sockets.end()
    away = sockets.leave()
    client = sockets.connect(resuming: away)
    figures.append(longest { attach(client) })
    figures.append(longest { sockets.detach(client) })
    print("| \(name) | \(figures.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: " | ")) |")
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
      let began = busyTime()
      if start.turns == 0 { sockets.follow([0, .window(start: 0, count: 50)], in: view == nil ? .feature : .views) }
      sockets.end()
      let time = (busyTime() - began) / .microseconds(1)
      start = (start.total + time, start.turns + 1, max(start.longest, time))
    } while sockets.hasMoreToWrite
    var (seed, least) = (7 as UInt64, Double.infinity)
    func random() -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % shop.orders.count
    }
    func turns(_ count: Int) -> Double {
      let began = busyTime()
      for _ in 0..<count { sockets.turn(1, ShopAction.change(random(), rank: random())) }
      return (busyTime() - began) / .microseconds(1) / Double(count)
    }
    // About 50 ms for each batch.
    let count = max(3, min(2_000, Int(50_000 / turns(3))))
    for _ in 0..<7 { least = min(least, turns(count)) }
    return (least, start)
  }
}
