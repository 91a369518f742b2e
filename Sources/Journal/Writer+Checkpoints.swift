internal import SQLite
internal import Synchronization
internal import TurnLog

/// Copying the write-ahead log into the database, so that it does not grow.
///
/// A checkpointer copies nearly all of it beside the commits of turns. The log begins again only after all of it was
/// copied, so the writer copies the rest, which was added meanwhile, between two commits.
extension Writer {
  /// The copies after which the rest must become shorter. If it does not, turns are stored as fast as copied, so the
  /// writer copies it, however long it is.
  private static let copies = 3
  /// The most pages of a rest that the writer copies while turns wait: about those that a turn has changed.
  private var shortRest: Int { max(options.checkpointPages / 64, 2) }

  /// Begins to copy a long log, and ends what was begun.
  func checkpointIfDue() throws(LogError) {
    do throws(SQLiteError) {
      if let copy = try checkpointer.takeOutcome() { try end(copy) }
      if database.walPages < nextCheckpoint - options.checkpointPages { nextCheckpoint = options.checkpointPages }
      guard !checkpointer.isBusy, database.walPages >= nextCheckpoint else { return }
      try beginCopy()
    } catch { throw failure(error) }
  }

  private func beginCopy() throws(SQLiteError) {
    try writeHead()
    if !checkpointer.begin() { try copyRest() }
  }

  /// Waits for a copying that was begun.
  func endCheckpoint() throws(SQLiteError) {
    checkpointer.wait()
    if try checkpointer.takeOutcome() != nil { noteCheckpoint() }
  }

  /// Copies what was added to the log during a copying.
  private func end(_ copy: Checkpointer.Copy) throws(SQLiteError) {
    unfinishedCopies += 1
    // Until a turn's transaction ends, its last pages stay in the log, as for any reader: the next copy has them. If
    // that one is not whole either, another reader prevents it, and the next attempt follows after as many pages again.
    guard copy.copied == copy.pages || unfinishedCopies == 1 else { return noteCheckpoint() }
    // The log has begun again if it is shorter.
    let rest = database.walPages - copy.copied
    defer { lastRest = rest }
    if rest <= 0 {
      noteCheckpoint()
    } else if rest <= shortRest || unfinishedCopies >= Self.copies && rest > lastRest / 2 {
      try copyRest()
    } else {
      try beginCopy()
    }
  }

  private func copyRest() throws(SQLiteError) {
    try writeHead()
    try database.checkpoint()
    noteCheckpoint()
  }

  private func noteCheckpoint() {
    unfinishedCopies = 0
    nextCheckpoint = database.walPages + options.checkpointPages
    status.withLock { $0.statistics.checkpoints += 1 }
  }
}
