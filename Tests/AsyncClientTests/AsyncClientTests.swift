import AsyncClient
import Features
import Foundation
import IdentifiedCollections
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct AsyncClientTests {
  @Test func anActionIsAppliedAndItsResultArrives() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      try await client.add("milk")
      for await todos in client.values(of: \.todos) {
        #expect(todos.todos.map(\.text) == ["milk"])
        break
      }
      #expect(await client.connection == .live)
      #expect(await client.identity?.session != nil)
      #expect(await client.pendingActionCount == 0)
    }
  }

  @Test func actionsOfOneTaskTakeEffectInTheirOrder() async throws {
    let hub = try TestHub()
    try hub.start()
    let texts = (0..<200).map { "todo \($0)" }
    try await withClient(of: hub) { client in
      var sent: [SentAction] = []
      for text in texts { sent.append(try await client.begin(.todos(.addButtonTapped(text: text)))) }
      for action in sent { try await action.applied() }
      #expect(try await client.texts() == texts)
    }
  }

  @Test func aRejectionIsATypedError() async throws {
    let hub = try TestHub()
    let configuration = hub.directory + "/hub.conf"
    try "[user \(getuid())]\nread = counter\nact = counter.incrementButtonTapped\n"
      .write(toFile: configuration, atomically: true, encoding: .utf8)
    try hub.start(["--config", configuration])
    try await withClient(of: hub) { client in
      try await client.send(.counter(.incrementButtonTapped))
      let error = await #expect(throws: ActionError.self) { try await client.add("milk") }
      guard case .rejected(let code, let reason)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(code == RejectionCode.notPermitted.rawValue && reason.contains("todos"), "\(reason)")
    }
  }

  // MARK: Parts

  @Test func anAbsentPartIsReportedAndSkippedByValues() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      var updates = client.updates(of: { $0.todos.todos[id: 0].text }).makeAsyncIterator()
      #expect(await updates.next()?.value == .some(nil))
      async let first = firstValue(of: client.values(of: { $0.todos.todos[id: 0].text }))
      try await client.add("milk")
      #expect(await updates.next()?.value == "milk")
      #expect(await first == "milk")
      try await client.send(.todos(.deleteButtonTapped(id: 0)))
      #expect(await updates.next()?.value == .some(nil))
    }
  }

  @Test func aViewIsIteratedLikeAPart() async throws {
    let hub = try TestHub()
    try hub.start()
    let active = ViewName<IdentifiedArrayOf<Todo.State>>("active")
    try await withClient(of: hub) { client in
      for text in ["milk", "oats"] { try await client.add(text) }
      var window = client.updates(of: active, at: { $0[window: 0..<1] }).makeAsyncIterator()
      #expect(await window.next()?.value?.count == 2)
      try await client.send(.todos(.deleteButtonTapped(id: 0)))
      for await todos in client.values(of: active) {
        #expect(todos.map(\.text) == ["oats"])
        break
      }
      var missing = client.updates(of: ViewName<Int>("missing")).makeAsyncIterator()
      #expect(await missing.next()?.refusal?.contains("declares no view 'missing'") == true)
    }
  }

  /// A hub lets a connection attach sixteen views.
  @Test func theSeventeenthViewIsRefusedAndTheOthersGoOn() async throws {
    let hub = try TestHub()
    try hub.start()
    let active = ViewName<IdentifiedArrayOf<Todo.State>>("active")
    try await withClient(of: hub) { client in
      try await client.add("milk")
      var pages = (0..<16).map { page in
        client.updates(of: active, at: { $0[window: page..<page + 1] }).makeAsyncIterator()
      }
      for index in pages.indices {
        let page = await pages[index].next()
        #expect(page?.value?.count == 1 && page?.refusal == nil && page?.refusalCode == nil)
      }
      for await page in client.updates(of: active, at: { $0[window: 16..<17] }) where page.refusalCode != nil {
        #expect(page.value == nil && page.refusalCode == .tooManyScopes)
        #expect(page.refusal?.contains("16 views; detach one first, or raise the limit 'views'") == true)
        break
      }
      #expect(await client.connection == .live)
      try await client.add("oats")
      #expect(await pages[1].next()?.value?.elements.map(\.text) == ["oats"])
    }
  }

  @Test func severalIterationsShareASubscription() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      var one = client.updates(of: \.counter.count).makeAsyncIterator()
      var other = client.updates(of: \.counter.count).makeAsyncIterator()
      #expect(await one.next()?.value == 0)
      #expect(await other.next()?.value == 0)
      for await update in client.hubUpdates(of: \.attendees) {
        // This part is one, the counter the other.
        #expect(update.value?.first?.parts.count == 2)
        break
      }
    }
  }

  @Test func aSlowIterationGetsTheNewestValueAndNothingBetween() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      var counts = client.updates(of: \.counter.count).makeAsyncIterator()
      #expect(await counts.next()?.value == 0)
      for _ in 0..<500 { _ = try await client.begin(.counter(.incrementButtonTapped)) }
      try await client.send(.counter(.incrementButtonTapped))
      // The result of an action has arrived when the action is acknowledged.
      #expect(await counts.next()?.value == 501)
      async let next = counts.next()
      try await client.send(.counter(.decrementButtonTapped))
      #expect(await next?.value == 500)
    }
  }

  // MARK: Cancellation

  @Test func aCancelledIterationEndsAndUnsubscribes() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      var attendees = client.hubUpdates(of: \.attendees).makeAsyncIterator()
      let watching = Task {
        var seen: [Int] = []
        for await count in client.values(of: \.counter.count) { seen.append(count) }
        return seen
      }
      while let update = await attendees.next(), update.value?.first?.parts.count != 2 {}
      watching.cancel()
      #expect(await watching.value == [0])
      while let update = await attendees.next(), update.value?.first?.parts.count != 1 {}
    }
  }

  @Test func anIterationThatEndsBeforeItBeganLeavesNoSubscription() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      var attendees = client.hubUpdates(of: \.attendees).makeAsyncIterator()
      for _ in 0..<100 { _ = client.updates(of: \.counter.count).makeAsyncIterator() }
      // The hub has the requests of both before the action.
      try await client.send(.counter(.incrementButtonTapped))
      #expect(await attendees.next()?.value?.first?.parts.count == 1)
    }
  }

  @Test func aCancelledSendIsNotTakenBackOnceItIsSent() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      try await client.add("first")
      hub.halt()
      let sending = Task { try await client.add("second") }
      while await client.pendingActionCount == 0 { await Task.yield() }
      sending.cancel()
      await #expect(throws: CancellationError.self) { try await sending.value }
      hub.resume()
      try await client.add("third")
      #expect(try await client.texts() == ["first", "second", "third"])
    }
  }

  @Test func aSenderWaitsForRoomAndItsCancellationTakesItsActionBack() async throws {
    let hub = try TestHub()
    let client = hub.client(pendingActions: 2)
    // There is no hub yet, so all actions wait.
    _ = try await client.begin(.todos(.addButtonTapped(text: "1")))
    _ = try await client.begin(.todos(.addButtonTapped(text: "2")))
    let waiting = (3...6).map { number in
      Task { try await client.begin(.todos(.addButtonTapped(text: "\(number)"))) }
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(await client.pendingActionCount == 2)
    waiting[1].cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting[1].value }
    try hub.start()
    try await withClient(of: hub, client) { client in
      for index in [0, 2, 3] { try await waiting[index].value.applied() }
      #expect(Set(try await client.texts()) == ["1", "2", "3", "5", "6"])
    }
  }

  @Test func pendingActionsAreBoundedByTheirBytes() async throws {
    let hub = try TestHub()
    let client = hub.client(pendingBytes: 1000)
    let text = String(repeating: "x", count: 600)
    _ = try await client.begin(.todos(.addButtonTapped(text: text)))
    _ = try await client.begin(.todos(.addButtonTapped(text: text)))
    let third = Task { try await client.begin(.todos(.addButtonTapped(text: text))) }
    for _ in 0..<100 { await Task.yield() }
    #expect(await client.pendingActionCount == 2)
    try hub.start()
    try await withClient(of: hub, client) { client in
      try await third.value.applied()
      #expect(try await client.texts().count == 3)
    }
  }

  @Test func anActionThatIsRefusedLeavesItsRoomToTheNext() async throws {
    let hub = try TestHub()
    let client = hub.client(pendingActions: 1)
    _ = try await client.begin(.todos(.addButtonTapped(text: "1")))
    let tooLarge = Task { try await client.add(String(repeating: "x", count: 2 << 20)) }
    for _ in 0..<100 { await Task.yield() }
    let next = Task { try await client.add("2") }
    for _ in 0..<100 { await Task.yield() }
    try hub.start()
    try await withClient(of: hub, client) { client in
      await #expect(throws: ActionError.self) { try await tooLarge.value }
      try await next.value
      #expect(try await client.texts() == ["1", "2"])
    }
  }

  // MARK: The end

  @Test func cancellingRunWaitsForTheOutcomesOfWhatWasSent() async throws {
    let hub = try TestHub()
    try hub.start()
    let client = hub.client()
    let running = Task { try await client.run(grace: .seconds(120)) }
    try await client.add("first")
    hub.halt()
    let sent = try await client.begin(.todos(.addButtonTapped(text: "last")))
    running.cancel()
    await #expect(throws: ActionError.notConnected(reason: "the client is ending")) {
      // The cancellation arrives at the client soon.
      while true {
        _ = try await client.begin(.counter(.incrementButtonTapped))
        await Task.yield()
      }
    }
    hub.resume()
    try await sent.applied()
    try await running.value
    #expect(await client.connection == .closed)
    #expect(try await withClient(of: hub) { try await $0.texts() } == ["first", "last"])
  }

  @Test func withoutAHubTheEndIsAtTheTimeOfGrace() async throws {
    let hub = try TestHub()
    let client = hub.client()
    let running = Task { try await client.run(grace: .milliseconds(50)) }
    let sent = try await client.begin(.counter(.incrementButtonTapped))
    running.cancel()
    try await running.value
    await #expect(throws: ActionError.notConnected(reason: "the client is closed")) { try await sent.applied() }
    await #expect(throws: ActionError.self) { try await client.add("late") }
    for await _ in client.values(of: \.counter.count) { Issue.record("a client that has ended has no values") }
    await #expect(throws: ActionError.self) { _ = try await client.value(of: \.counter.count) }
  }

  @Test func anIterationEndsWithTheClient() async throws {
    let hub = try TestHub()
    try hub.start()
    let client = hub.client()
    let running = Task { try await client.run() }
    let watching = Task { for await _ in client.values(of: \.counter) {} }
    let states = Task { await client.connections.reduce(into: []) { $0.append($1) } }
    try await client.send(.counter(.incrementButtonTapped))
    running.cancel()
    try await running.value
    await watching.value
    #expect(await states.value.last == .closed)
  }

  // MARK: Lost connections

  @Test(arguments: [SIGTERM, SIGKILL])
  func actionsTakeEffectOnceOverRestarts(signal: Int32) async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      var expected: [String] = []
      for round in 0..<4 {
        var sent: [SentAction] = []
        for number in 0..<25 {
          let text = "\(round).\(number)"
          sent.append(try await client.begin(.todos(.addButtonTapped(text: text))))
          expected.append(text)
        }
        hub.stop(signal)
        try hub.start()
        for action in sent { try await action.applied() }
      }
      #expect(try await client.texts() == expected)
    }
  }

  @Test func aLostConnectionIsReportedAndTheValueStays() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      try await client.add("milk")
      var texts = client.updates(of: \.todos.todos).makeAsyncIterator()
      #expect(await texts.next()?.value?.map(\.text) == ["milk"])
      hub.stop(SIGKILL)
      for await state in client.connections {
        if case .stale = state { break }
      }
      #expect(try await client.texts() == ["milk"])
      try hub.start()
      for await state in client.connections where state == .live { break }
      try await client.add("bread")
      #expect(await texts.next()?.value?.map(\.text) == ["milk", "bread"])
    }
  }

  @Test func aHubThatHangsIsNoticed() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub, hub.client(timeout: .seconds(1))) { client in
      try await client.add("milk")
      hub.halt()
      let sent = try await client.begin(.todos(.addButtonTapped(text: "bread")))
      for await state in client.connections {
        if case .stale(_, _, let reason) = state, reason.contains("not answered") { break }
      }
      hub.resume()
      try await sent.applied()
      #expect(try await client.texts() == ["milk", "bread"])
    }
  }

  @Test func aHubOfAnotherFeatureIsRefused() async throws {
    let hub = try TestHub()
    try hub.start()
    let client = AsyncClient<Todo.State, AppFeature.Action>(path: hub.path)
    let error = await #expect(throws: HubRefusal.self) { try await client.run() }
    #expect(error?.isOfOtherFeature == true)
    await #expect(throws: ActionError.self) { try await client.send(.counter(.incrementButtonTapped)) }
  }

  // MARK: Large output

  @Test func aFullSocketKeepsTheOrder() async throws {
    let hub = try TestHub()
    try hub.start()
    try await withClient(of: hub) { client in
      try await client.add("0")
      hub.halt()
      // More than the buffers of a socket hold.
      let text = String(repeating: "x", count: 10_000)
      var sent: [SentAction] = []
      for number in 1...100 { sent.append(try await client.begin(.todos(.addButtonTapped(text: "\(number) \(text)")))) }
      hub.resume()
      for action in sent { try await action.applied() }
      #expect(try await client.texts().map { String($0.prefix { $0 != " " }) } == (0...100).map { "\($0)" })
    }
  }

  private func firstValue<Values: AsyncSequence>(of values: Values) async -> Values.Element?
  where Values.Failure == Never {
    for await value in values { return value }
    return nil
  }
}
