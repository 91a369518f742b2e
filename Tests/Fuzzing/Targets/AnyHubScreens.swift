import BrowserTerminal
import ComposableArchitecture
import SchemaBrowser
import SchemaNames
import TerminalUI
import Wire

extension FuzzTarget {
  /// As `terminal`, for the screens of a hub that is known by its schema alone: that of the specimen, which has each type
  /// of the wire, or a generated one.
  static let terminalOfAnyHub = FuzzTarget(name: "terminal-any-hub") { bytes in
    try onMainThread {
      var input = FuzzInput(bytes)
      try AnyHubPlay(&input).run(&input)
    }
  } seeds: {
    let keys = Array("12\n\u{7f}:a\n\u{1b}psS/x\nf-a\ne\n\u{1b}R.[]dy3\n\ne".utf8)
    return [
      [0, 0, 20, 90] + keys, [0, 1, 9, 40] + keys, [3, 1, 20, 90] + keys, [77, 0, 30, 100] + keys, Array(0..<128),
      (0..<128).map { 255 - $0 },
    ]
  }
}

/// The screens of a hub, and its states.
private final class AnyHubPlay: ScreenPlay {
  private let store = Store(initialState: Browser.State()) {
    Reduce<Browser.State, Browser.Action> { state, action in
      _ = Browser().reduce(into: &state, action: action)
      return .none
    }
  }
  private let schema: Schema
  /// Returns the encoded state with a number.
  private let state: (UInt8) -> [UInt8]
  private var value: CBORValue = .null
  /// The numbers of the hub's state, and of the one that the screen shows.
  private var number: UInt8 = 1
  private var shownNumber: UInt8 = 0
  private var revision: UInt64 = 0
  private var isAnswering = true
  private var now = Duration.seconds(1)

  init(_ input: inout FuzzInput) throws {
    let kind = input.byte()
    if kind == 0 {
      schema = Schema(state: Specimen.self, action: SpecimenAction.self)
      state = { Specimen.sample($0).encoded() }
    } else {
      let generated = GeneratedFeature(seed: UInt64(kind))
      schema = generated.schema
      state = { generated.state(seed: UInt64($0)).encoded() }
    }
    let windowLimit = input.below(2) == 0 ? 0 : 4096
    store.send(
      .connected(HubDescription("any", schema, mayReadHub: true, hasJournal: true, windowLimit: windowLimit)))
    store.send(.linkChanged(.live))
    try follow()
  }

  var view: AnyTerminalView { AnyTerminalView(BrowserView(store: store)) }

  func happen(_ input: inout FuzzInput) {
    switch input.below(8) {
    case 0: store.send(.linkChanged(.away))
    case 1: store.send(.linkChanged(.live))
    case 2: isAnswering.toggle()
    case 3:
      store.send(
        .pastShown(input.below(2) == 0 ? nil : PastState(schema: schema, value: value, revision: revision, time: 0)))
    default: number = input.byte()
    }
  }

  private func change(to number: UInt8) throws {
    shownNumber = number
    revision += 1
    let bytes = state(number)
    var decoder = CBORDecoder(bytes.span.bytes)
    value = try SchemaValues(schema).value(of: schema.state, from: &decoder)
  }

  func follow() throws {
    now += .milliseconds(300)
    store.send(.timePassed(now: now, wallTime: 1_800_000_000_000))
    let pending = store.withState { $0.pending }
    for number in pending.keys.sorted() {
      store.send(.answered(number: number, number % 3 == 0 ? SchemaBrowser.Refusal("no") : nil))
    }
    if store.withState({ $0.intent }) != nil { store.send(.intentDone) }
    guard isAnswering else { return }
    if number != shownNumber { try change(to: number) }
    try supply()
  }

  /// Sends the parts that the browser asks for, until it asks for no others.
  private func supply() throws {
    for _ in 0..<100 {
      let (scopes, parts) = store.withState { ($0.scopes, $0.parts) }
      for path in parts.keys where !scopes.contains(path) { store.send(.released(path: path)) }
      var isChanged = false
      for path in scopes {
        let part = try part(at: path)
        guard parts[path]?.value != part.value || parts[path]?.window != part.window || parts[path] == nil else {
          continue
        }
        store.send(.received(path: path, part))
        isChanged = true
      }
      if !isChanged { return }
    }
    throw BrokenPromise("the browser asks for other parts for ever: \(store.withState { $0.scopes })")
  }

  private func part(at path: String) throws -> ReceivedPart {
    let (values, wanted) = (SchemaValues(schema), try schema.part(named: path, allowsWindow: true))
    try promise(wanted.rest.isEmpty, "a hub knows no part \(path)")
    guard case .window(let start, let count)? = wanted.steps.last else {
      return ReceivedPart(
        value: values.part(at: wanted.steps, of: value, as: schema.state)?.value, revision: revision)
    }
    guard let found = values.part(at: Array(wanted.steps.dropLast()), of: value, as: schema.state) else {
      return ReceivedPart(value: nil, revision: revision)
    }
    let items: [CBORValue] =
      switch found.value {
      case .elements(let elements): Array(elements)
      case .array(let items): items
      default: throw BrokenPromise("a hub has no elements at \(path)")
      }
    let range = items.indices.clamped(to: start..<start + count)
    let elements = CBORValue.array(Array(items[range])).encoded()
    var decoder = CBORDecoder(elements.span.bytes)
    return ReceivedPart(
      value: try values.value(of: found.type, from: &decoder),
      window: .init(count: items.count, start: min(start, items.count)), revision: revision)
  }
}
