/// The actions of a client whose outcomes are not known yet.
package final class ActionOutcomes {
  /// The time after which an action counts as pending: a mark at each key would flicker.
  private static let delay = Duration.milliseconds(300)

  /// A sent action.
  private struct Sent {
    /// The time at which it counts as pending.
    var start: Duration
    var mark: AnyHashable?
  }

  /// Called with the reason why an action had no effect.
  package var onRefusal: ((any Error) -> Void)?
  /// Called with the number of actions that are pending for some time, and with their marks, when these have changed.
  package var onChange: ((_ count: Int, _ marks: Set<AnyHashable>) -> Void)?
  /// The last action.
  package private(set) var last: StoreTask?
  private let loop: EventLoop
  private var timer: Timer?
  private var sent: [Int: Sent] = [:]
  private var lastNumber = 0
  private var reported: (count: Int, marks: Set<AnyHashable>) = (0, [])

  package init(on loop: EventLoop) throws {
    self.loop = loop
    timer = try Timer(on: loop) { [weak self] in self?.report() }
  }

  /// Records an action that was sent.
  ///
  /// - Parameters:
  ///   - mark: What the action changes, which is marked while the action is pending.
  ///   - ended: Called when the outcome is known, or will never be, with the reason if there is one; before `onRefusal`.
  package func sent(
    _ task: StoreTask, mark: AnyHashable? = nil, ended: @escaping ((any Error)?) -> Void = { _ in }
  ) {
    last = task
    guard !task.isOver else { return }
    lastNumber += 1
    let number = lastNumber
    sent[number] = Sent(start: loop.now + Self.delay, mark: mark)
    if sent.count == 1 { timer?.start(after: Self.delay) }
    Task { [weak self] in
      do {
        try await task.taken()
        ended(nil)
      } catch {
        ended(error)
        self?.onRefusal?(error)
      }
      self?.sent[number] = nil
      self?.report()
    }
  }

  private func report() {
    let pending = sent.values.filter { $0.start <= loop.now }
    let marks = Set(pending.compactMap(\.mark))
    if (pending.count, marks) != reported {
      reported = (pending.count, marks)
      onChange?(pending.count, marks)
    }
    if let next = sent.values.lazy.map(\.start).filter({ [now = loop.now] in $0 > now }).min() {
      timer?.start(after: next - loop.now)
    }
  }
}
