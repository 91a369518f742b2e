import @NAME@
import Glibc
import StoreClient

// Sends one action, prints the state, and ends: `@lower@ SOCKET`. Without a hub it says so, and waits for one.
guard CommandLine.arguments.count == 2 else {
  print("usage: @lower@ SOCKET")
  exit(2)
}
let loop = try EventLoop()
try loop.drainMainQueue()
let client = try StoreClient<@NAME@.State, @NAME@.Action>(loop: loop, path: CommandLine.arguments[1], name: "@lower@")
client.onStore = { (store: StoreOf<@NAME@>) in
  Task {
    do {
      try await store.send(.incrementButtonTapped).taken()
      print(store.count)
    } catch {
      print("the hub did not take the action: \(error)")
    }
    loop.stop()
  }
}
client.onConnectionChange = {
  // The client has said why.
  if case .refused = client.connection { loop.stop() }
}
client.start()
loop.run()
