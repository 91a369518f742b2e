import Allocations
import ComposableCore
import EventLoop
import Glibc
import HubCore
import StoreClient
import StoreHub

// Prints the number of heap allocations of a hub and a client per action and per turn, over a real socket in one
// process. The figures per action are differences between turns of 200 and of 100 actions, which eliminates those per
// turn.

let folder = "/tmp/storehub-alloc-\(getpid())"
mkdir(folder, 0o700)
let path = "\(folder)/hub.sock"

let loop = try EventLoop()
try loop.drainMainQueue()
let server = try HubServer(
  FeatureEngine(initialState: Tally.State(), reducer: Tally()), loop: loop, path: path,
  log: Log(program: "allocprobe", level: .error))

/// Returns the minimum of many runs, without the growth and lookups of first uses.
@MainActor func least(_ body: () -> UInt64) -> UInt64 { (0..<20).map { _ in body() }.min() ?? 0 }

/// Runs the loop until the hub has forgotten that clients with little and with much traffic were active (`TurnScheduler`);
/// otherwise it would work in several short turns.
@MainActor func settle() {
  let end = loop.preciseNow + .milliseconds(1200)
  while loop.preciseNow < end { loop.run(.noWait) }
}

/// The allocations of the hub and its shell in a turn of `count` actions of a raw client.
@MainActor func hubTurn(_ sender: RawClient, _ subscribers: [RawClient], _ count: Int) -> UInt64 {
  least {
    sender.prepare(count)
    let before = allocation_count()
    sender.sendPrepared()
    var (answered, rounds) = (0, 0)
    while answered == 0 || rounds < 3 {
      loop.run(.noWait)
      answered += sender.drain()
      for subscriber in subscribers { _ = subscriber.drain() }
      rounds += 1
    }
    return allocation_count() - before
  }
}

/// The allocations of the client, the hub and both shells for `count` actions of a `StoreClient`.
@MainActor func clientTurn(_ client: StoreClient<Tally.State, Tally.Action>, _ count: Int) -> UInt64 {
  least {
    guard let store = client.store else { return 0 }
    let target = store.count + count
    let before = allocation_count()
    for _ in 0..<count { store.send(.added) }
    while store.count < target { loop.run(.noWait) }
    // The acknowledgement follows the change.
    for _ in 0..<3 { loop.run(.noWait) }
    return allocation_count() - before
  }
}

@MainActor func report(_ name: String, _ small: UInt64, _ large: UInt64) {
  print("\(name) action", Double(Int64(large) - Int64(small)) / 100)
  print("\(name) turn", Int64(small) - (Int64(large) - Int64(small)))
}

let sender = RawClient(path: path, isSubscriber: false)
for _ in 0..<10 { loop.run(.noWait) }
_ = sender.drain()
let alone = (hubTurn(sender, [], 100), hubTurn(sender, [], 200))
report("hub", alone.0, alone.1)

let subscribers = (0..<10).map { _ in RawClient(path: path, isSubscriber: true) }
for _ in 0..<20 { loop.run(.noWait) }
for subscriber in subscribers { _ = subscriber.drain() }
settle()
let watched = (hubTurn(sender, subscribers, 100), hubTurn(sender, subscribers, 200))
report("hub with 10 subscribers", watched.0, watched.1)

let client = try StoreClient<Tally.State, Tally.Action>(loop: loop, path: path)
client.start()
// On a busy machine the hub may still be handling earlier actions.
while client.store.map({ $0.count < 12_000 }) ?? true { loop.run(.once) }
settle()
let remote = (clientTurn(client, 100), clientTurn(client, 200))
report("client and hub", remote.0, remote.1)

client.close()
server.stop(reason: "the probe ends") { loop.stop() }
loop.run()
rmdir(folder)
