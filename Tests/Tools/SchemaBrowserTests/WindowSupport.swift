import ComposableArchitecture
import IdentifiedCollections
import SchemaBrowser
import SchemaNames
import TestFeatures
import Testing
import Wire

/// An order of a large diner.
func order(_ id: Int) -> DinerOrder.State { DinerOrder.State(id: id, dish: "dish \(id)", table: 1) }

/// A state with so many orders, whose ids are their positions from 1.
func largeDiner(_ count: Int) -> Diner.State {
  var diner = Diner.State()
  diner.orders = IdentifiedArray(uniqueElements: (1...count).map { order($0) })
  return diner
}

/// A browser of a hub that serves windows.
struct WindowedBrowser<Root: Replicated> {
  var state: Browser.State
  private(set) var root: Root
  private let schema: Schema
  /// The state as a client without the feature reads it.
  private var value: CBORValue
  private let reducer = Browser()
  /// The paths that the browser has asked for, in order.
  private(set) var asked: [String] = []

  init<Action: Replicated>(
    _ root: Root, of action: Action.Type, _ configuration: BrowserConfiguration = BrowserConfiguration(),
    limit: Int = 4096
  ) {
    (self.root, state) = (root, Browser.State(configuration))
    schema = Schema(state: Root.self, action: Action.self)
    value = Self.value(of: root, schema)
    take(
      .connected(
        HubDescription(
          "dinerhub", schema, documentation: SchemaDocumentation(state: Root.self, action: Action.self),
          windowLimit: limit)))
    take(.linkChanged(.live))
    supply()
  }

  mutating func take(_ action: Browser.Action) { _ = reducer.reduce(into: &state, action: action) }

  mutating func act(_ actions: Browser.Action...) {
    for action in actions {
      take(action)
      supply()
    }
  }

  mutating func change(_ body: (inout Root) -> Void) {
    body(&root)
    value = Self.value(of: root, schema)
    for path in state.scopes { send(path) }
    supply()
  }

  /// Sends the parts that the browser asks for, and takes back the others, until it asks for no others.
  mutating func supply() {
    while true {
      let scopes = state.scopes
      for path in state.parts.keys where !scopes.contains(path) { take(.released(path: path)) }
      guard let path = state.scopes.first(where: { state.parts[$0] == nil }) else { return }
      asked.append(path)
      send(path)
    }
  }

  private static func value(of root: Root, _ schema: Schema) -> CBORValue {
    let bytes = root.encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    return (try? SchemaValues(schema).value(of: schema.state, from: &decoder)) ?? .null
  }

  private mutating func send(_ path: String) {
    let (values, all) = (SchemaValues(schema), value)
    guard let steps = (try? schema.part(named: path, allowsWindow: true))?.steps else {
      Issue.record("\(path) is a part of the state")
      return
    }
    guard case .window(let start, let count)? = steps.last else {
      let value = values.part(at: steps, of: all, as: schema.state)?.value
      return take(.received(path: path, ReceivedPart(value: value, revision: 1)))
    }
    let found = values.part(at: Array(steps.dropLast()), of: all, as: schema.state)
    guard let found, let items = Self.items(of: found.value) else {
      Issue.record("\(path) is a window of elements")
      return
    }
    let range = min(start, items.count)..<min(start, items.count) + min(count, max(items.count - start, 0))
    let elements = CBORValue.array(range.map { items[$0] })
    var window = CBORDecoder(elements.encoded().span.bytes)
    take(
      .received(
        path: path,
        ReceivedPart(
          value: try? values.value(of: found.type, from: &window),
          window: .init(count: items.count, start: range.lowerBound), revision: 1)))
  }

  private static func items(of collection: CBORValue) -> [CBORValue]? {
    switch collection {
    case .elements(let elements): Array(elements)
    case .array(let items): items
    default: nil
    }
  }

  var table: TableContent? { if case .table(let table) = state.content { table } else { nil } }

  /// The texts of the parts of a struct.
  var form: [[String]] { if case .form(let rows) = state.content { rows.map { $0.cells.map(\.text) } } else { [] } }

  func cells(_ row: Int) -> [String] { table?.row(at: row).cells.map(\.text) ?? [] }
}
