/// The actions of a client whose outcomes are not known yet.
package final class ActionOutcomes {
  /// The time after which an action counts as pending: a mark at each key would flicker.
  private static let delay = Duration.milliseconds(300)

  /// Called with the reason why an action had no effect.
  package var onRefusal: ((any Error) -> Void)?
  /// Called with the number of actions that are pending for some time, when it has changed.
  package var onCount: ((Int) -> Void)?
  /// The last action.
  package private(set) var last: StoreTask?
  private let loop: EventLoop
  private var timer: Timer?
  /// The times at which the actions count as pending.
  private var starts: [Int: Duration] = [:]
  private var lastNumber = 0
  private var reportedCount = 0

  package init(on loop: EventLoop) throws {
    self.loop = loop
    timer = try Timer(on: loop) { [weak self] in self?.report() }
  }

  /// Records an action that was sent.
  package func sent(_ task: StoreTask) {
    last = task
    guard !task.isOver else { return }
    lastNumber += 1
    let number = lastNumber
    starts[number] = loop.now + Self.delay
    if starts.count == 1 { timer?.start(after: Self.delay) }
    Task { [weak self] in
      do {
        try await task.taken()
      } catch {
        self?.onRefusal?(error)
      }
      self?.ended(number)
    }
  }

  private func ended(_ number: Int) {
    starts[number] = nil
    report()
  }

  private func report() {
    let count = starts.values.reduce(0) { $1 <= loop.now ? $0 + 1 : $0 }
    if count != reportedCount {
      reportedCount = count
      onCount?(count)
    }
    if let next = starts.values.filter({ $0 > loop.now }).min() { timer?.start(after: next - loop.now) }
  }
}
