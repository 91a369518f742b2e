import ComposableCore
import EventLoop
import Glibc
import StoreClient
import TestFeatures
import Wire

/// `hostileclient SOCKET` prints the state of a `hostilehub` as the client with the feature's types has it: its bytes
/// and its hash.
@main
struct HostileClient {
  static func main() throws {
    let loop = try EventLoop()
    try loop.drainMainQueue()
    let client = try StoreClient<Hostile.State, Hostile.Action>(loop: loop, path: CommandLine.arguments[1])
    client.onStore = { [weak client] store in
      store.withState { print($0.encoded().hexadecimal, $0.stateHash()) }
      client?.close()
      loop.stop()
    }
    client.onConnectionChange = { [weak client] in
      switch client?.connection {
      case .connecting(_, let failure?): fail(failure)
      case .stale(_, _, let reason), .refused(let reason): fail(reason)
      case .connecting, .live, .closed, nil: break
      }
    }
    client.start()
    loop.run()
    loop.close()
  }

  private static func fail(_ reason: String) -> Never {
    let line = "hostileclient: \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
  }
}
