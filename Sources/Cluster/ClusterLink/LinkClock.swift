/// The wall clock of a machine, as a link needs it: what it shows is derived from the time that passes at an even pace.
package struct LinkClock: Sendable {
  /// The wall-clock time since 1970 at the time zero of the link.
  private var start: Duration

  /// The greatest time on the wire: the year 10889.
  static let limit: UInt64 = 1 << 48

  /// Creates a clock that began in 1970.
  package init() { start = .zero }

  /// Takes a reading of both clocks.
  ///
  /// - Parameters:
  ///   - wallTime: The wall-clock time since 1970.
  ///   - now: The time of the link at the same moment.
  package init(wallTime: Duration, at now: Duration) { start = wallTime - now }

  /// The wall-clock time in milliseconds since 1970.
  func time(at now: Duration) -> UInt64 {
    UInt64(min(max(((start + now) / .milliseconds(1)).rounded(), 0), Double(Self.limit)))
  }

  /// How much another clock is ahead that has shown a time at some moment between a question and its answer.
  func difference(to time: UInt64, askedAt asked: Duration, answeredAt answered: Duration) -> Duration {
    .milliseconds(Int64(clamping: time)) - (start + asked + (answered - asked) / 2)
  }
}
