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

  private func makeHub() -> ViewHub {
    ViewHub(
      views: StateViews {
        StateView("near", of: \.note, parameter: Double.self) { "\($0) \($1)" }
        StateView("found", of: \.note, parameter: Condition.self) { note, _ in note }
        StateView("page", parameter: Page.self) { Elements(\.chores).sorted(by: \.title).window($0.start, $0.count) }
        StateView("tagged", of: \.note, parameter: Set<Int>.self) { "\($0) \($1.count)" }
        StateView("named", of: \.note, parameter: String.self) { "\($0) \($1)" }
      })
  }

  /// The bytes of a parameter.
  struct Parameter: Sendable {
    let view: UInt64
    let bytes: [UInt8]
    /// The code of the hub's error; nil if the view has a value.
    let error: PeerErrorCode?

    static func taken(_ view: UInt64, _ bytes: [UInt8]) -> Self { Self(view: view, bytes: bytes, error: nil) }
    /// One item, of another type or against a rule for its type.
    static func refused(_ view: UInt64, _ bytes: [UInt8]) -> Self {
      Self(view: view, bytes: bytes, error: .unknownScope)
    }
    /// No item, so that the whole message is none.
    static func malformed(_ view: UInt64, _ bytes: [UInt8]) -> Self {
      Self(view: view, bytes: bytes, error: .malformed)
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
    .malformed(0, [0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]), .refused(0, [0x01]),
    // Nothing, more than one value, half of one, a break, null.
    .malformed(0, []), .malformed(0, [0xf9, 0x7e, 0x00, 0x00]), .malformed(0, [0xf9, 0x7e]), .malformed(0, [0xff]),
    .refused(0, [0xf6]),
  ]
  static let nested: [Parameter] = [
    .refused(1, arrays(60)), .malformed(1, arrays(1_000)), .taken(1, Condition.all.encoded()),
    .taken(1, deep(5).encoded()), .refused(1, deep(200).encoded()), .malformed(1, [0x82, 0x02] + endless(0x80)),
  ]
  static let pages: [Parameter] = [
    .taken(2, Page(start: .min, count: .max).encoded()), .taken(2, Page(start: .max, count: .max).encoded()),
    .taken(2, Page(start: -5, count: -5).encoded()), .taken(2, Page(start: 0, count: .min).encoded()),
    .refused(2, [0x82, 0x00] + endless(0x00)), .malformed(2, [0xa2, 0x00, 0x00, 0x00, 0x00]),
  ]
  static let others: [Parameter] = [
    // Sets: in no order, with repetitions, with more elements than bytes.
    .taken(3, [0x82, 0x01, 0x02]), .refused(3, [0x82, 0x02, 0x01]), .refused(3, [0x82, 0x01, 0x01]),
    .malformed(3, endless(0x80)),
    // Texts: not UTF-8, with a null character, with a length beyond the end.
    .malformed(4, [0x62, 0xc3, 0x28]), .taken(4, [0x61, 0x00]), .malformed(4, endless(0x60)),
  ]

  @Test(arguments: [doubles, nested, pages, others].flatMap { $0 })
  func anyBytesHaveOneAnswer(_ parameter: Parameter) throws {
    let hub = makeHub()
    let (client, _) = try hub.open()
    hub.send(.add(owner: 1, title: "sweep"), on: client)
    hub.turn(client)
    hub.send(Attach(root: .views, path: [.key(parameter.view), .id(parameter.bytes)]), on: client)
    let answers = hub.turn(client)
    #expect(answers.map(\.kind) == [parameter.error == nil ? .snapshot : .error])
    // An error ends the connection of its sender (PROTOCOL, "error").
    #expect(hub.closed.contains(client) == (parameter.error != nil))
    if let error = parameter.error { #expect(try answers.first?.errorCode == error) }
    // Others go on with the same view, and nothing is kept of a refused parameter.
    let (other, _) = try hub.open()
    hub.send(Attach(root: .views, path: [4, .id("x".encoded())]), on: other)
    #expect(hub.turn(other).map(\.kind) == [.snapshot])
    hub.send(.setNote("changed"), on: other)
    #expect(hub.turn(other).contains { $0.kind == .delta })
    #expect(hub.core.views.groups.reduce(0) { $0 + $1.count } == (parameter.error == nil ? 2 : 1))
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
