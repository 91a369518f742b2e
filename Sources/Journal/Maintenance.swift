internal import SQLite
internal import Synchronization
internal import TurnLog
internal import Wire

/// A snapshot that is being saved.
struct SnapshotJob {
  let snapshot: LogSnapshot
  var row: SnapshotRow
  var next: (_ byteLimit: Int) -> [UInt8]?
}

/// The maintenance between commits of turns, one step at a time: saving snapshots and removing old data.
///
/// Each step is a separate transaction, so a disk that is too full for a snapshot does not affect the turns.
extension Writer {
  /// True if there is maintenance to do now.
  var hasMaintenance: Bool { !isSuspended && (hasChanges || isShrinking) && !isPausing }

  /// True while a snapshot that is being saved leaves the disk to turns and to the copying of the log, which can end only
  /// when it has caught up. During the first copying, its steps take a fifth of the time, because turns that are stored
  /// without a pause are also copied without one.
  private var isPausing: Bool {
    guard job != nil, checkpointer.isBusy else { return false }
    return unfinishedCopies > 0 || monotonicNanoseconds() - lastStep.end < 4 * lastStep.duration
  }

  /// True if the next step of maintenance changes the tables.
  private var hasChanges: Bool { job != nil || !obsolete.isEmpty || isTrimming }

  /// Begins saving a snapshot.
  func beginSaving(_ snapshot: LogSnapshot) throws(LogError) {
    isSuspended = false
    if let job { report(job.snapshot, "a newer snapshot replaced it before it was complete") }
    if let job { obsolete.append(job.row.id) }
    job = nil
    guard snapshot.position <= head.tail.position, snapshot.position >= head.base.position else {
      return report(snapshot, "the journal has the turns from \(head.base.position) to \(head.tail.position)")
    }
    // Turns before a snapshot may be removed, and they may be unreadable when another one is.
    if let error = try writeSessions(upTo: snapshot.position) {
      isSuspended = true
      return onEvent(.snapshotFailed(failure(error)))
    }
    lastSnapshot += 1
    var row = SnapshotRow(id: lastSnapshot, position: snapshot.position, revision: snapshot.revision)
    row.fingerprint = schemas.rows.last?.fingerprint.bytes ?? []
    job = SnapshotJob(snapshot: snapshot, row: row, next: snapshot.makePieces())
  }

  /// Performs one step.
  func maintain() throws(LogError) {
    guard hasMaintenance else { return }
    let start = monotonicNanoseconds()
    defer {
      let end = monotonicNanoseconds()
      lastStep = (end, end - start)
    }
    if hasChanges { try changeTables() }
    guard !isSuspended else { return }
    do throws(SQLiteError) { try shrink() } catch {
      guard error.isFull else { throw failure(error) }
      do throws(SQLiteError) { try undo() } catch { throw failure(error) }
      isSuspended = true
    }
  }

  /// Removes old data and saves a part of the current snapshot, in one transaction.
  private func changeTables() throws(LogError) {
    let (snapshots, job, obsolete) = (snapshots, job, obsolete)
    var saved: SnapshotRow?
    do throws(SQLiteError) {
      try transaction { writer throws(SQLiteError) in
        try writer.removeObsolete()
        try writer.trimTurns()
        saved = try writer.savePieces()
      }
    } catch {
      guard error.isFull else { throw failure(error) }
      // Nothing was committed. The next snapshot causes another attempt.
      do throws(SQLiteError) { try undo() } catch { throw failure(error) }
      (head, self.snapshots, self.obsolete) = (committed, snapshots, obsolete)
      (self.job, isSuspended) = (nil, true)
      if let job {
        self.obsolete.append(job.row.id)
        onEvent(.snapshotFailed(failure(error)))
      }
      return
    }
    if let saved { onEvent(.saved(revision: saved.revision)) }
  }

  /// Writes some pieces of the current snapshot; returns its row when it is complete.
  private func savePieces() throws(SQLiteError) -> SnapshotRow? {
    guard var job else { return nil }
    if job.row.pieceCount == 0 { try snapshotStatements.store(job.row) }
    for _ in 0..<Self.piecesPerStep {
      guard job.row.pieceCount < SnapshotRow.pieceLimit, let piece = job.next(options.pieceBytes) else {
        try snapshotStatements.append(job.snapshot.effects, to: &job.row)
        return try complete(job.row)
      }
      try snapshotStatements.append(piece, to: &job.row)
    }
    self.job = job
    return nil
  }

  /// Marks a snapshot as complete, and all but the newest two as obsolete.
  private func complete(_ row: SnapshotRow) throws(SQLiteError) -> SnapshotRow? {
    job = nil
    guard let (checksum, time) = try place(at: row.position) else {
      obsolete.append(row.id)
      return nil
    }
    var row = row
    (row.turnChecksum, row.time, row.isComplete) = (checksum, time, true)
    try snapshotStatements.store(row)
    snapshots.append(row)
    let place = JournalStatistics.Snapshot(row)
    status.withLock { $0.statistics.snapshot = place }
    head.snapshot = row.id
    while snapshots.count > 2 {
      let old = snapshots.removeFirst()
      try snapshotStatements.remove(old.id)
      obsolete.append(old.id)
    }
    return row
  }

  /// The checksum and the time of a turn; nil if it was trimmed meanwhile.
  private func place(at position: UInt64) throws(SQLiteError) -> (checksum: UInt64, time: Int64)? {
    if position == head.tail.position { return (head.tail.checksum, head.time) }
    if position == head.base.position { return (head.base.checksum, oldestTime ?? head.time) }
    return try retentionStatements.turn(at: position)
  }

  /// Reports a snapshot that was not saved.
  func report(_ snapshot: LogSnapshot, _ reason: String) {
    onEvent(
      .snapshotFailed(
        LogError(
          .storage, "the snapshot of revision \(snapshot.revision) was not saved: \(reason)",
          soundRevision: head.revision)))
  }
}
