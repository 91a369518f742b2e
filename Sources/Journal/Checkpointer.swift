internal import Glibc
internal import SQLite
internal import Synchronization

/// Copies the write-ahead log into the database on a thread and a connection of its own, so that turns are stored
/// meanwhile.
///
/// The thread lives as long as one copying, which follows 1,024 pages of turns.
final class Checkpointer: @unchecked Sendable {
  // Sendable: only the thread uses `database` until it has an outcome, and only the writer's thread uses `thread`.

  /// What one copying has done.
  struct Copy {
    /// The pages in the log when it began.
    var pages: Int
    /// How many of them are in the database now; fewer if a reader still needs the others.
    var copied: Int
  }

  /// The nice value of the thread (setpriority(2); Linux keeps one for each thread).
  private static let niceness: Int32 = 10

  private let database: Database
  private let onEnd: @Sendable () -> Void
  private let outcome = Mutex<Result<Copy, SQLiteError>?>(nil)
  /// The thread that copies, or the last one that did, which may not have ended yet.
  private var thread: pthread_t?

  /// True from the beginning of a copying until its outcome is taken.
  private(set) var isBusy = false

  /// - Parameter onEnd: Called on the thread after each copying.
  init(
    _ directory: StateDirectory, _ options: JournalOptions, onEnd: @escaping @Sendable () -> Void
  ) throws(SQLiteError) {
    self.onEnd = onEnd
    database = try Database(directory.database, vfs: options.vfs, keepsWAL: true)
    try OpenedDatabase.configure(database, options)
    try database.syncInSteps(ofBytes: options.copiedBytesPerSync)
  }

  /// Begins to copy.
  ///
  /// - Returns: False if the system has no further thread.
  /// - Precondition: It is not busy.
  func begin() -> Bool {
    precondition(!isBusy, "one copying ends before the next begins")
    if let thread {
      // It has left its outcome, and has nothing more to do with the database.
      pthread_detach(thread)
      self.thread = nil
    }
    var thread = pthread_t()
    // The thread releases the checkpointer when it ends.
    let checkpointer = Unmanaged.passRetained(self)
    guard pthread_create(&thread, nil, { Checkpointer.main($0) }, checkpointer.toOpaque()) == 0 else {
      checkpointer.release()
      return false
    }
    (self.thread, isBusy) = (thread, true)
    return true
  }

  /// Waits until nothing is being copied.
  func wait() {
    guard let thread else { return }
    pthread_join(thread, nil)
    self.thread = nil
  }

  /// The outcome of a copying that has ended, once.
  func takeOutcome() throws(SQLiteError) -> Copy? {
    guard let outcome = outcome.withLock({ $0.take() }) else { return nil }
    // The thread is not joined: it has a low priority, so where other programs use the processor, turns would wait long
    // for its end.
    isBusy = false
    return try outcome.get()
  }

  /// Waits for the end of a copying and closes the connection.
  func close() {
    wait()
    database.close()
  }

  private static func main(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    // Signals are handled by the loop's thread.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // On one processor, the writer and the loop go first: nobody waits for the copy.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Checkpointer.niceness)
    let checkpointer = Unmanaged<Checkpointer>.fromOpaque(pointer).takeRetainedValue()
    let outcome = Result { () throws(SQLiteError) in
      let (pages, copied) = try checkpointer.database.copyWAL()
      return Copy(pages: pages, copied: copied)
    }
    checkpointer.outcome.withLock { $0 = outcome }
    checkpointer.onEnd()
    return nil
  }
}
