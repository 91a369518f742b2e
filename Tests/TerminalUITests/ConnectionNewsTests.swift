import TerminalApp
import Testing

@Suite struct ConnectionNewsTests {
  private func changed(
    _ news: inout ConnectionNews, _ connection: ConnectionState, goodbye: String? = nil, hasContent: Bool = true,
    lossCount: Int = 0
  ) -> [ConnectionNews.Item] {
    news.changed(connection, goodbye: goodbye, isHubMissing: true, hasContent: hasContent, lossCount: lossCount)
  }

  @Test func aLostConnectionIsReportedOnce() {
    var news = ConnectionNews(waitsForHub: false)
    #expect(changed(&news, .live) == [])
    let lost = ConnectionState.stale(since: .zero, attempt: 1, reason: "it crashed")
    #expect(changed(&news, lost) == [.say("the connection to the hub was lost: it crashed", isBad: true)])
    #expect(changed(&news, .stale(since: .zero, attempt: 2, reason: "it crashed")) == [])
    #expect(changed(&news, .live) == [.say("the hub is back", isBad: false)])
    #expect(changed(&news, lost, goodbye: "it stops") == [.say("it stops", isBad: false)])
  }

  @Test func aLossOfStateIsReported() {
    var news = ConnectionNews(waitsForHub: false)
    #expect(
      changed(&news, .live, lossCount: 1)
        == [.say("the hub came back without its last state: this is what it has now", isBad: true)])
    #expect(changed(&news, .live, lossCount: 1) == [])
  }

  @Test func aProgramThatDoesNotWaitEndsWithoutAHub() {
    let failure = ConnectionState.connecting(attempt: 1, failure: "no such file")
    var news = ConnectionNews(waitsForHub: false)
    #expect(changed(&news, failure, hasContent: false) == [.end("no such file. Use --wait to wait for a hub.")])
    var waiting = ConnectionNews(waitsForHub: true)
    #expect(changed(&waiting, failure, hasContent: false) == [])
    #expect(changed(&waiting, .refused(reason: "another version")) == [.end("another version")])
  }

  @Test func pendingActionsAtTheEndAreAFailure() {
    #expect(ConnectionNews.unacknowledged(0) == nil)
    #expect(ConnectionNews.unacknowledged(2) == "the hub has not acknowledged 2 actions, which may be lost")
  }

  @Test func aTerminalSaysWhyItWaits() {
    func text(_ connection: ConnectionState, loaded: Int = 0) -> [String] {
      let text = WaitingText(connection, loadedByteCount: loaded, path: "/run/hub.sock", of: "the jobs")
      return [text.title, text.detail]
    }
    #expect(text(.connecting(attempt: 0, failure: nil)) == ["connecting to the hub …", "/run/hub.sock"])
    #expect(text(.connecting(attempt: 2, failure: "no hub")) == ["waiting for the hub", "no hub"])
    #expect(text(.live) == ["loading the jobs …", ""])
    #expect(text(.connecting(attempt: 1, failure: nil), loaded: 12_345_678) == ["loading the jobs …", "12.3 MB"])
  }

  @Test func theBarShowsTheConnectionInTheFormThatFits() {
    func line(
      _ columns: Int, _ connection: ConnectionState, goodbye: String? = nil, staleSince: Duration? = nil
    ) -> String {
      var grid = TextGrid(rows: 1, columns: columns)
      var text = ConnectionText("queue", path: "/run/queue/hub.sock", connection: connection, now: .seconds(65))
      (text.goodbye, text.hubStaleSince, text.pendingCount) = (goodbye, staleSince, 2)
      text.draw(0, on: &grid)
      return grid.lines[0]
    }
    #expect(line(80, .live) == "queue  /run/queue/hub.sock  live, 2 pending")
    #expect(line(20, .live) == "live, 2 pending")
    // The hub is there, but its cluster is not.
    let waiting = "queue  hub waits for its cluster, this may be 5 s old, 2 pending"
    #expect(line(80, .live, staleSince: .seconds(60)) == waiting)
    #expect(line(24, .live, staleSince: .seconds(60)) == "queue  hub waits 5 s")
    let stale = ConnectionState.stale(since: .seconds(60), attempt: 3, reason: "")
    #expect(line(80, stale) == "queue  hub away, this is 5 s old, 2 pending; reconnecting, attempt 3")
    #expect(line(40, stale, goodbye: "bye") == "queue  hub stopped 5 s")
  }
}
