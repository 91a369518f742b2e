import ComposableArchitecture
import SchemaBrowser
import SchemaNames
import Wire

extension FuzzTarget {
  /// Whatever a user does with a hub of any state, the terminal's browser asks only for parts that the schema has, shows
  /// rows that have all of its columns, and sends only actions that the hub can read.
  static let browser = FuzzTarget(name: "browser") { bytes in
    var input = FuzzInput(bytes)
    var play = BrowserPlay(specimen: input.byte())
    var steps = 0
    while !input.isAtEnd, steps < 200 {
      try play.step(&input)
      steps += 1
    }
  } seeds: {
    [
      [7, 0, 0, 1, 9, 2, 3, 5, 12, 13, 11, 30, 1], Array(0..<64), (0..<64).map { 255 - $0 * 3 },
      [255, 9, 3, 10, 1, 14, 0, 15, 16, 3, 97, 16, 4, 49, 17, 14, 18, 19, 20],
    ]
  }
}

/// A browser, and the state of its hub.
private struct BrowserPlay {
  private static let schema = Schema(state: Specimen.self, action: SpecimenAction.self)
  private static let description = HubDescription("specimen", schema, mayReadHub: true, hasJournal: true)

  private var state = Browser.State()
  private var number: UInt8
  private var now = Duration.seconds(1)
  private var sent = 0
  private let reducer = Browser()

  init(specimen: UInt8) {
    number = specimen
    take(.connected(Self.description))
    take(.linkChanged(.live))
  }

  private mutating func take(_ action: Browser.Action) { _ = reducer.reduce(into: &state, action: action) }

  mutating func step(_ input: inout FuzzInput) throws {
    now += .milliseconds(200)
    take(.timePassed(now: now, wallTime: 1_800_000_000_000))
    take(action(&input))
    try checkActions()
    try supply()
    try checkContent()
  }

  private mutating func action(_ input: inout FuzzInput) -> Browser.Action {
    switch input.below(32) {
    case 0: return .tabOpened(input.below(max(state.tabs.count, 1)))
    case 1, 2: return .rowOpened(row(input.byte()))
    case 3: return .rowSelected(row(input.byte()))
    case 4: return .upTapped
    case 5: return .escapeTapped
    case 6: return .sortTapped
    case 7: return .sortReversed
    case 8: return .columnsScrolled(input.below(5) - 2)
    case 9: return .filterTapped
    case 10: return .filterChanged(text(&input))
    case 11: return .filterEnded(isKept: input.below(2) == 0)
    case 12: return .pathTapped
    case 13: return .pathChanged(text(&input))
    case 14: return .pathEntered
    case 15: return .pathCompleted
    case 16, 17: return .paletteTapped
    case 18: return .paletteChanged(text(&input))
    case 19: return .paletteMoved(input.below(9) - 4)
    case 20, 21: return .paletteEntered
    case 22, 23: return .formChanged(place: place(input.byte()), change(&input))
    case 24: return .formCompleted(place: place(input.byte()))
    case 25: return .formSubmitted
    case 26: return .repeatTapped
    case 27: return .recentChosen(input.below(10))
    case 28: return .overlayClosed
    case 29: return .editTapped
    case 30:
      number = input.byte()
      return .overlayClosed
    default: return .linkChanged(input.below(2) == 0 ? .away : .live)
    }
  }

  private func row(_ byte: UInt8) -> String {
    switch state.content {
    case .table(let table): table.count > 0 ? table.name(at: Int(byte) % table.count) : "[1]"
    case .form(let rows): rows.isEmpty ? "x" : rows[Int(byte) % rows.count].name
    case .loading, .absent, .text: "\(byte)"
    }
  }

  private func text(_ input: inout FuzzInput) -> String {
    String(decoding: input.take(input.below(8)), as: UTF8.self)
  }

  private func place(_ byte: UInt8) -> [Int] {
    guard case .form(let form)? = state.overlay else { return [Int(byte)] }
    let lines = form.draft.lines
    return lines.isEmpty ? [] : lines[Int(byte) % lines.count].place
  }

  private func change(_ input: inout FuzzInput) -> FieldChange {
    switch input.below(3) {
    case 0: .text(text(&input))
    case 1: .chosen(input.below(6))
    default: .isOn(input.below(2) == 0)
    }
  }

  // MARK: Guarantees

  /// Sends the parts that the browser asks for.
  private mutating func supply() throws {
    let bytes = Specimen.sample(number).encoded()
    var decoder = CBORDecoder(bytes.span.bytes)
    let values = SchemaValues(Self.schema)
    let value = try values.value(of: Self.schema.state, from: &decoder)
    for path in state.parts.keys where !state.scopes.contains(path) { take(.released(path: path)) }
    for path in state.scopes {
      let part = try Self.schema.part(named: path)
      try promise(part.rest.isEmpty, "a hub knows no part \(path)")
      let found = values.part(at: part.steps, of: value, as: Self.schema.state)?.value
      take(.received(path: path, ReceivedPart(value: found, revision: 1)))
    }
  }

  private func checkContent() throws {
    guard case .table(let table) = state.content else { return }
    for offset in 0..<min(table.count, 20) {
      let row = table.row(at: offset)
      try promise(row.cells.count == table.columns.count, "a row has all columns")
      try promise(row.name == table.name(at: offset), "a row has its own name")
      for cell in row.cells {
        let isPlain = cell.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        try promise(isPlain, "a cell cannot control the terminal")
      }
    }
  }

  private mutating func checkActions() throws {
    for number in state.pending.keys.sorted() {
      guard let action = state.pending[number]?.action else { continue }
      let bytes = action.encoded()
      try promise((try? SpecimenAction(decoding: bytes.span.bytes)) != nil, "the hub can read \(action)")
      sent += 1
      take(.answered(number: number, sent % 3 == 0 ? SchemaBrowser.Refusal("no") : nil))
    }
  }
}
