internal import Dispatch
internal import EventLoop
internal import Synchronization
public import TurnLog

/// Passes the events of a log from its own thread to the hub's loop.
///
/// ```swift
/// let mailbox = TurnLogMailbox()
/// let log = try openLog(onEvent: { mailbox.post($0) })
/// ```
public nonisolated final class TurnLogMailbox: Sendable {
  private struct Contents {
    var events: [LogEvent] = []
    var loop: WakeUp.Sender?
    var waiter: DispatchSemaphore?
  }

  private let contents = Mutex(Contents())

  /// Creates an empty mailbox.
  public init() {}

  /// Adds an event. May be called on any thread.
  public func post(_ event: LogEvent) {
    let (loop, waiter) = contents.withLock { contents in
      // Only the last of several "stored" events matters.
      if case .stored = event, case .stored = contents.events.last { contents.events.removeLast() }
      contents.events.append(event)
      return (contents.loop, contents.waiter)
    }
    loop?.send()
    waiter?.signal()
  }

  /// Wakes a loop for each event from now on, and for those that have been posted already.
  func wake(_ loop: WakeUp.Sender) {
    contents.withLock { $0.loop = loop }
    loop.send()
  }

  /// Blocks the thread until there is an event, and takes all events. For use before the loop runs.
  func waitForEvents() -> [LogEvent] {
    let semaphore = DispatchSemaphore(value: 0)
    contents.withLock { $0.waiter = $0.events.isEmpty ? semaphore : nil }
    defer { contents.withLock { $0.waiter = nil } }
    let events = take()
    guard events.isEmpty else { return events }
    semaphore.wait()
    return take()
  }

  /// Takes the posted events, in order.
  func take() -> [LogEvent] {
    contents.withLock { contents in
      defer { contents.events.removeAll(keepingCapacity: true) }
      return contents.events
    }
  }
}
