import CFaultVFS
import Journal
import TestSupport
import Testing
import TurnLog

extension VFSTests {
  /// The sharing of commits by clients that wait for acknowledgements.
  @Suite struct CommitGroupTests {
    let scratch = Scratch(isInMemory: true)

    /// A turn with one action.
    private func action(_ position: UInt64) -> LoggedTurn {
      var turn = turn(position)
      (turn.baseRevision, turn.revision, turn.delta) = (position - 1, position, [7])
      return turn
    }

    /// One client sends an action, and seven others send theirs while it is committed. Each sends its next action when
    /// the previous one is stored. A group of one and a group of seven must not take turns forever.
    @Test func clientsInFlightShareOneCommit() throws {
      faultvfs_reset()
      faultvfs_delay_syncs(20_000)
      let opened = try Opened(scratch.path + "/group") { $0.vfs = "fault" }
      opened.journal.append([action(1)])
      for position in 2...8 as ClosedRange<UInt64> { opened.journal.append([action(position)]) }
      var (stored, appended) = (0 as UInt64, 8 as UInt64)
      var (sharedCommits, commits) = (0, 0)
      // A busy machine may be too late with an answer; then the next attempt follows after 64 commits, or more.
      while sharedCommits < 5, commits < 1000 {
        opened.events.waitForStored(stored + 1)
        let latest = opened.events.stored
        sharedCommits = latest - stored == 8 ? sharedCommits + 1 : 0
        for _ in stored..<latest {
          appended += 1
          opened.journal.append([action(appended)])
        }
        (stored, commits) = (latest, commits + 1)
      }
      faultvfs_reset()
      opened.journal.close()
      #expect(sharedCommits == 5)
    }
  }
}
