import Glibc
import Kitchen
import StoreClient

// Prints the orders whenever they change: `board SOCKET`. Without a hub it waits for one.
guard CommandLine.arguments.count == 2 else {
  print("usage: board SOCKET")
  exit(2)
}
let loop = try EventLoop()
try loop.drainMainQueue()
let client = try StoreClient<Kitchen.State, Kitchen.Action>(loop: loop, path: CommandLine.arguments[1])
var subscription: StoreSubscription?
client.onStore = { (store: StoreOf<Kitchen>) in
  subscription = observe {
    let orders = store.orders.map { "\($0.id) \($0.dish) for table \($0.table): \($0.stage)" }
    print(orders.isEmpty ? "no orders, \(store.served) served" : orders.joined(separator: "; "))
  }
}
client.start()
loop.run()
