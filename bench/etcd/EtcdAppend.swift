import ClusterLog
import EtcdClient
import EtcdLogStore
import EtcdMessages
import EventLoop
import Glibc

/// Appends entries to a log in etcd as a hub does, one transaction at a time, and prints the transactions per second.
/// `bench/limit/etcd_append.c` does the same in C. Use: `etcdappend ENDPOINT SECONDS BYTES PREFIX`.
@main
enum EtcdAppend {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let seconds = Double(arguments[2]), let size = Int(arguments[3]), size >= 0 else {
      print("usage: etcdappend ENDPOINT SECONDS BYTES PREFIX")
      exit(2)
    }
    let loop = try EventLoop()
    let client = try EtcdClient(on: loop, EtcdSettings(endpoints: [try EtcdEndpoint(arguments[1])]))
    var settings = EtcdLogStore.Settings(prefix: arguments[4])
    settings.timeout = .seconds(10)
    let run = Run(try EtcdLogStore(client, on: loop, settings), loop, [UInt8](repeating: 120, count: size))
    run.end = ContinuousClock.now + .seconds(seconds)
    let start = ContinuousClock.now
    run.append()
    loop.run()
    client.close()
    print(Double(run.position) / ((ContinuousClock.now - start) / .seconds(1)))
  }

  /// One transaction after the other.
  final class Run {
    private let store: EtcdLogStore
    private let loop: EventLoop
    private let value: [UInt8]
    private(set) var position: UInt64 = 0
    var end = ContinuousClock.now

    init(_ store: EtcdLogStore, _ loop: EventLoop, _ value: [UInt8]) {
      (self.store, self.loop, self.value) = (store, loop, value)
    }

    func append() {
      let next = position + 1
      var conditions: [LogTransaction.Condition] = [.absent(.entry(next))]
      if position > 0 { conditions.append(.present(.entry(position))) }
      store.transact(LogTransaction(if: conditions, then: [.put(.entry(next), value)], else: [])) { [self] in
        guard case .written = $1 else { fatalError("the transaction has failed: \($1)") }
        position = next
        if ContinuousClock.now < end { append() } else { loop.stop() }
      }
    }
  }
}
