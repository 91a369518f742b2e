/// The values of one declared view: what they have in common, whatever their parameters and users.
///
/// Whether its input has changed is examined once for all of them.
final class ViewGroup {
  let view: ViewDeclaration
  private let feed: ViewFeed
  /// The version that was compared last; nil while the view has no values.
  private var examined: (revision: UInt64, version: StateVersion)?
  /// The revision at which a change of the input was noticed last.
  private var changed: UInt64 = 0
  /// The number of values.
  private(set) var count = 0
  private(set) var work = ViewWork()

  init(_ view: ViewDeclaration, _ feed: ViewFeed) { (self.view, self.feed) = (view, feed) }

  /// The revision at which the last change of the input was noticed.
  /// - Complexity: O(changes of the input) once for each revision.
  func inputRevision() -> UInt64 {
    let revision = feed.revision
    if let examined, examined.revision == revision { return changed }
    let version = feed.version()
    if examined.map({ view.inputDiffers($0.version, version) }) ?? true { changed = revision }
    examined = (revision, version)
    return changed
  }

  /// Calls a function that computes a value, and notes and returns its duration; zero if nobody measures it.
  func measured(_ body: () -> ViewDeclaration.Step) -> (ViewDeclaration.Step, Duration) {
    let start = feed.clock?()
    let result = body()
    let duration = if let start, let clock = feed.clock { clock() - start } else { Duration.zero }
    let isFinished = if case .unfinished = result { false } else { true }
    work.note(duration, isFinished: isFinished)
    return (result, duration)
  }

  /// Takes the duration of a slow computation that was not reported yet.
  func takeSlowness() -> Duration? { work.takeUnreported() }

  func addValue() { count += 1 }

  func removeValue() {
    count -= 1
    if count == 0 { examined = nil }
  }
}

/// What the values of a view have cost.
struct ViewWork {
  /// The number of computations.
  private(set) var count: UInt64 = 0
  /// The time that they have taken.
  private(set) var total = Duration.zero
  /// The time of the longest, or of the longest piece of one.
  private(set) var longest = Duration.zero
  /// A computation that took long, and twice as long as any before, and was not reported yet.
  private var unreported: Duration?

  /// The duration from which a view is reported as slow.
  static var slow: Duration { .milliseconds(5) }

  mutating func note(_ duration: Duration, isFinished: Bool) {
    if isFinished { count += 1 }
    total += duration
    // Each report doubles the threshold of the next, so that there are few.
    if duration >= Self.slow, duration >= longest * 2 { unreported = duration }
    longest = max(longest, duration)
  }

  mutating func takeUnreported() -> Duration? { unreported.take() }
}
