import ComposableArchitecture
import Features
import HubCore
import Testing
import Wire

@Suite struct ActionTests {
  @Test func actionsTakeEffectInOrderAndAreAcknowledgedOnceATurn() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    hub.send([.counter(.incrementButtonTapped), .counter(.incrementButtonTapped)], from: 1, on: client)
    hub.send([.counter(.decrementButtonTapped)], from: 3, on: client)

    let frames = hub.turn(client)

    #expect(hub.engine.state.counter.count == 1)
    #expect(frames.map(\.kind) == [.applied])
    #expect(try frames[0].value == .unsigned(3))
    #expect(frames[0].revision == 3)
  }

  @Test func repeatedActionsTakeEffectOnce() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let three = Array(repeating: Action.counter(.incrementButtonTapped), count: 3)
    hub.send(three, from: 1, on: client)
    hub.send(three, from: 1, on: client)
    hub.send(three, from: 2, on: client)
    hub.turn()

    #expect(hub.engine.state.counter.count == 4)
  }

  @Test func aGapInTheNumbersClosesTheConnection() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    hub.send([.counter(.incrementButtonTapped)], from: 2, on: client)

    let frames = hub.turn(client)

    #expect(hub.engine.state.counter.count == 0)
    #expect(try frames[0].decoded(as: PeerError.self).code == .sequenceGap)
    #expect(hub.closed == [client])
  }

  /// Whatever takes effect can also be skipped when it comes again.
  @Test func anActionWithADeepUnknownFieldMayBeRepeated() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let action = Action.counter(.numberFactResponse(.failure(NumberFactError(message: "m"))))
    // The error, the only map in it, gets another field.
    let known: [UInt8] = [0xa1, 0x00, 0x61, 0x6d]
    let deep = [UInt8](repeating: 0x81, count: CBORDecoder.nestingLimit - 1) + [0]
    var bytes = action.encoded()
    try #require(Array(bytes.suffix(4)) == known)
    bytes[bytes.count - 4] = 0xa2
    bytes += [9] + deep
    for _ in 0..<2 { hub.send(actionsFrame([bytes], from: 1), on: client) }
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.applied])
    #expect(hub.engine.state.counter.factAlert?.title == "m" && hub.engine.revision == 1)
  }

  @Test func anUnknownActionIsRefusedAndTheOnesAroundItTakeEffect() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let increment = Action.counter(.incrementButtonTapped).encoded()
    let unknown = CBORValue.array([.unsigned(0), .unsigned(99)]).encoded()
    hub.send(actionsFrame([increment, unknown, increment], from: 1), on: client)

    let frames = hub.turn(client)

    #expect(hub.engine.state.counter.count == 2)
    #expect(frames.map(\.kind) == [.rejected, .applied])
    let rejected = try frames[0].decoded(as: Rejected.self)
    #expect(rejected.sequence == 2)
    #expect(rejected.code == .unknownAction)
    #expect(try frames[1].value == .unsigned(3))
    #expect(hub.core.revision == 2)
  }

  @Test(arguments: 1...9)
  func equalActionsInARowTakeEffectOneByOne(limit: Int) throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let increment = Action.counter(.incrementButtonTapped).encoded()
    let decrement = Action.counter(.decrementButtonTapped).encoded()
    let unknown = CBORValue.array([.unsigned(0), .unsigned(99)]).encoded()
    let runs = [(increment, 7), (decrement, 2), (unknown, 4), (increment, 1), (decrement, 4)]
    let actions = runs.flatMap { Array(repeating: $0, count: $1) }
    let bytes = actionsFrame(actions, from: 1)

    hub.core.received(bytes.span.bytes, on: client, at: hub.now, limit: limit)
    while hub.hasBacklog { hub.work(limit: limit) }
    let frames = hub.turn(client)

    #expect(hub.engine.state.counter.count == 7 - 2 + 1 - 4)
    #expect(hub.core.revision == 14)
    let rejected = try frames.filter { $0.kind == .rejected }.map { try $0.decoded(as: Rejected.self).sequence }
    #expect(rejected == [10, 11, 12, 13])
    #expect(try #require(frames.last).value == .unsigned(18))
  }

  @Test func bytesThatAreNoActionsCloseTheConnectionAndKeepWhatTookEffect() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    let (other, _) = try hub.open()
    let increment = Action.counter(.incrementButtonTapped).encoded()
    hub.send(actionsFrame([increment, [0x1c]], from: 1), on: client)
    hub.send([.counter(.incrementButtonTapped)], from: 1, on: other)

    let frames = hub.turn(client)

    #expect(hub.engine.state.counter.count == 2)
    #expect(try #require(frames.last).decoded(as: PeerError.self).code == .malformed)
    #expect(hub.closed == [client])
  }

  @Test func actionsOfEffectsComeBackAndAreNumberedLikeAnyOther() throws {
    let hub = Hub()
    let (client, _) = try hub.open()
    hub.send([.counter(.toggleTimerButtonTapped)], from: 1, on: client)
    hub.turn()

    #expect(hub.startedEffects == 1)
    #expect(hub.engine.state.counter.isTimerOn)
    hub.engine.send(.counter(.timerTicked))
    #expect(hub.core.revision == 2)
    #expect(hub.engine.state.counter.count == 1)
  }

  @Test func refusalsThatNobodyAcknowledgesEndTheConnection() throws {
    var limits = HubLimits()
    limits.rejections = 3
    let hub = Hub(limits: limits)
    let (client, _) = try hub.open()
    let unknown = CBORValue.unsigned(99).encoded()
    hub.send(actionsFrame([unknown, unknown, unknown], from: 1), on: client)
    hub.turn(client)
    // Acknowledged rejections make room for further ones.
    hub.send(actionsFrame([unknown, unknown, unknown], from: 4, acknowledged: 3), on: client)
    #expect(hub.turn(client).map(\.kind) == [.rejected, .rejected, .rejected, .applied])

    hub.send(actionsFrame([unknown], from: 7, acknowledged: 3), on: client)
    let frames = hub.turn(client)

    #expect(try #require(frames.last).decoded(as: PeerError.self).code == .tooManyRejections)
    #expect(hub.closed == [client])
  }

  @Test func whatTookEffectBeforeTheLastRefusalIsRememberedByTheSession() throws {
    var limits = HubLimits()
    limits.rejections = 1
    let hub = Hub(limits: limits)
    let (client, welcome) = try hub.open()
    let action = AppFeature.Action.counter(.incrementButtonTapped).encoded()
    hub.send(actionsFrame([action, [0x18, 99], [0x18, 99], action], from: 1), on: client)
    hub.turn(client)
    #expect(hub.engine.state.counter.count == 1)

    let (again, resumed) = try hub.open(session: welcome.session)
    #expect(resumed.isResumed && resumed.processed == 3)
    hub.send(actionsFrame([action, [0x18, 99], [0x18, 99], action], from: 1), on: again)
    hub.turn(again)
    #expect(hub.engine.state.counter.count == 2)
  }
}
