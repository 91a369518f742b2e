import ComposableArchitecture
import TestFeatures
import Testing
import Wire

@testable import HubCore

/// Clients choose the parameters of views: any bytes have one answer, and hurt nobody.
@Suite struct HostileParameterTests {
  /// A condition of a client's search, which may contain others.
  @Replicated
  indirect enum Condition: Equatable, Sendable {
    case all
    case not(Condition)
    case both([Condition])
  }

  @Replicated
  struct Page: Equatable, Sendable {
    var start: Int
    var count: Int
  }

  /// A value that its own decoder refuses, with a reason of its own.
  struct Word: Equatable, Sendable, WireValue {
    let text: String

    init(from decoder: inout CBORDecoder) throws(WireError) {
      let start = decoder.offset
      text = try String(from: &decoder)
      guard !text.contains("!") else { throw WireError(.outOfRange(type: "Word: \(text)"), at: start) }
    }

    func encode(to encoder: inout CBOREncoder) { text.encode(to: &encoder) }
  }

  private func makeHub() -> ViewHub {
    ViewHub(
      views: StateViews {
        StateView("near", of: \.note, parameter: Double.self) { "\($0) \($1)" }
        StateView("found", of: \.note, parameter: Condition.self) { note, _ in note }
        StateView("page", parameter: Page.self) { Elements(\.chores).sorted(by: \.title).window($0.start, $0.count) }
        StateView("tagged", of: \.note, parameter: Set<Int>.self) { "\($0) \($1.count)" }
        StateView("named", of: \.note, parameter: String.self) { "\($0) \($1)" }
        StateView("spread", of: \.note, parameter: [Double].self) { "\($0) \($1)" }
        StateView("oneOf", of: \.note, parameter: Set<Double>.self) { "\($0) \($1.count)" }
        StateView("word", of: \.note, parameter: Word.self) { "\($0) \($1.text)" }
        StateView("plain", of: \.note) { $0 }
      })
  }

  /// The bytes of a parameter.
  struct Parameter: Sendable {
    let view: UInt64
    let bytes: [UInt8]
    let answer: Answer

    enum Answer: Equatable {
      case value, refusal, mismatch
      case error(PeerErrorCode)
    }

    static func taken(_ view: UInt64, _ bytes: [UInt8]) -> Self { Self(view: view, bytes: bytes, answer: .value) }
    /// A value by the schema, which is too long or against a rule of the decoder.
    static func refused(_ view: UInt64, _ bytes: [UInt8]) -> Self { Self(view: view, bytes: bytes, answer: .refusal) }
    /// One item, which is no value of the type in the schema.
    static func mistyped(_ view: UInt64, _ bytes: [UInt8]) -> Self { Self(view: view, bytes: bytes, answer: .mismatch) }
    /// No item, so that the whole message is none.
    static func malformed(_ view: UInt64, _ bytes: [UInt8]) -> Self {
      Self(view: view, bytes: bytes, answer: .error(.malformed))
    }
  }

  private static func deep(_ depth: Int) -> Condition { (0..<depth).reduce(.all) { inner, _ in .not(inner) } }
  private static func arrays(_ depth: Int) -> [UInt8] { [UInt8](repeating: 0x81, count: depth) + [0x80] }
  /// The head of an item with a length or a number of elements that no bytes follow.
  private static func endless(_ kind: UInt8) -> [UInt8] { [kind | 0x1b, 0x7f] + [UInt8](repeating: 0xff, count: 7) }

  static let doubles: [Parameter] = [
    // NaNs with payloads, and one in too long a form; infinity, -0, another long form, an integer.
    .taken(0, [0xf9, 0x7e, 0x00]), .malformed(0, [0xfa, 0x7f, 0xc0, 0, 0]), .taken(0, [0xf9, 0x7e, 0x01]),
    .taken(0, [0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1]), .taken(0, [0xf9, 0x7c, 0x00]), .taken(0, [0xf9, 0x80, 0x00]),
    .malformed(0, [0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]), .mistyped(0, [0x01]),
    // Nothing, more than one value, half of one, a break, null.
    .malformed(0, []), .malformed(0, [0xf9, 0x7e, 0x00, 0x00]), .malformed(0, [0xf9, 0x7e]), .malformed(0, [0xff]),
    .mistyped(0, [0xf6]),
  ]
  static let nested: [Parameter] = [
    .mistyped(1, arrays(60)), .malformed(1, arrays(1_000)), .taken(1, Condition.all.encoded()),
    .taken(1, deep(5).encoded()), .refused(1, deep(200).encoded()), .malformed(1, [0x82, 0x02] + endless(0x80)),
  ]
  static let pages: [Parameter] = [
    .taken(2, Page(start: .min, count: .max).encoded()), .taken(2, Page(start: .max, count: .max).encoded()),
    .taken(2, Page(start: -5, count: -5).encoded()), .taken(2, Page(start: 0, count: .min).encoded()),
    .mistyped(2, [0x82, 0x00] + endless(0x00)), .malformed(2, [0xa2, 0x00, 0x00, 0x00, 0x00]),
  ]
  static let others: [Parameter] = [
    // Sets: in no order, with repetitions, with more elements than bytes.
    .taken(3, [0x82, 0x01, 0x02]), .refused(3, [0x82, 0x02, 0x01]), .refused(3, [0x82, 0x01, 0x01]),
    .malformed(3, endless(0x80)),
    // Texts: not UTF-8, with a null character, with a length beyond the end.
    .malformed(4, [0x62, 0xc3, 0x28]), .taken(4, [0x61, 0x00]), .malformed(4, endless(0x60)),
    .taken(4, "".encoded()), .taken(7, "".encoded()), .refused(7, "!".encoded()),
    // NaN is an element of a list, but no member of a set, since it does not equal itself.
    .taken(5, [0x80]), .taken(5, [0x82, 0xf9, 0x7e, 0x00, 0xf9, 0x7e, 0x00]), .taken(6, [0x81, 0xf9, 0x3c, 0x00]),
    .refused(6, [0x81, 0xf9, 0x7e, 0x00]), .refused(6, [0x82, 0xf9, 0x7e, 0x00, 0xf9, 0x7e, 0x00]),
  ]

  /// Longer than a hub takes; the last ones also than a path.
  static let long: [Parameter] = [
    .taken(4, String(repeating: "x", count: 1_021).encoded()),
    .refused(4, String(repeating: "x", count: 1_022).encoded()),
    .refused(4, String(repeating: "x", count: 4_000).encoded()),
    .mistyped(0, String(repeating: "x", count: 4_000).encoded()),
    .malformed(4, String(repeating: "x", count: 60_000).encoded()),
  ]

  @Test(arguments: [doubles, nested, pages, others, long].flatMap { $0 })
  func anyBytesHaveOneAnswer(_ parameter: Parameter) throws {
    let hub = makeHub()
    let (client, _) = try hub.open()
    hub.send(.add(owner: 1, title: "sweep"), on: client)
    hub.turn(client)
    hub.send(Attach(root: .views, path: [4, .id("y".encoded())]), scope: 1, on: client)
    hub.turn(client)
    hub.send(Attach(root: .views, path: [.key(parameter.view), .id(parameter.bytes)]), scope: 2, on: client)
    let answers = hub.turn(client)
    switch parameter.answer {
    case .value: #expect(answers.map(\.kind) == [.snapshot])
    case .refusal, .mismatch:
      // Only this scope, with the reason; the others of the connection go on.
      #expect(answers.map(\.kind) == [.absent, .detached] && answers.allSatisfy { $0.scope == 2 && $0.revision == 0 })
      let (reason, isMistyped) = (try answers[0].refusal, parameter.answer == .mismatch)
      #expect(reason.hasPrefix("the parameter of \(isMistyped ? "view:" : "'view:")"), "\(reason)")
      #expect(try reason.contains("no value of its type") == isMistyped && answers[1].refusalCode == .unknownScope)
    case .error(let code):
      // What is no message ends the connection of its sender (PROTOCOL, "error").
      #expect(answers.map(\.kind) == [.error])
      #expect(try answers[0].errorCode == code)
    }
    let isOpen = if case .error = parameter.answer { false } else { true }
    #expect(hub.closed.contains(client) == !isOpen)
    // Others go on with the same view, and nothing is kept of a refused parameter.
    let (other, _) = try hub.open()
    hub.send(Attach(root: .views, path: [4, .id("x".encoded())]), on: other)
    #expect(hub.turn(other).map(\.kind) == [.snapshot])
    hub.send(.setNote("changed"), on: other)
    #expect(hub.turn(other).contains { $0.kind == .delta })
    // Those of the two other requests, of which one is kept for its session after an error.
    #expect(hub.core.views.groups.reduce(0) { $0 + $1.count } == (parameter.answer == .value ? 3 : 2))
    if isOpen { #expect(hub.taken(client).contains { $0.kind == .delta && $0.scope == 1 }) }
  }

  /// Whoever forgets the parameter loses this part, and no other one of the connection.
  @Test(arguments: [[], [0], [.window(start: 0, count: 5)], [.window(start: 0, count: 5), 0]] as [[PathStep]])
  func aMissingParameterIsRefusedAlone(rest: [PathStep]) throws {
    let hub = makeHub()
    let (client, _) = try hub.open()
    hub.send(Attach(root: .views, path: [8]), scope: 1, on: client)
    hub.turn(client)
    let before = hub.core.heldBytes
    hub.send(Attach(root: .views, path: [.key(4)] + rest), scope: 2, on: client)
    let answers = hub.turn(client)
    #expect(answers.map(\.kind) == [.absent, .detached] && answers.allSatisfy { $0.scope == 2 })
    #expect(
      try answers[0].refusal
        == "view:named has a value for each parameter, and this path has none; name one, as in view:named[PARAMETER]")
    #expect(try answers[1].refusalCode == .unknownScope)
    #expect(hub.reports.contains { if case .scopeRefused(client, _, _) = $0 { true } else { false } })
    #expect(hub.closed.isEmpty && hub.core.heldBytes == before)
    #expect(hub.core.views.groups.reduce(0) { $0 + $1.count } == 1)
    // The number is free again, and the other part goes on.
    hub.send(Attach(root: .views, path: [4, .id("x".encoded())]), scope: 2, on: client)
    #expect(hub.turn(client).map(\.kind) == [.snapshot])
    hub.send(.setNote("changed"), on: client)
    #expect(hub.turn(client).count { $0.kind == .delta } == 2)
  }

  /// Also where there is no room: a client that waits for room would wait in vain.
  @Test func aMissingParameterIsNoLackOfRoom() throws {
    var limits = HubLimits()
    limits.views = 1
    let hub = ViewHub(
      limits: limits,
      views: StateViews {
        StateView("plain", of: \.note) { $0 }
        StateView("named", of: \.note, parameter: String.self) { "\($0) \($1)" }
      })
    let (client, _) = try hub.open()
    hub.send(Attach(root: .views, path: [0]), scope: 1, on: client)
    hub.turn(client)
    for path in [[1], [1, .id(5.encoded())]] as [[PathStep]] {
      hub.send(Attach(root: .views, path: path), scope: 2, on: client)
      #expect(try hub.turn(client).last?.refusalCode == .unknownScope)
    }
    hub.send(Attach(root: .views, path: [1, .id("x".encoded())]), scope: 2, on: client)
    #expect(try hub.turn(client).last?.refusalCode == .tooManyScopes)
  }

  /// The feature has no such place: its sender has another schema, as with any other part.
  @Test func aParameterOfAViewWithoutOneEndsTheConnection() throws {
    let hub = makeHub()
    let (client, _) = try hub.open()
    hub.send(Attach(root: .views, path: [8, .id("x".encoded())]), on: client)
    #expect(try hub.turn(client).map { try $0.errorCode } == [.unknownScope])
    #expect(hub.closed == [client])
  }

  /// A decoder's reason may have all that the client has sent. It is cut off, and charged with the refusal.
  @Test func theReasonOfADecoderIsLimitedAndCharged() throws {
    let hub = makeHub()
    let (client, _) = try hub.open()
    let before = hub.core.heldBytes
    hub.core.noteBusy(client)
    hub.send(Attach(root: .views, path: [7, .id(String(repeating: "!", count: 1_021).encoded())]), on: client)
    #expect(hub.turn(client).isEmpty)
    #expect(hub.core.heldBytes == before + RefusedScope.chargedBytes + 384)
    hub.core.drained(client, at: hub.now)
    let frames = hub.turn(client)
    #expect(frames.map(\.kind) == [.absent, .detached])
    let reason = try frames[0].refusal
    #expect(reason.hasPrefix("the parameter of 'view:word' is refused: byte 0: the number does not fit Word: !!"))
    #expect(reason.hasSuffix("!!") && reason.utf8.count < 500)
    #expect(hub.core.heldBytes == before)
  }

  /// A client that sends many and reads no answer loses its connection; others go on, and nothing is kept.
  @Test func manyRefusedParametersEndOnlyTheirConnection() throws {
    let hub = makeHub()
    let (other, _) = try hub.open()
    hub.send(Attach(root: .views, path: [4, .id("x".encoded())]), on: other)
    hub.turn(other)
    let before = hub.core.heldBytes
    let (client, _) = try hub.open()
    hub.core.noteBusy(client)
    let parameter = String(repeating: "x", count: 1_022).encoded()
    for number in 0..<10_000 {
      hub.send(Attach(root: .views, path: [4, .id(parameter)]), scope: UInt16(number), on: client)
    }
    #expect(try hub.turn(client).map { try $0.errorCode } == [.tooManyScopes])
    #expect(hub.closed == [client] && hub.core.heldBytes == before)
    #expect(hub.core.views.groups.reduce(0) { $0 + $1.count } == 1)
    let refusals = hub.reports.count { if case .scopeRefused = $0 { true } else { false } }
    #expect(refusals == HubCore.refusedScopeLimit)
    hub.send(.setNote("changed"), on: other)
    #expect(hub.turn(other).contains { $0.kind == .delta })
  }

  /// A parameter is its bytes, so a NaN is one value, although it is not equal to itself.
  @Test func equalBytesAreOneParameter() throws {
    let hub = makeHub()
    for _ in 0..<3 {
      let (client, _) = try hub.open()
      hub.send(Attach(root: .views, path: [0, .id(Double.nan.encoded())]), on: client)
      #expect(hub.turn(client).map(\.kind) == [.snapshot])
    }
    #expect(hub.core.views.groups.reduce(0) { $0 + $1.count } == 1)
  }
}
