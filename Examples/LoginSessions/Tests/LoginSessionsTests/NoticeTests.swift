import LoginSessions
import Testing

@Suite struct NoticeTests {
  private func notice(_ status: MachineStatus?, failure: String? = nil) -> String {
    var state = MachineMonitor.State()
    (state.status, state.failure) = (status, failure)
    return state.notice
  }

  @Test func itSaysWhatIsKnown() {
    #expect(notice(nil) == "nothing is known yet")
    #expect(notice(nil, failure: "there is no message bus") == "there is no message bus")
    #expect(notice(MachineStatus(sessions: 1)) == "1 session here")
    #expect(notice(MachineStatus(sessions: 2)) == "2 sessions here")
    #expect(notice(MachineStatus(sessions: 2, isShuttingDown: true)) == "this machine is shutting down")
  }
}
