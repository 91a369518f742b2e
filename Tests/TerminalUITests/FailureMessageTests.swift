import TerminalApp
import Testing

@Suite struct FailureMessageTests {
  @Test func waitingIsSuggestedWhereItHelps() {
    #expect(
      failureMessage(
        "cannot connect to /x: no such file or directory (ENOENT). Is a hub running there?", isHubMissing: true)
        == "cannot connect to /x: no such file or directory (ENOENT). Is a hub running there? Use --wait to wait for a hub."
    )
    #expect(failureMessage("it is gone", isHubMissing: true) == "it is gone. Use --wait to wait for a hub.")
  }

  @Test func aHubThatAnsweredIsNotWaitedFor() {
    #expect(
      failureMessage("the hub's state exceeds 1073741824 bytes", isHubMissing: false)
        == "the hub's state exceeds 1073741824 bytes.")
  }
}
