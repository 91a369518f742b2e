internal import Glibc
internal import TurnLog
internal import Wire

/// The queue between the appending threads and the writing thread.
final class WriterQueue: @unchecked Sendable {
  // Sendable: everything below is used only under `mutex`.

  /// An entry to write, in order.
  enum Entry {
    case turn(LoggedTurn)
    case schema(Schema)
    case place([UInt8])
  }

  /// The work that the writer takes in one step.
  struct Work {
    var entries: [Entry] = []
    var snapshot: LogSnapshot?
    /// A snapshot that was waiting when the newer one replaced it.
    var replaced: LogSnapshot?
    var trimPosition: UInt64?
    /// True if the log has been copied into the database.
    var isCopied = false
    var isClosing = false
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var work = Work()
  private var byteCount = 0
  /// The arrival of the first entry, in nanoseconds of the monotonic clock.
  private var firstEntry: Int64 = 0
  /// The revision after the newest turn.
  private var newest: UInt64 = 0
  private var group = CommitGroup()
  private var isOver = false
  private var hasSchema = false
  /// The numbers of bytes and of turns for which a window ends early. A hub lets twice as many wait before it pauses
  /// (`HubLimits.unstoredBytes`, `unstoredTurns`).
  private static let (byteLimit, turnLimit) = (8 << 20, 512)

  /// True if so much waits that it is written before the window has passed.
  private var isCrowded: Bool { byteCount > Self.byteLimit || work.entries.count >= Self.turnLimit }

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// The bytes of the waiting turns.
  var waitingBytes: Int { locked { byteCount } }

  /// True if the writer must end.
  var isClosing: Bool { locked { work.isClosing } }

  /// Adds turns, and the place in another log after them.
  func append(_ turns: [LoggedTurn], place: [UInt8]? = nil) {
    guard !turns.isEmpty || place != nil else { return }
    let mustWakeWriter = locked {
      precondition(hasSchema || isOver, "begin(schema:) comes before the first turn")
      guard !isOver else { return false }
      let isFirst = work.entries.isEmpty
      if isFirst { firstEntry = monotonicNanoseconds() }
      for turn in turns {
        work.entries.append(.turn(turn))
        byteCount += turn.byteCount
        newest = turn.revision
      }
      if let place { work.entries.append(.place(place)) }
      // The writer waits for the first turn, for the last of a group, or for a time.
      return isFirst || newest >= group.revision || isCrowded
    }
    // Not under the mutex: the writer would wake up only to wait for it.
    if mustWakeWriter { pthread_cond_broadcast(condition) }
  }

  /// Adds the schema of the turns that follow.
  func begin(_ schema: Schema) {
    locked {
      hasSchema = true
      if work.entries.isEmpty { firstEntry = monotonicNanoseconds() }
      work.entries.append(.schema(schema))
      pthread_cond_broadcast(condition)
    }
  }

  /// Adds a snapshot; it replaces one whose saving has not begun.
  func save(_ snapshot: LogSnapshot) {
    locked {
      if let waiting = work.snapshot { work.replaced = waiting }
      work.snapshot = snapshot
      pthread_cond_broadcast(condition)
    }
  }

  /// Allows the writer to remove the turns before a position.
  func trim(before position: UInt64) {
    locked {
      work.trimPosition = max(position, work.trimPosition ?? 0)
      pthread_cond_broadcast(condition)
    }
  }

  /// Tells the writer that the log has been copied into the database.
  func noteCopy() {
    locked { work.isCopied = true }
    // Not under the mutex: the calling thread has a low priority, and the writer and the loop would wait for it.
    pthread_cond_broadcast(condition)
  }

  /// Asks the writer to write all waiting entries and to end.
  func close() {
    locked {
      work.isClosing = true
      pthread_cond_broadcast(condition)
    }
  }

  /// Discards the waiting entries and all later ones.
  func end() {
    locked {
      isOver = true
      (work, byteCount) = (Work(), 0)
      pthread_cond_broadcast(condition)
    }
  }

  /// Records the end of a commit of turns.
  ///
  /// - Parameters:
  ///   - stored: The revisions before and after it.
  ///   - start: The time when it began.
  func noteCommit(of stored: (from: UInt64, to: UInt64), since start: Int64) {
    locked {
      let now = monotonicNanoseconds()
      // Half the time of a commit.
      group.begin(afterCommitOf: stored, newest: newest, wait: (now - start) / 2, now: now)
    }
  }

  /// Takes all work.
  ///
  /// - Parameters:
  ///   - isWaiting: True to wait until there is work.
  ///   - window: The time for which turns are collected after the first, in nanoseconds. Nil to collect the turns of a
  ///     group (``CommitGroup``).
  func take(isWaiting: Bool, window: Int64?) -> Work {
    locked {
      var waited = false
      while true {
        let isOther = work.snapshot != nil || work.trimPosition != nil || work.isCopied || work.isClosing
        if work.isClosing { break }
        if work.entries.isEmpty {
          if isOther || !isWaiting { break }
          pthread_cond_wait(condition, mutex)
          continue
        }
        let deadline = window.map { firstEntry + $0 } ?? group.deadline
        let isComplete = window == nil && newest >= group.revision
        guard !isComplete, !isCrowded, monotonicNanoseconds() < deadline else { break }
        if !isWaiting {
          // Maintenance takes longer than a group.
          if window == nil { break }
          return Work()
        }
        waited = true
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &time)
      }
      if !work.entries.isEmpty { group.end(at: newest, waited: waited) }
      defer {
        work = Work()
        byteCount = 0
      }
      return work
    }
  }
}

/// The monotonic clock, in nanoseconds.
func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
