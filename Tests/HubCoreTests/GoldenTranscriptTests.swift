import ComposableArchitecture
import Features
import HubCore
import Testing
import TurnLog
import Wire

/// Repeats the conversations in `Tests/Golden` with the current hub.
@Suite struct GoldenTranscriptTests {
  private static let fact = "2 is the only even prime."

  @Test func aSession() throws {
    let golden = GoldenTranscript("A session from hello to goodbye")
    golden.remark("The hello: protocol versions 1 to 1, no session to resume.")
    let client = golden.connect("A")
    try golden.send(Hello(name: "example"), on: client)
    try golden.turn()

    golden.remark(
      "The whole state is followed; it comes as a snapshot of one piece, which flag 1 says is the last one.")
    try golden.send(Attach(), on: client)
    try golden.turn()

    golden.remark("Two actions, numbered 1 and 2. One delta and one acknowledgement for both, the state first.")
    try golden.send([.counter(.incrementButtonTapped), .counter(.incrementButtonTapped)], from: 1, on: client)
    try golden.turn()

    golden.remark("The outcomes of 1 and 2 are known: the next frame of actions says so.")
    try golden.send([.counter(.numberFactButtonTapped)], from: 3, acknowledged: 2, on: client)
    try golden.turn()

    golden.remark(
      "What the hub does by itself comes as a delta alone. An optional that is set is an array of one value.")
    golden.hubActs(.counter(.numberFactResponse(.success(Self.fact))))
    try golden.turn()
    golden.hubActs(.counter(.numberFactResponse(.failure(NumberFactError(message: "No network")))))
    try golden.turn()

    golden.remark("A change inside of an optional is a map with the key 0; here the title of the alert that is shown.")
    golden.hubActs(.counter(.numberFactResponse(.failure(NumberFactError(message: "Still no network")))))
    try golden.turn()
    golden.remark("An optional that is unset is null.")
    try golden.send([.counter(.factAlertDismissed)], from: 4, acknowledged: 3, on: client)
    try golden.turn()

    golden.remark("An action that changes nothing: no delta, and the acknowledgement tells the revision.")
    try golden.send([.counter(.factAlertDismissed)], from: 5, acknowledged: 4, on: client)
    try golden.turn()

    golden.remark("Number 6 is not an action of the feature: it is refused, and 7 takes effect.")
    try golden.send(.actions, on: client) { encoder in
      encoder.unsigned(6)
      encoder.unsigned(5)
      encoder.enumCase(0, payloadCount: 1)
      encoder.enumCase(99)
      Action.counter(.decrementButtonTapped).encode(to: &encoder)
    }
    try golden.turn()

    golden.remark(
      "Two things to do: the list as a whole is shorter than its change. Then the text of one changes.")
    try golden.send(
      [.todos(.addButtonTapped(text: "bread")), .todos(.addButtonTapped(text: "milk"))], from: 8, acknowledged: 7,
      on: client)
    try golden.turn()
    try golden.send(
      [.todos(.todos(.element(id: 0, action: .textChanged("rye bread"))))], from: 10, acknowledged: 9, on: client)
    try golden.turn()

    golden.remark("What lies over a screen is state: the list of favourites is opened, with the one that there is.")
    try golden.send(
      [.favourites(.view(.favouriteButtonTapped)), .favourites(.view(.favouritesButtonTapped))], from: 11,
      acknowledged: 10, on: client)
    try golden.turn()
    try golden.send([.favourites(.destination(.dismiss))], from: 13, acknowledged: 12, on: client)
    try golden.turn()

    golden.remark("Two pings before the hub's turn ends: one pong, for the last.")
    try golden.send(Ping(number: 1), on: client)
    try golden.send(Ping(number: 2), on: client)
    try golden.turn()

    golden.remark("A second client, which ends its session: nothing of it is remembered.")
    let other = golden.connect("B")
    try golden.send(Hello(name: "other"), on: other)
    try golden.turn()
    try golden.send(.leave, on: other)
    try golden.turn()

    golden.remark("The hash of the whole state, as the client has it.")
    try golden.send(.verify, on: client)
    try golden.turn()

    golden.remark("The hub stops.")
    golden.shutDown("the hub is shutting down")
    try golden.turn()
    try golden.check("session")
  }

  @Test func cancelledEffects() throws {
    let golden = GoldenTranscript("Effects that a client cancels, also after a cut")
    let first = golden.connect("A")
    try golden.send(Hello(name: "example"), on: first)
    try golden.turn()
    let session = try #require(golden.session)
    golden.remark(
      "Numbers 1 and 3 begin effects. Flag 2 says that the client may cancel them. The pong proves that the hub has read "
        + "the frames before the ping.")
    try golden.send(
      [.counter(.numberFactButtonTapped), .counter(.incrementButtonTapped), .counter(.toggleTimerButtonTapped)],
      from: 1, mayCancel: true, on: first)
    try golden.send(.cancel, on: first) { $0.unsigned(1) }
    try golden.send(Ping(number: 1), on: first)
    try golden.turn()

    golden.remark("A number that has no effects any more, and one that was never sent, are no errors.")
    try golden.send(.cancel, on: first) { $0.unsigned(1) }
    try golden.send(.cancel, on: first) { $0.unsigned(99) }
    try golden.turn()

    golden.remark(
      "The connection is cut before the hub has read that 3 is cancelled, and 4 with its cancellation. In the resumed "
        + "session the client sends the action again, then both cancellations, and a ping.")
    golden.cut(first)
    try golden.turn()
    let second = golden.connect("B")
    try golden.send(Hello(session: session, acknowledged: 3, name: "example"), on: second)
    try golden.turn()
    try golden.send([.counter(.numberFactButtonTapped)], from: 4, acknowledged: 3, mayCancel: true, on: second)
    for number: UInt64 in 3...4 { try golden.send(.cancel, on: second) { $0.unsigned(number) } }
    try golden.send(Ping(number: 1), on: second)
    try golden.turn()

    golden.remark("Effects end with the hub's process. The next one says so: up to number 4, it holds no effects.")
    golden.cut(second)
    golden.restart([LoggedSession(id: session, user: 1000, process: 1, name: "example", processed: 4)])
    let third = golden.connect("C")
    try golden.send(Hello(session: session, acknowledged: 4, name: "example"), on: third)
    try golden.turn()
    try golden.check("cancel")
  }

  @Test func aResumedSession() throws {
    let golden = GoldenTranscript("A session that is resumed after a cut")
    golden.remark("Another client follows all the time.")
    let other = golden.connect("B")
    try golden.send(Hello(name: "other"), on: other)
    try golden.send(Attach(), on: other)
    try golden.turn()

    let first = golden.connect("A")
    try golden.send(Hello(name: "example"), on: first)
    try golden.send(Attach(), on: first)
    try golden.turn()
    let session = try #require(golden.session)

    golden.remark(
      "Number 1 is answered. Of 2 and 3, and of 2's refusal, the client learns nothing: the connection is cut.")
    try golden.send([.counter(.incrementButtonTapped)], from: 1, on: first)
    try golden.turn()
    try golden.send(.actions, on: first) { encoder in
      encoder.unsigned(2)
      encoder.unsigned(1)
      encoder.enumCase(0, payloadCount: 1)
      encoder.enumCase(99)
      Action.counter(.incrementButtonTapped).encode(to: &encoder)
    }
    golden.cut(first)
    try golden.turn()

    golden.remark("The session is resumed: 3 is the highest number processed. The refusal of 2 is told again, then 3.")
    let second = golden.connect("C")
    try golden.send(Hello(session: session, acknowledged: 1, name: "example"), on: second)
    try golden.turn()

    golden.remark(
      "The client holds revision 1, the last that this session was told: the hub has kept that version, and one delta follows."
    )
    try golden.send(Attach(knownRevision: 1), on: second)
    try golden.turn()

    golden.remark("The client repeats 3, which is passed over, and sends 4, which takes effect.")
    try golden.send(
      [.counter(.incrementButtonTapped), .counter(.incrementButtonTapped)], from: 3, acknowledged: 3, on: second)
    try golden.turn()

    golden.remark(
      "Another cut. This time the client holds the current revision: nothing is sent until something changes.")
    golden.cut(second)
    try golden.turn()
    let third = golden.connect("D")
    try golden.send(Hello(session: session, acknowledged: 4, name: "example"), on: third)
    try golden.send(Attach(knownRevision: 3), on: third)
    try golden.turn()
    try golden.send([.counter(.decrementButtonTapped)], from: 5, acknowledged: 4, on: third)
    try golden.turn()

    golden.remark("B reads slowly: nothing is sent to it, and then one delta for all that it missed.")
    golden.fill(other)
    for number in 6...7 {
      try golden.send([.counter(.incrementButtonTapped)], from: UInt64(number), acknowledged: 5, on: third)
      try golden.turn()
    }
    golden.drain(other)
    try golden.turn()

    golden.remark("Both have the same state, which has the same hash.")
    try golden.send(.verify, on: third)
    try golden.send(.verify, on: other)
    try golden.turn()

    golden.remark("A session that the hub does not know: a new one begins, and the revision is not believed.")
    let stranger = golden.connect("E")
    try golden.send(Hello(session: SessionID(high: 1, low: 2), acknowledged: 9, name: "stranger"), on: stranger)
    try golden.turn()
    try golden.send(Attach(knownRevision: 4), on: stranger)
    try golden.turn()
    try golden.check("resume")
  }

  @Test func scopes() throws {
    let golden = GoldenTranscript("Parts of the state, several on one connection")
    let client = golden.connect("A")
    try golden.send(Hello(name: "example"), on: client)
    try golden.turn()

    golden.remark(
      "Scope 1 is the count (field 0 of the counter, which is field 0 of the state), scope 2 the title of the alert.")
    golden.remark("There is no alert: the hub says that nothing is at that place.")
    try golden.send(Attach(path: [0, 0]), scope: 1, on: client)
    try golden.send(Attach(path: [0, 4, 0, 0]), scope: 2, on: client)
    try golden.turn()

    golden.remark("A change of the count: its slice of the delta of the whole.")
    try golden.send([.counter(.incrementButtonTapped)], from: 1, on: client)
    try golden.turn()

    golden.remark("An alert comes: a snapshot for reason 3. The count has not changed, so that nothing is sent for it.")
    golden.hubActs(.counter(.numberFactResponse(.failure(NumberFactError(message: "No network")))))
    try golden.turn()
    golden.remark("Another title for the alert that is there.")
    golden.hubActs(.counter(.numberFactResponse(.failure(NumberFactError(message: "Still no network")))))
    try golden.turn()
    golden.remark("The alert is dismissed.")
    try golden.send([.counter(.factAlertDismissed)], from: 2, acknowledged: 1, on: client)
    try golden.turn()

    golden.remark("The base of a delta is the revision that its scope was told last: 1, though the hub is at 4.")
    try golden.send([.counter(.incrementButtonTapped)], from: 3, acknowledged: 2, on: client)
    try golden.turn()

    golden.remark("The hash of what the client has of scope 1.")
    try golden.send(.verify, scope: 1, on: client)
    try golden.turn()

    golden.remark("Scope 1 is followed no longer; its number may be used again once the hub has said so.")
    try golden.send(.detach, scope: 1, on: client)
    try golden.send([.counter(.incrementButtonTapped)], from: 4, acknowledged: 3, on: client)
    try golden.turn()

    golden.remark("The hub's own state under scope 1: who is attached. Another client comes and goes.")
    try golden.send(Attach(root: .hub), scope: 1, on: client)
    try golden.turn()
    let other = golden.connect("B")
    try golden.send(Hello(name: "other"), on: other)
    try golden.turn()
    golden.cut(other)
    try golden.turn()

    golden.remark("What the state and the actions look like.")
    try golden.send(.describe, on: client)
    try golden.turn()
    golden.remark("What the hub's own state looks like: root 1.")
    try golden.send(.describe, scope: 1, on: client)
    try golden.turn()

    golden.remark("The same with the documentation: flag 1, in the request and in the answer.")
    try golden.send(.describe, flags: DocumentedSchema.flag, scope: 1, on: client)
    try golden.turn()

    golden.remark("Nothing is at the place of scope 2: so it is said when it is asked for its hash.")
    try golden.send(.verify, scope: 2, on: client)
    try golden.turn()
    try golden.check("scopes")
  }

  @Test func bookmarks() throws {
    var limits = HubLimits()
    limits.bookmarkInterval = 2
    let golden = GoldenTranscript("Scopes that do not change while the revision grows", limits: limits)
    let client = golden.connect("A")
    try golden.send(Hello(name: "example"), on: client)
    golden.remark(
      "Scope 1 is the list of todos, scope 2 the number fact, scope 3 the title of the alert, which is absent.")
    try golden.send(Attach(path: [1, 0]), scope: 1, on: client)
    try golden.send(Attach(path: [0, 1]), scope: 2, on: client)
    try golden.send(Attach(path: [0, 4, 0, 0]), scope: 3, on: client)
    try golden.turn()
    golden.remark("This hub sends a bookmark every 2 revisions, the one of storehubd every 1024.")
    for number in 1...4 {
      try golden.send([.counter(.incrementButtonTapped)], from: UInt64(number), acknowledged: 0, on: client)
      try golden.turn()
    }
    try golden.check("bookmarks")
  }

  @Test func errors() throws {
    var limits = HubLimits()
    limits.connections = 2
    limits.rejections = 1
    let golden = GoldenTranscript("What ends a connection, one code after another", limits: limits)
    func open(_ name: String) throws -> ConnectionID {
      let client = golden.connect(name)
      try golden.send(Hello(), on: client)
      try golden.turn()
      return client
    }

    golden.remark("1: no version in common.")
    var client = golden.connect("A")
    try golden.send(Hello(oldestVersion: 2, newestVersion: 3), on: client)
    try golden.turn()

    golden.remark("2: a ping that is not a number.")
    client = try open("B")
    try golden.send(.ping, on: client) { $0.null() }
    try golden.turn()

    golden.remark("3: a header that announces 1,048,577 bytes.")
    client = try open("C")
    var header = FrameWriter()
    header.frame(FrameHeader(kind: .actions)) { _ in }
    try golden.send([0x01, 0x00, 0x10, 0x00] + header.bytes.dropFirst(4), on: client)
    try golden.turn()

    golden.remark("4: something before the hello, and a kind that no client sends.")
    client = golden.connect("D")
    try golden.send(Ping(number: 1), on: client)
    try golden.turn()
    client = try open("E")
    try golden.send(Pong(number: 1), on: client)
    try golden.turn()

    golden.remark("5: number 2 before number 1.")
    client = try open("F")
    try golden.send([.counter(.incrementButtonTapped)], from: 2, on: client)
    try golden.turn()

    golden.remark("6: a part that no state of this feature has.")
    client = try open("G")
    try golden.send(Attach(path: [0, 99]), scope: 1, on: client)
    try golden.turn()

    golden.remark("6 again: the ids of todos are integers.")
    client = try open("O")
    try golden.send(Attach(path: [1, 0, .id("a".encoded())]), scope: 1, on: client)
    try golden.turn()

    golden.remark("2 again: a name with a control character.")
    client = golden.connect("P")
    try golden.send(.hello, on: client) { encoder in
      encoder.mapHeader(count: 3)
      for version in [0, 1] as [UInt64] {
        encoder.unsigned(version)
        encoder.unsigned(1)
      }
      encoder.unsigned(4)
      encoder.text("a\u{1b}")
    }
    try golden.turn()

    golden.remark("7: no hello in time.")
    client = golden.connect("H")
    golden.wait(.seconds(5))
    try golden.turn()

    golden.remark("8: this hub serves two connections.")
    let (one, two) = (try open("I"), try open("J"))
    client = golden.connect("K")
    try golden.turn()
    golden.cut(one)
    golden.cut(two)
    try golden.turn()

    golden.remark("9: this hub keeps one refusal.")
    client = try open("L")
    try golden.send(.actions, on: client) { encoder in
      encoder.unsigned(1)
      encoder.unsigned(0)
      encoder.enumCase(99)
      encoder.enumCase(99)
    }
    try golden.turn()

    golden.remark("10: the session goes on elsewhere.")
    client = try open("M")
    let session = try #require(golden.session)
    let heir = golden.connect("N")
    try golden.send(Hello(session: session), on: heir)
    try golden.turn()
    try golden.check("errors")
  }

  @Test func windowsOfACollection() throws {
    let golden = GoldenTranscript("Windows of a collection")
    let client = golden.connect("A")
    golden.remark("Key 11 of the welcome: the hub serves windows, with 4096 elements in all.")
    try golden.send(Hello(name: "example"), on: client)
    try golden.turn()

    let todos = StatePath<AppFeature.State, AppFeature.State>().todos.todos
    golden.remark("Scope 1 is the window with the todos at the positions 1 and 2, scope 2 that with the last one.")
    try golden.send(Attach(path: todos[window: 1..<3].steps), scope: 1, on: client)
    try golden.send(Attach(path: todos[last: 1].steps), scope: 2, on: client)
    try golden.turn()

    golden.remark("Four are added: both windows have elements now, and the number of all.")
    try golden.send(
      ["bread", "milk", "eggs", "salt"].map { .todos(.addButtonTapped(text: $0)) }, from: 1, on: client)
    try golden.turn()
    golden.remark("A change of the first todo is in neither window.")
    try golden.send(
      [.todos(.todos(.element(id: 0, action: .textChanged("rye bread"))))], from: 5, acknowledged: 4, on: client)
    try golden.turn()
    golden.remark("A change within scope 1 names the element by its id.")
    try golden.send(
      [.todos(.todos(.element(id: 2, action: .textChanged("six eggs"))))], from: 6, acknowledged: 5, on: client)
    try golden.turn()
    golden.remark("The first one is deleted: the others move up. The last one stays the last, at another position.")
    try golden.send([.todos(.deleteButtonTapped(id: 0))], from: 7, acknowledged: 6, on: client)
    try golden.turn()

    golden.remark("The window of scope 1 is moved: another one is attached, and the first is detached.")
    try golden.send(.detach, scope: 1, on: client)
    try golden.send(Attach(path: todos[window: 0..<2].steps), scope: 3, on: client)
    try golden.turn()
    golden.remark("The hashes of the windows.")
    try golden.send(.verify, scope: 2, on: client)
    try golden.send(.verify, scope: 3, on: client)
    try golden.turn()
    golden.remark("Nothing is inside a window.")
    try golden.send(Attach(path: todos[last: 1].steps + [2]), scope: 4, on: client)
    try golden.turn()
    try golden.check("windows")
  }
}
