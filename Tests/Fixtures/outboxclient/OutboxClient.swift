import ComposableCore
import EventLoop
import Features
import Foundation
import Glibc
import StoreClient

/// Adds todos to a `storehubd`, with an outbox, and says what has become of each, also of those of earlier processes.
///
///     outboxclient SOCKET OUTBOX NAME COUNT
///
/// It prints `NAME-N` for each todo that the hub has added. It ends when COUNT were added, those of earlier processes
/// are known as well and no more are pending; at most 50 are pending. A test kills it before.
@main
struct OutboxClient {
  @MainActor static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let count = Int(arguments[4]) else {
      fail("usage: outboxclient SOCKET OUTBOX NAME COUNT")
    }
    let loop = try EventLoop()
    try loop.drainMainQueue()
    var options = ReplicaOptions()
    (options.shortestDelay, options.longestDelay) = (.milliseconds(5), .milliseconds(50))
    options.subscribesToWholeState = false
    let client: StoreClient<AppFeature.State, AppFeature.Action>
    do {
      client = try StoreClient(
        loop: loop, path: arguments[1], name: arguments[3], options: options, outbox: URL(filePath: arguments[2]))
    } catch {
      fail("\(error)")
    }
    client.onConnectionNotice = nil
    // A small part, since the todos become many.
    let part = client.attach(to: { $0.counter.count }, action: { (action: AppFeature.Action) in action })
    var (sent, done) = (0, 0)
    func send() {
      guard let store = part.store else { return }
      while sent < count, client.pendingActionCount < 50 {
        sent += 1
        let text = "\(arguments[3])-\(sent)"
        let task = store.send(.todos(.addButtonTapped(text: text)))
        Task {
          do { try await task.taken() } catch { fail("\(text): \(error)") }
          report(text)
          done += 1
          send()
          if done == count, client.pendingActionCount == 0 {
            client.close()
            loop.stop()
          }
        }
      }
    }
    part.onChange = send
    client.onRecoveredOutcome = { outcome in
      guard case .todos(.addButtonTapped(let text))? = outcome.action, case .success = outcome.result else {
        fail("recovered: \(outcome)")
      }
      report(text)
      send()
    }
    client.start()
    loop.run()
  }

  /// Writes at once, so that a kill loses nothing of it.
  private static func report(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(STDOUT_FILENO, line, line.count)
  }
}

nonisolated func fail(_ message: String) -> Never {
  let line = Array("outboxclient: \(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  exit(1)
}
