import Deploy
import Glibc
import StoreClient

// Does the jobs of a deploy hub: `deployworker SOCKET SCRIPT`. For each it runs `SCRIPT SERVICE VERSION ENVIRONMENT`,
// whose output tells the progress and whose exit status the outcome.
guard CommandLine.arguments.count == 3 else {
  print("usage: deployworker SOCKET SCRIPT")
  exit(2)
}
let (socket, script) = (CommandLine.arguments[1], CommandLine.arguments[2])
let loop = try EventLoop()
try loop.drainMainQueue()
let client = try StoreClient<Deploy.State, Deploy.Action>(
  loop: loop, path: socket, options: ReplicaOptions(name: "worker", probeInterval: .seconds(5)))
var worker: Worker?
var subscription: StoreSubscription?
client.onStore = { (store: StoreOf<Deploy>) in
  let found = Worker(store, of: client, script: script)
  worker = found
  subscription = observe { found.lookForWork() }
}
client.onConnectionChange = {
  // The client has said why.
  if case .refused = client.connection { exit(1) }
}
client.start()
loop.run()
