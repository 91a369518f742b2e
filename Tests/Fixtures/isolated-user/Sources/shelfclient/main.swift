import Shelf
import StoreClient

let loop = try EventLoop()
try loop.drainMainQueue()
let client = try StoreClient<Shelf.State, Shelf.Action>(loop: loop, path: CommandLine.arguments[1])
client.onStore = { store in
  Task {
    try await store.send(.opened).taken()
    try await store.send(.added(title: "Dune")).taken()
    print(store.books.map(\.title), store.isOpen)
    loop.stop()
  }
}
client.start()
loop.run()
