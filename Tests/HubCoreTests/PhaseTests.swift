import Features
import HubCore
import Testing
import Wire

/// Every kind of message in every phase of a connection.
@Suite struct PhaseTests {
  enum Phase: String, CaseIterable {
    case greeting, live, closing, ended
  }

  enum Outcome: Equatable {
    /// The hub sends these frames, and the connection stays open.
    case frames([FrameKind])
    /// The connection is closed with an error.
    case error(PeerErrorCode)
    /// The connection is closed without further frames.
    case closed
    /// Nothing is sent and nothing changes.
    case ignored
  }

  /// The outcome of a kind in a phase; every pair must be listed.
  private static func expected(_ kind: FrameKind, in phase: Phase) -> Outcome {
    switch (phase, kind) {
    case (.closing, _), (.ended, _): .ignored
    case (.greeting, .hello): .frames([.welcome])
    // From a user that is no gateway.
    case (.greeting, .represent): .error(.notPermitted)
    case (.greeting, _): .error(.unexpectedMessage)
    case (.live, .attach): .frames([.snapshot])
    case (.live, .actions): .frames([.applied])
    case (.live, .ping): .frames([.pong])
    case (.live, .describe): .frames([.schema])
    // For a scope that is not attached.
    case (.live, .detach), (.live, .verify): .ignored
    // For an action without effects.
    case (.live, .cancel): .ignored
    case (.live, .leave): .closed
    // A hub without a cluster.
    case (.live, .transfer): .error(.cannotTransfer)
    case (.live, .hello): .error(.unexpectedMessage)
    case (.live, _): .error(.unexpectedMessage)
    }
  }

  private static func payload(of kind: FrameKind) -> [UInt8] {
    switch kind {
    case .hello: Hello().encoded()
    case .attach: Attach().encoded()
    case .actions: UInt64(1).encoded() + UInt64(0).encoded() + Action.counter(.incrementButtonTapped).encoded()
    case .ping: Ping(number: 7).encoded()
    case .cancel: UInt64(7).encoded()
    case .represent: Represent(user: 7).encoded()
    case .transfer: Transfer(to: "b").encoded()
    default: []
    }
  }

  private func connection(of hub: Hub, in phase: Phase) throws -> ConnectionID {
    switch phase {
    case .greeting: return hub.connect()
    case .live: return try hub.open().0
    case .closing:
      // The core has written its last frame, and the shell has not closed the socket yet.
      let (id, _) = try hub.open()
      hub.send([0xff, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 12), on: id)
      return id
    case .ended:
      let (id, _) = try hub.open()
      hub.disconnect(id)
      return id
    }
  }

  @Test(arguments: Phase.allCases, FrameKind.allCases)
  func everyKindInEveryPhase(phase: Phase, kind: FrameKind) throws {
    let hub = Hub()
    let id = try connection(of: hub, in: phase)
    hub.core.clear()
    var writer = FrameWriter()
    let payload = Self.payload(of: kind)
    // The scope of *describe* is a root.
    writer.frame(FrameHeader(kind: kind, scope: kind == .describe ? 0 : 3)) { $0.append(payload.span.bytes) }
    hub.send(writer.bytes, on: id)
    let wasOpen = !hub.closed.contains(id)
    let frames = hub.turn(id)

    let outcome: Outcome =
      if let error = frames.first(where: { $0.kind == .error }) {
        .error(try error.decoded(as: PeerError.self).code)
      } else if !frames.isEmpty {
        .frames(frames.map(\.kind))
      } else {
        wasOpen && hub.closed.contains(id) ? .closed : .ignored
      }
    #expect(outcome == Self.expected(kind, in: phase))
    let endings: [Outcome] = [
      .closed, .error(.unexpectedMessage), .error(.notPermitted), .error(.cannotTransfer),
    ]
    #expect(hub.closed.contains(id) == endings.contains(outcome) || phase == .ended)
    #expect(hub.engine.revision == (phase == .live && kind == .actions ? 1 : 0))
  }

  @Test(arguments: [UInt8(0), 0x42, 0x7f, 0xff])
  func aKindThatIsNotKnownEndsTheConversation(kind: UInt8) throws {
    for phase in [Phase.greeting, .live] {
      let hub = Hub()
      let id = try connection(of: hub, in: phase)
      var header = FrameHeader(kind: .ping)
      header.kind = kind
      var writer = FrameWriter()
      writer.frame(header) { _ in }
      hub.send(writer.bytes, on: id)
      #expect(try hub.turn(id).first?.decoded(as: PeerError.self).code == .unexpectedMessage)
    }
  }
}
