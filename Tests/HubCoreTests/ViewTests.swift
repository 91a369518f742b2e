import ComposableArchitecture
import IdentifiedCollections
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import HubCore

/// Views that a feature declares: when they are computed, and what their subscribers are sent.
@Suite struct ViewTests {
  private typealias Frame = ViewHub.Frame

  @Test func aViewIsSentAloneAndThenItsChanges() throws {
    let hub = ViewHub()
    let (sender, welcome) = try hub.open()
    #expect(welcome.views == ViewHub.schema.fingerprint)
    hub.send(.add(owner: 1, title: "a"), .add(owner: 2, title: "b"), on: sender)
    hub.turn()
    let (client, _) = try hub.open()
    let frames = try hub.attach("counts", scope: 3, on: client)
    #expect(frames.map(\.kind) == [.snapshot] && frames[0].scope == 3 && frames[0].revision == 2)
    let counts: Chores.Counts = try frames[0].value()
    #expect(counts.open == 2 && counts.all == 2)
    hub.send(.setDone(1, true), on: sender)
    let changes = hub.turn(client)
    #expect(changes.map(\.kind) == [.delta] && changes[0].revision == 3)
    #expect(try changes[0].text == "[2, {0: 1}]")
    // The title is read, but the numbers are the same.
    hub.send(.setTitle(1, "c"), on: sender)
    #expect(hub.turn(client).isEmpty)
    hub.send(.setDone(2, true), on: sender)
    #expect(try hub.turn(client).map { try $0.text } == ["[3, {0: 0}]"])
  }

  /// A value that a client cannot read would end its connection.
  @Test func aTypeThatClientsMayBeUnableToReadIsNamedWithTheReason() async {
    let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = StateView<Chores.State>("threads") { _ in Remark() }
    }
    #expect(Self.text(nested).contains("'threads': its type Remark contains itself; give the view a type of its own"))
    let raw = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = StateView<Chores.State>("names") { _ in [Nickname()] }
    }
    #expect(Self.text(raw).contains("such as a URL, a Decimal, or a struct with a raw value; give"))
    let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = StateView<Chores.State>("weights") { _ in [1.5: 1] }
    }
    #expect(Self.text(key).contains("a number that may be NaN in a key"))
  }

  private static func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Replicated
  struct Remark: Equatable, Sendable {
    var text = ""
    var answers: [Remark] = []
  }

  struct Nickname: RawRepresentable, Replicated, Equatable, Sendable {
    var rawValue = ""
  }

  @Test func aViewIsComputedOnceForAllSubscribersAndOnlyIfItsInputChanges() throws {
    let hub = ViewHub()
    let clients = try (0..<5).map { _ in try hub.open().0 }
    for client in clients {
      try hub.attach("counts", on: client)
    }
    #expect(hub.takeComputed() == ["counts": 1])
    hub.send(.add(owner: 1, title: "a"), on: clients[0])
    hub.turn()
    #expect(hub.takeComputed() == ["counts": 1])
    // Not what the view reads.
    hub.send(.setNote("x"), on: clients[0])
    hub.turn()
    #expect(hub.takeComputed().isEmpty)
    // Several actions in one turn.
    hub.send(.add(owner: 1, title: "a"), .add(owner: 1, title: "b"), .setDone(1, true), on: clients[0])
    hub.turn()
    #expect(hub.takeComputed() == ["counts": 1])
    for client in clients { hub.frame(FrameHeader(kind: .detach), on: client) }
    hub.turn()
    hub.send(.add(owner: 1, title: "a"), on: clients[0])
    hub.turn()
    #expect(hub.takeComputed().isEmpty)
  }

  @Test func theChangeIsEncodedOnceForAllSubscribers() throws {
    let hub = ViewHub()
    let clients = try (0..<5).map { _ in try hub.open().0 }
    for client in clients { try hub.attach("open", on: client) }
    let (sender, _) = try hub.open()
    hub.send(.add(owner: 1, title: "a title that is longer than the frames' heads"), on: sender)
    hub.core.endTurn(at: hub.now)
    var slices: Set<Range<Int>> = []
    for case .write(let id, let run) in hub.core.commands where clients.contains(id) {
      slices.formUnion(hub.core.ranges[run].filter { $0.count > 40 })
    }
    #expect(slices.count == 1)
  }

  @Test func aViewOfTheWholeStateIsComputedAfterEveryChange() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    #expect(try hub.attach("summary", on: client)[0].value(String.self) == ": 0")
    hub.send(.setNote("x"), on: client)
    #expect(try hub.turn(client).first?.text == #"[0, "x: 0"]"#)
    hub.send(.setNote("x"), on: client)
    #expect(hub.turn(client).map(\.kind) == [.applied])
  }

  @Test func partsAndWindowsOfAViewAreAttachedLikeThoseOfTheState() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    for index in 0..<10 { hub.send(.add(owner: 1, title: "\(index)"), on: client) }
    hub.send(.setDone(2, true), on: client)
    hub.turn()
    _ = hub.taken(client)
    #expect(try hub.attach("counts.open", scope: 1, on: client)[0].value(Int.self) == 9)
    let window: Window<IdentifiedArrayOf<Chores.Chore>> = try hub.attach("open[0..<2]", scope: 2, on: client)[0].value()
    #expect(window.count == 9 && window.elements.map(\.id) == [1, 3])
    #expect(try hub.attach("open[4].title", scope: 3, on: client)[0].value(String.self) == "3")
    hub.send(.setDone(1, true), on: client)
    let frames = hub.turn(client)
    #expect(Set(frames.map(\.scope)) == [0, 1, 2] && frames.last?.kind == .applied)
    // An element that leaves the view is absent there.
    hub.send(.setDone(4, true), on: client)
    #expect(hub.turn(client).first { $0.scope == 3 }?.kind == .absent)
  }

  @Test func distinctParametersHaveDistinctValues() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    hub.send(.add(owner: 1, title: "a"), .add(owner: 2, title: "b"), on: client)
    hub.turn(client)
    let choices = [Chores.Choice(owner: 1, isDone: false), Chores.Choice(owner: 2, isDone: false)]
    func path(_ choice: Chores.Choice) throws -> [PathStep] {
      try ViewHub.schema.path(of: ViewReference(name: "chosen", parameter: choice.encoded()))
    }
    for (scope, choice) in (choices + choices).enumerated() {
      hub.send(Attach(root: .views, path: try path(choice)), scope: UInt16(scope), on: client)
    }
    let titles = try hub.turn(client).map { try $0.value(IdentifiedArrayOf<Chores.Chore>.self).map(\.title) }
    #expect(titles == [["a"], ["b"], ["a"], ["b"]])
    #expect(hub.takeComputed() == ["chosen": 2])
    hub.send(.setTitle(2, "c"), on: client)
    #expect(Set(hub.turn(client).filter { $0.kind == .delta }.map(\.scope)) == [1, 3])
  }

  @Test func aSessionContinuesWithTheChangesOfItsViews() throws {
    let hub = ViewHub()
    let (sender, _) = try hub.open()
    hub.send(.add(owner: 1, title: "a"), on: sender)
    hub.turn()
    let (client, welcome) = try hub.open()
    try hub.attach("counts", on: client)
    hub.core.ended(client)
    hub.send(.add(owner: 1, title: "b"), on: sender)
    hub.turn()
    // Nobody has attached it, so it is not computed, but the client's version is kept.
    #expect(hub.takeComputed() == ["counts": 1])
    let (again, resumed) = try hub.open(session: welcome.session, history: welcome.history)
    #expect(resumed.isResumed)
    let frames = try hub.attach("counts", scope: 9, known: 1, on: again)
    #expect(try frames.map { try $0.text } == ["[1, {0: 2, 1: 2}]"])
  }

  @Test func aClientWithoutAKeptVersionGetsASnapshot() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    let frames = try hub.attach("counts", known: 0, on: client)
    #expect(frames.map(\.kind) == [.snapshot])
    let payload = frames[0].payload
    let piece = try SnapshotPiece(CBORDecoder(payload.span.bytes))
    #expect(piece.reason == .versionNotKept)
  }

  @Test func theHashIsThatOfTheView() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    hub.send(.add(owner: 1, title: "a"), on: client)
    try hub.attach("open", on: client)
    hub.frame(FrameHeader(kind: .verify), on: client)
    let frame = try #require(hub.turn(client).first)
    let value = IdentifiedArrayOf<Chores.Chore>(uniqueElements: [Chores.Chore(id: 1, owner: 1, title: "a")])
    #expect(try StateHash(decoding: frame.payload.span.bytes) == value.stateHash())
  }

  @Test func theSchemaOfTheViewsIsSentOnRequest() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    hub.frame(FrameHeader(kind: .describe, scope: 3), on: client)
    let frame = try #require(hub.turn(client).first)
    #expect(frame.kind == .schema && frame.scope == 3)
    #expect(try Schema(decoding: frame.payload.span.bytes) == ViewHub.schema)
    hub.frame(FrameHeader(kind: .describe, flags: DocumentedSchema.flag, scope: 3), on: client)
    let payload = try #require(hub.turn(client).first).payload
    let documented = try DocumentedSchema(decoding: payload.span.bytes)
    let counts = try #require(ViewHub.schema.definitions.firstIndex { $0.name.hasSuffix("Counts") })
    #expect(documented.documentation.text(of: counts) == "The numbers of chores.")
  }

  @Test func aHubWithoutViewsSaysNothingOfThem() throws {
    let hub = BoardHub()
    let (client, welcome) = try hub.open()
    #expect(welcome.views == nil)
    hub.send(Attach(root: .views, path: [0]), on: client)
    #expect(try hub.turn(client).map { try $0.errorCode } == [.unknownScope])
  }

  @Test func theListOfClientsAndTheMetricsNameViews() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    try hub.attach("counts.open", on: client)
    hub.send(Attach(root: .hub), scope: 1, on: client)
    hub.send(Attach(root: .metrics), scope: 2, on: client)
    let frames = hub.turn(client)
    let clients: HubState = try #require(frames.first { $0.scope == 1 }).value()
    let metrics: HubMetrics = try #require(frames.first { $0.scope == 2 }).value()
    #expect(clients.attendees.first?.parts.first == AttachedPart(root: 3, path: "counts.open"))
    #expect(metrics.places.contains(SubscribedPlace(root: 3, path: "counts.open", subscribers: 1)))
  }

  // MARK: Limits

  @Test(arguments: ["chosen", "chosen[0..<2]"]) func aRefusedAttachSaysWhy(_ view: String) throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    let frames = try hub.attach(view, on: client)
    #expect(frames.map(\.kind) == [.absent, .detached] && hub.closed.isEmpty)
    #expect(try frames[0].refusal.contains("name one, as in view:chosen[PARAMETER]"))
  }

  @Test func aWindowThatIsTooLargeIsRefusedAlone() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    let frames = try hub.attach("open[0..<5000]", on: client)
    #expect(frames.map(\.kind) == [.absent, .detached])
    #expect(try frames[1].refusalCode == .tooManyScopes)
    #expect(try hub.attach("open[0..<50]", on: client).map(\.kind) == [.snapshot])
  }

  @Test func theViewsAreNotAttachedAsAWhole() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    hub.send(Attach(root: .views), on: client)
    #expect(try hub.turn(client).map { try $0.errorCode } == [.unknownScope])
  }

  @Test func aLongParameterIsRefusedAlone() throws {
    let hub = ViewHub(
      views: StateViews {
        StateView("echo", of: \.note, parameter: String.self) { $0 + $1 }
      })
    let (client, _) = try hub.open()
    let parameter = String(repeating: "x", count: 2_000).encoded()
    hub.send(Attach(root: .views, path: [0, .id(parameter)]), on: client)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.absent, .detached])
    // Not the code of a limit: there is no room for it later.
    #expect(try frames[1].refusalCode == .unknownScope)
    #expect(try frames[0].refusal == "the parameter of 'view:echo' has 2003 bytes; this hub takes 1024")
    #expect(!hub.closed.contains(client) && hub.core.views.groups.allSatisfy { $0.count == 0 })
    #expect(hub.reports.contains { if case .scopeRefused(client, _, _) = $0 { true } else { false } })
    // Its number is free, and the connection goes on.
    hub.send(Attach(root: .views, path: [0, .id("x".encoded())]), on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
  }

  @Test func theViewsOfAConnectionAndOfAUserAreLimited() throws {
    var limits = HubLimits()
    (limits.views, limits.viewsPerUser) = (2, 3)
    let hub = ViewHub(limits: limits)
    let (first, _) = try hub.open()
    try hub.attach("counts", scope: 0, on: first)
    try hub.attach("open", scope: 1, on: first)
    hub.frame(FrameHeader(kind: .detach, scope: 0), on: first)
    hub.turn(first)
    try hub.attach("summary", scope: 2, on: first)
    let (second, _) = try hub.open()
    #expect(try hub.attach("counts", scope: 0, on: second).map(\.kind) == [.snapshot])
    let perUser = try hub.attach("open", scope: 1, on: second)
    #expect(perUser.map(\.kind) == [.absent, .detached])
    #expect(try perUser[0].refusal.contains("views-per-user") && perUser[1].refusalCode == .tooManyScopes)
    let (other, _) = try hub.open(user: 2000)
    #expect(try hub.attach("open", scope: 1, on: other).map(\.kind) == [.snapshot])
    let perConnection = try hub.attach("titles[h'F5']", scope: 3, on: first)
    #expect(perConnection.map(\.kind) == [.absent, .detached])
    #expect(try perConnection[0].refusal.contains("2 views") && perConnection[1].refusalCode == .tooManyScopes)
    // The others of the connections go on, and what was refused does not count.
    hub.send(.add(owner: 1, title: "a"), on: first)
    let changes = hub.turn(first).map { "\($0.kind!) \($0.scope)" }
    #expect(changes == ["delta 1", "delta 2", "applied 0"])
    #expect(hub.turn(second).map(\.kind) == [.delta])
    hub.core.ended(first)
    #expect(try hub.attach("open", scope: 1, on: second).map(\.kind) == [.snapshot])
  }

  @Test func theMemoryOfAViewEndsWithItsLastClient() throws {
    let hub = ViewHub()
    let (client, _) = try hub.open()
    let publishers = hub.core.publishers.count
    for round in 0..<20 {
      try hub.attach("titles[h'\(round % 2 == 0 ? "F4" : "F5")']", scope: 1, on: client)
      hub.frame(FrameHeader(kind: .detach, scope: 1), on: client)
      hub.turn(client)
    }
    #expect(hub.core.publishers.count == publishers + 1 && hub.core.views.groups.allSatisfy { $0.count == 0 })
  }

  /// A client could otherwise leave as many values behind as there may be detached sessions, each as large as the state.
  @Test func theValuesThatSessionsMayResumeAreLimited() throws {
    var limits = HubLimits()
    limits.viewsPerUser = 4
    let hub = ViewHub(
      limits: limits, views: StateViews { StateView("echo", of: \.note, parameter: Int.self) { "\($0) \($1)" } })
    func values() -> Int { hub.core.views.groups.map(\.count).reduce(0, +) }
    var sessions: [Welcome] = []
    for number in 0..<10 {
      let (client, welcome) = try hub.open()
      sessions.append(welcome)
      // The first parameter is shared by all, and counts once.
      for (scope, parameter) in [0, number].enumerated() {
        hub.send(
          Attach(root: .views, path: [0, .id(parameter.encoded())]), scope: UInt16(scope), on: client)
      }
      hub.turn(client)
      hub.core.ended(client)
      hub.turn()
    }
    #expect(values() == 4)
    for (number, isKept) in [(3, true), (9, false)] {
      let (client, _) = try hub.open(session: sessions[number].session, history: sessions[number].history)
      hub.send(Attach(root: .views, path: [0, .id(0.encoded())], knownRevision: 0), scope: 0, on: client)
      hub.send(Attach(root: .views, path: [0, .id(number.encoded())], knownRevision: 0), scope: 1, on: client)
      let scopes = hub.turn(client).filter { $0.kind == .snapshot }.map(\.scope)
      #expect(scopes == (isKept ? [] : [1]))
      for scope in [0, 1] as [UInt16] { hub.frame(FrameHeader(kind: .detach, scope: scope), on: client) }
      hub.turn(client)
    }
    // What a session has resumed and left makes room.
    #expect(values() == 3)
  }

  /// A value that no client has attached does not follow the state, so it keeps that of its time in memory.
  @Test(arguments: ["open", "counts"]) func aValueIsKeptForASessionOnlySoLong(_ view: String) throws {
    var limits = HubLimits()
    limits.viewRetention = 3
    let hub = ViewHub(limits: limits)
    func values() -> Int { hub.core.views.groups.map(\.count).reduce(0, +) }
    let (sender, _) = try hub.open()
    func change(_ count: Int) {
      for _ in 0..<count {
        hub.send(.add(owner: 1, title: "a"), on: sender)
        hub.turn()
      }
    }
    let (first, welcome) = try hub.open()
    var known = try #require(try hub.attach(view, scope: 1, on: first).first).revision
    hub.core.ended(first)
    hub.turn()
    change(3)
    #expect(values() == 1)
    let (second, resumed) = try hub.open(session: welcome.session, history: welcome.history)
    #expect(resumed.isResumed)
    let path = try ViewHub.path(view)
    hub.send(Attach(root: .views, path: path, knownRevision: known), scope: 1, on: second)
    let delta = hub.turn(second)
    #expect(delta.map(\.kind) == [.delta])
    // While a client has it, it is kept for as long as it likes.
    change(5)
    known = try #require(hub.turn(second).last).revision
    #expect(values() == 1)
    hub.core.ended(second)
    hub.turn()
    change(4)
    #expect(values() == 0)
    let (third, _) = try hub.open(session: welcome.session, history: welcome.history)
    // Another value may have its place in the meantime.
    let (other, _) = try hub.open()
    try hub.attach("titles[h'F5']", scope: 1, on: other)
    hub.send(Attach(root: .views, path: path, knownRevision: known), scope: 1, on: third)
    let frames = hub.turn(third)
    #expect(frames.map(\.kind) == [.snapshot])
    let payload = frames[0].payload
    let reason = try SnapshotPiece(CBORDecoder(payload.span.bytes)).reason
    #expect(reason == .versionNotKept)
    change(1)
    #expect(hub.turn(third).map(\.kind) == [.delta])
  }

  /// A session may name a value that ended long ago, in whose place there is another one.
  @Test func aSessionThatEndsReleasesItsOwnValueOnly() throws {
    var limits = HubLimits()
    (limits.viewRetention, limits.viewsPerUser) = (1, 1)
    let hub = ViewHub(
      limits: limits, views: StateViews { StateView("echo", of: \.note, parameter: Int.self) { "\($0) \($1)" } })
    func values() -> Int { hub.core.views.groups.map(\.count).reduce(0, +) }
    let (sender, _) = try hub.open()
    func leave(_ parameter: Int) throws -> Welcome {
      let (client, welcome) = try hub.open()
      hub.send(Attach(root: .views, path: [0, .id(parameter.encoded())]), on: client)
      #expect(hub.turn(client).map(\.kind) == [.snapshot])
      hub.core.ended(client)
      hub.turn()
      return welcome
    }
    let first = try leave(0)
    for _ in 0..<3 {
      hub.send(.add(owner: 1, title: "a"), on: sender)
      hub.turn()
    }
    #expect(values() == 0)
    _ = try leave(1)
    #expect(values() == 1)
    let (client, resumed) = try hub.open(session: first.session, history: first.history)
    #expect(resumed.isResumed)
    hub.frame(FrameHeader(kind: .leave), on: client)
    hub.turn()
    // The limit of values that are kept is reached, as before.
    _ = try leave(2)
    #expect(values() == 1)
  }

  /// The place of a value that has ended is used again for the next one, while a session still names it. The session
  /// cannot go on with the next value, whatever revision its client claims to know (`ViewTable.add`).
  @Test(arguments: [true, false], 0...8 as ClosedRange<UInt64>)
  func aSessionNeverResumesOntoAnotherValue(endsByTime: Bool, known: UInt64) throws {
    var limits = HubLimits()
    (limits.viewRetention, limits.versions) = endsByTime ? (0, 16) : (1000, 1)
    let hub = ViewHub(
      limits: limits, views: StateViews { StateView("echo", of: \.note, parameter: Int.self) { "\($0) \($1)" } })
    let (sender, _) = try hub.open()
    func change() {
      hub.send(.setNote("\(hub.core.revision)"), on: sender)
      hub.turn()
    }
    func path(_ parameter: Int) -> [PathStep] { [0, .id(parameter.encoded())] }
    for _ in 0..<3 { change() }
    let (client, welcome) = try hub.open()
    hub.send(Attach(root: .views, path: path(1)), on: client)
    #expect(hub.turn(client).map(\.revision) == [3])
    let publishers = hub.core.publishers.count
    // Without the time limit, the version that is kept for the session gives way to the newer ones of another client.
    let (other, _) = try hub.open()
    if !endsByTime { hub.send(Attach(root: .views, path: path(1)), on: other) }
    hub.turn()
    hub.core.ended(client)
    hub.turn()
    for _ in 0..<2 { change() }
    if !endsByTime { hub.frame(FrameHeader(kind: .detach), on: other) }
    hub.turn()
    #expect(hub.core.views.groups[0].count == 0)
    // The next value, in its place: at once, before anything changes.
    hub.send(Attach(root: .views, path: path(2)), scope: 7, on: other)
    hub.turn()
    let (again, resumed) = try hub.open(session: welcome.session, history: welcome.history)
    #expect(resumed.isResumed)
    hub.send(Attach(root: .views, path: path(2), knownRevision: known), on: again)
    let frames = hub.turn(again)
    #expect(hub.core.publishers.count == publishers && hub.core.views.groups[0].count == 1)
    #expect(frames.map(\.kind) == [.snapshot] && frames[0].revision == 5)
    #expect(try frames[0].value(String.self) == "4 2")
    hub.frame(FrameHeader(kind: .verify), on: again)
    let hashes = hub.turn(again)
    #expect(hashes.map(\.kind) == [.hash])
    #expect(try hashes[0].hash == "4 2".stateHash())
    change()
    #expect(try hub.turn(again).map { try $0.text } == [#"[5, "5 2"]"#])
    // Nor does the end of the session take anything from the value.
    hub.core.ended(again)
    hub.turn()
    let (last, _) = try hub.open(session: welcome.session, history: welcome.history)
    hub.send(Attach(root: .views, path: path(2), knownRevision: 6), on: last)
    #expect(hub.turn(last).isEmpty)
    hub.send(.setNote("z"), on: sender)
    #expect(try hub.turn(last).map { try $0.text } == [#"[6, "z 2"]"#])
  }

  // MARK: Time

  @Test func aSlowViewIsReportedAndLeavesTimeToOthers() throws {
    let clock = Clock()
    let hub = ViewHub(
      views: StateViews {
        StateView("slow", of: \.note) { note in
          clock.now += .milliseconds(8)
          return note
        }
      })
    hub.core.viewClock = { clock.now }
    let (client, _) = try hub.open()
    hub.send(Attach(root: .views, path: [0]), on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
    hub.send(.setNote("a"), on: client)
    // It was computed 8 ms ago, so the change waits for three times as long; the action does not.
    #expect(hub.turn(client, flushing: false).map(\.kind) == [.applied])
    #expect(hub.reports.contains(.slowView("slow", .milliseconds(8))))
    let publication = hub.core.publicationDue
    let due = try #require(publication)
    #expect(due == .milliseconds(8 + 24))
    clock.now = due
    #expect(try hub.turn(client, flushing: false).map { try $0.text } == [#"[0, "a"]"#])
    #expect(hub.core.views.groups[0].work.count == 2)
  }

  private final class Clock {
    var now = Duration.zero
  }
}
