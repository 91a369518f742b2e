import Glibc
import LoginSessions
import StoreClient

// Prints the number of login sessions whenever it changes: `sessions SOCKET`. Without a hub it waits for one.
guard CommandLine.arguments.count == 2 else {
  print("usage: sessions SOCKET")
  exit(2)
}
let loop = try EventLoop()
try loop.drainMainQueue()
let client = try StoreClient<MachineMonitor.State, MachineMonitor.Action>(
  loop: loop, path: CommandLine.arguments[1])
var subscription: StoreSubscription?
client.onStore = { (store: StoreOf<MachineMonitor>) in
  subscription = observe { print(store.notice) }
}
client.start()
loop.run()
