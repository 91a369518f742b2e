import ComposableArchitecture
import Foundation
import IdentifiedCollections
import SchemaBrowser
import SchemaNames
import TestFeatures
import Wire

/// The schema of the diner.
let dinerSchema = Schema(state: Diner.State.self, action: Diner.Action.self)

func describedDiner(mayReadHub: Bool = false, hasJournal: Bool = false) -> HubDescription {
  HubDescription("dinerhub", dinerSchema, mayReadHub: mayReadHub, hasJournal: hasJournal)
}

/// A state with a few orders.
func sampleDiner() -> Diner.State {
  var state = Diner.State()
  var soup = DinerOrder.State(id: 1, dish: "fish soup", table: 4, note: "no onions")
  (soup.stage, soup.cooking, soup.extras) = (.onTheStove(minutes: 7), .seconds(125), ["bread", "butter"])
  state.orders = [
    soup, DinerOrder.State(id: 2, dish: "pancakes", table: 2), DinerOrder.State(id: 12, dish: "Apple pie", table: 9),
  ]
  state.prices = ["fish soup": 9.5, "pancakes": 6]
  state.chef = Diner.Chef(name: "Ada")
  return state
}

/// A part of a state as a client without the feature reads it.
func part(_ state: Diner.State, at path: String) throws -> CBORValue? {
  let bytes = state.encoded()
  var decoder = CBORDecoder(bytes.span.bytes)
  let value = try SchemaValues(dinerSchema).value(of: dinerSchema.state, from: &decoder)
  return SchemaValues(dinerSchema).part(at: try dinerSchema.part(named: path), of: value)?.value
}

/// A browser without a program: it gets the parts that it asks for from a state.
struct DrivenBrowser {
  var state: Browser.State
  var diner: Diner.State
  /// The actions that were sent, as text.
  var sent: [String] = []
  private var reducer = Browser()

  init(_ diner: Diner.State = sampleDiner(), _ configuration: BrowserConfiguration = BrowserConfiguration()) throws {
    (state, self.diner) = (Browser.State(configuration), diner)
    take(.connected(describedDiner()))
    take(.linkChanged(.live))
    take(.timePassed(now: .seconds(100), wallTime: 1_800_000_600_000))
    try supply()
    take(.timePassed(now: .seconds(200), wallTime: 1_800_000_600_000))
  }

  mutating func take(_ action: Browser.Action) { _ = reducer.reduce(into: &state, action: action) }

  /// Sends the parts that the browser asks for, and takes back the others.
  mutating func supply() throws {
    for path in state.parts.keys where !state.scopes.contains(path) { take(.released(path: path)) }
    for path in state.scopes {
      let part = ReceivedPart(value: try part(diner, at: path), revision: 1)
      if state.parts[path] != part { take(.received(path: path, part)) }
    }
  }

  /// Does what a user does, with a hub that accepts every action.
  mutating func act(_ actions: Browser.Action...) throws {
    for action in actions {
      take(action)
      for number in state.pending.keys.sorted() {
        sent.append(state.pending[number]?.text ?? "")
        take(.answered(number: number, nil))
      }
      try supply()
    }
  }

  /// Chooses the best match of the palette.
  mutating func choose(_ query: String) throws {
    try act(.paletteTapped, .paletteChanged(query))
    guard case .palette(let palette)? = state.overlay, let first = palette.matches.first else { return }
    try act(.actionChosen(first))
  }

  /// Opens a path.
  mutating func go(_ path: String) throws { try act(.pathTapped, .pathChanged(path), .pathEntered) }

  mutating func change(_ body: (inout Diner.State) -> Void) throws {
    body(&diner)
    try supply()
  }

  /// The texts of the rows.
  var rows: [[String]] {
    switch state.content {
    case .table(let table): (0..<table.count).map { table.row(at: $0).cells.map(\.text) }
    case .form(let rows): rows.map { $0.cells.map(\.text) }
    case .text(let lines): lines.map { [$0] }
    case .absent(let reason): [["absent: \(reason)"]]
    case .loading: [["loading"]]
    }
  }

  var headings: [String] {
    if case .table(let table) = state.content { table.columns.map(\.title) } else { [] }
  }

  /// The form that is open.
  var form: ActionForm? { if case .form(let form)? = state.overlay { form } else { nil } }

  /// The name of the place of a form's line.
  func place(_ label: String) -> [Int] { form?.draft.lines.first { $0.label == label }?.place ?? [] }
}
