import Counter
import StoreClient

let loop = try EventLoop()
try loop.drainMainQueue()
var options = ReplicaOptions()
options.name = "increment"
let path = CommandLine.arguments[1]
let client = try StoreClient<Counter.State, Counter.Action>(loop: loop, path: path, options: options)
client.onStore = { (store: StoreOf<Counter>) in
  Task {
    await store.send(.incrementButtonTapped).finish()
    print(store.count, store.labels.last?.text ?? "no label")
    loop.stop()
  }
}
client.start()
loop.run()
