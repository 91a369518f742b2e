/// The state that clients may see, as views read it.
final class ViewFeed {
  private let source: any StateSource
  /// The version that was read last, so that all views of a turn share one.
  private var read: (revision: UInt64, version: StateVersion)?
  /// The shell's monotonic clock; nil if nobody measures views.
  var clock: (() -> Duration)?
  /// Where the computation that runs is recorded; nil if nobody reads it after a crash.
  var mark: ActionMark?

  /// The work that is left for first values in this turn.
  var budget = WorkBudget(steps: 0)

  init(_ source: any StateSource) { self.source = source }

  var revision: UInt64 { source.revision }

  /// The state at `revision`.
  func version() -> StateVersion {
    let revision = source.revision
    if let read, read.revision == revision { return read.version }
    let version = source.currentVersion()
    read = (revision, version)
    return version
  }

  /// Forgets the version, which nothing reads any more.
  func forget() { read = nil }
}
