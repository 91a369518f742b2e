import Features
import HubCore
import Testing
import Wire

@Suite struct ConversationTests {
  private func error(_ frames: [Hub.Frame]) throws -> PeerErrorCode {
    let frame = try #require(frames.first { $0.kind == .error })
    return try frame.decoded(as: PeerError.self).code
  }

  @Test func aHelloIsWelcomedWithANewSession() throws {
    let hub = Hub()
    let (_, first) = try hub.open()
    let (_, second) = try hub.open()

    #expect(first.version == 1)
    #expect(!first.isResumed)
    #expect(first.processed == 0)
    #expect(first.session != second.session)
  }

  @Test func aSessionIsResumedWithWhatItHasProcessed() throws {
    let hub = Hub()
    let (client, welcome) = try hub.open()
    hub.send([.counter(.incrementButtonTapped), .counter(.incrementButtonTapped)], from: 1, on: client)
    hub.turn()
    hub.disconnect(client)

    let (again, resumed) = try hub.open(session: welcome.session, acknowledged: 0)
    #expect(resumed.isResumed)
    #expect(resumed.processed == 2)
    // The client sends both again, and one more.
    hub.send(Array(repeating: .counter(.incrementButtonTapped), count: 3), from: 1, on: again)
    hub.turn()
    #expect(hub.engine.state.counter.count == 3)
  }

  @Test func outcomesThatWereMissedAreToldAgain() throws {
    let hub = Hub()
    let (client, welcome) = try hub.open()
    let unknown = CBORValue.unsigned(99).encoded()
    hub.send(actionsFrame([unknown, Action.counter(.incrementButtonTapped).encoded()], from: 1), on: client)
    hub.turn()
    hub.disconnect(client)

    let again = hub.connect()
    hub.send(Hello(session: welcome.session, acknowledged: 0), on: again)

    #expect(hub.turn(again).map(\.kind) == [.welcome, .rejected, .applied])
  }

  @Test func aSessionThatIsStillConnectedMovesToTheNewConnection() throws {
    let hub = Hub()
    let (old, welcome) = try hub.open()
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: old)
    hub.turn()

    let (_, resumed) = try hub.open(session: welcome.session, acknowledged: 1)

    #expect(resumed.isResumed)
    #expect(try error(hub.turn(old)) == .sessionResumedElsewhere)
    #expect(hub.closed == [old])
  }

  @Test func aSessionThatWasLeftIsForgotten() throws {
    let hub = Hub()
    let (client, welcome) = try hub.open()
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: client)
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .leave)) { _ in }
    hub.send(writer.bytes, on: client)
    hub.turn()

    let (_, next) = try hub.open(session: welcome.session)
    #expect(!next.isResumed)
  }

  @Test func forgottenSessionsAreBoundedInNumber() throws {
    var limits = HubLimits()
    limits.detachedSessions = 2
    let hub = Hub(limits: limits)
    let sessions = try (0..<3).map { _ in
      let (client, welcome) = try hub.open()
      hub.send([.counter(.incrementButtonTapped)], from: 1, on: client)
      hub.turn()
      hub.disconnect(client)
      return welcome.session
    }

    #expect(hub.core.detachedSessionCount == 2)
    #expect(try !hub.open(session: sessions[0]).1.isResumed)
    #expect(try hub.open(session: sessions[2]).1.isResumed)
  }

  @Test func aVersionThatIsNotSpokenIsRefusedWithBothRanges() throws {
    let hub = Hub()
    let client = hub.connect()
    hub.send(Hello(oldestVersion: 7, newestVersion: 9), on: client)

    let frames = hub.turn(client)
    let refusal = try frames[0].decoded(as: PeerError.self)
    #expect(refusal.code == .unsupportedVersion)
    #expect(refusal.reason.contains("1 to 1") && refusal.reason.contains("7 to 9"))
  }

  /// The newest version is there, and no version has the number 0.
  @Test func aHelloOfVersionZeroIsNotCalledIncomplete() throws {
    let hub = Hub()
    let client = hub.connect()
    hub.send(Hello(oldestVersion: 0, newestVersion: 0), on: client)

    let refusal = try hub.turn(client)[0].decoded(as: PeerError.self)
    #expect(refusal.code == .malformed)
    #expect(
      refusal.reason
        == "the hello is malformed at byte 4: the number does not fit a protocol version, which is 1 or more")
  }

  @Test(arguments: [FrameKind.attach, .actions, .ping, .welcome])
  func nothingButAHelloOpensAConversation(kind: FrameKind) throws {
    let hub = Hub()
    let client = hub.connect()
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: kind)) { $0.unsigned(1) }
    hub.send(writer.bytes, on: client)

    #expect(try error(hub.turn(client)) == .unexpectedMessage)
    #expect(hub.closed == [client])
  }

  @Test func garbageIsToldApartFromLargeFrames() throws {
    let hub = Hub()
    let large = hub.connect()
    hub.send(Array("GET / HTTP/1.1\r\n\r\n".utf8), on: large)
    #expect(try error(hub.turn(large)) == .frameTooLarge)

    let malformed = hub.connect()
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .hello)) { $0.text("hello") }
    hub.send(writer.bytes, on: malformed)
    #expect(try error(hub.turn(malformed)) == .malformed)
  }

  @Test func whatComesAfterAnErrorIsIgnored() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .welcome)) { $0.unsigned(1) }
    hub.send(writer.bytes + actionsFrame([Action.counter(.incrementButtonTapped).encoded()], from: 1), on: client)

    #expect(try error(hub.turn(client)) == .unexpectedMessage)
    #expect(hub.engine.state.counter.count == 0)
  }

  @Test func aSilentConnectionIsClosedWhenItsTimeIsUp() throws {
    let hub = Hub()
    let client = hub.connect()
    hub.turn()
    #expect(hub.core.deadline == hub.now + .seconds(5))

    hub.now += .seconds(5)
    hub.core.expire(at: hub.now)
    #expect(try error(hub.turn(client)) == .timedOut)
    #expect(hub.closed == [client])
  }

  @Test func halfAFrameThenSilenceIsClosedWhenItsTimeIsUp() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let (patient, _) = try hub.open()
    let frame = actionsFrame([Action.counter(.incrementButtonTapped).encoded()], from: 1)
    hub.send(Array(frame[..<12]), on: client)
    hub.turn()
    hub.now += .seconds(9)
    // Another byte of the same frame does not extend the time limit.
    hub.send(Array(frame[12..<13]), on: client)
    hub.now += .seconds(1)
    hub.core.expire(at: hub.now)

    #expect(try error(hub.turn(client)) == .timedOut)
    #expect(hub.turn(patient).isEmpty)
    #expect(hub.closed == [client])
  }

  @Test func anIdleHubWaitsForNothing() throws {
    let hub = Hub()
    for _ in 0..<10 { _ = try hub.open() }
    hub.core.expire(at: hub.now + .seconds(60))
    hub.turn()

    #expect(hub.core.deadline == nil)
    #expect(hub.closed.isEmpty)
  }

  @Test func oneConnectionTooManyIsToldSo() throws {
    var limits = HubLimits()
    limits.connections = 1
    let hub = Hub(limits: limits)
    let (_, _) = try hub.open()
    let second = hub.connect()

    #expect(try error(hub.turn(second)) == .tooManyConnections)
    #expect(hub.core.connectionCount == 1)
  }

  @Test func aScopeThatIsNotOfferedIsRefused() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    hub.send(Attach(path: [9]), on: client)

    #expect(try error(hub.turn(client)) == .unknownScope)
  }

  @Test func aPingIsAnswered() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    hub.send(Ping(number: 3), on: client)
    hub.send(Ping(number: 4), on: client)

    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.pong])
    #expect(try frames[0].value == .unsigned(4))
  }

  @Test func connectionsThatCloseAreBoundedInNumber() throws {
    var limits = HubLimits()
    limits.closingConnections = 2
    let hub = Hub(limits: limits)
    let clients = (0..<3).map { _ in hub.connect() }
    // No hello.
    for client in clients { hub.send(Ping(number: 1), on: client) }
    let commands = hub.core.commands
    #expect(clients.map { commands.contains(.close($0)) } == [true, true, false])
    #expect(commands.contains(.abort(clients[2])))
  }

  @Test func aShutdownLetsEveryConnectionReadItsLastFrames() throws {
    var limits = HubLimits()
    limits.closingConnections = 2
    let hub = Hub(limits: limits)
    let clients = try (0..<5).map { _ in try hub.open().0 }
    hub.core.shutDown(reason: "the test is over", at: hub.now)
    let commands = hub.core.commands
    for client in clients {
      #expect(commands.contains(.close(client)))
      #expect(!commands.contains(.abort(client)))
    }
  }

  @Test func everyoneIsToldGoodbyeAfterWhatTheyAreOwed() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let greeting = hub.connect()
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: client)
    hub.core.shutDown(reason: "the test is over", at: hub.now)

    #expect(hub.turn(client).map(\.kind) == [.applied, .goodbye])
    #expect(hub.turn(greeting).map(\.kind) == [.goodbye])
    #expect(hub.core.connectionCount == 0)
  }

  @Test func aClosedConnectionsNameIsNotTakenForTheNextOne() throws {
    let hub = Hub()
    let (first, _) = try hub.open()
    hub.disconnect(first)
    let (second, _) = try hub.open()
    #expect(first != second)

    hub.send([.counter(.incrementButtonTapped)], from: 1, on: first)
    hub.core.ended(first)
    hub.turn()
    #expect(hub.engine.state.counter.count == 0)
    #expect(hub.core.connectionCount == 1)
  }

  @Test func aSessionIsResumedWhileItsConnectionIsClosing() throws {
    let hub = Hub()
    let (client, welcome) = try hub.open()
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: client)
    hub.turn(client)
    hub.send(Attach(path: [3]), on: client)  // Closes the connection, which has not ended yet.

    let other = hub.connect()
    hub.send(Hello(session: welcome.session), on: other)
    let again: Welcome = try hub.turn(other)[0].decoded()
    #expect(again.isResumed && again.processed == 1)
  }

  @Test func theSessionOfNobodyIsNotResumed() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    hub.send(Attach(path: [3]), on: client)
    let other = hub.connect()
    hub.send(Hello(session: SessionID(high: 0, low: 0)), on: other)
    let welcome: Welcome = try hub.turn(other)[0].decoded()
    #expect(!welcome.isResumed)
  }
}
