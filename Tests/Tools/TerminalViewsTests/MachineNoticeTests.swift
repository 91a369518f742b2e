import Features
import Terminal
import TerminalViews
import Testing

@Suite struct MachineNoticeTests {
  private func line(_ status: MachineStatus?, columns: Int = 80) -> String {
    var state = MachineMonitor.State()
    state.status = status
    var grid = TextGrid(rows: 2, columns: columns)
    MachineNotice.draw(state, row: 1, after: 60, on: &grid)
    return grid.lines[1]
  }

  @Test func itSaysLittleAndOnlyWhereThereIsRoom() {
    #expect(line(nil).isEmpty)
    #expect(line(MachineStatus(sessions: 1)).hasSuffix(" 1 session here"))
    #expect(line(MachineStatus(sessions: 2)).hasSuffix(" 2 sessions here"))
    #expect(line(MachineStatus(sessions: 2, isShuttingDown: true), columns: 100).hasSuffix("machine is shutting down"))
    #expect(line(MachineStatus(sessions: 2), columns: 70).isEmpty)
  }
}
