import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import Wire

extension Shaper {
  mutating func mark() -> Old.Mark { Old.Mark(x: pick([0, 1, 2, 30, -5]), y: text()) }

  mutating func mode() -> Old.Mode {
    switch below(4) {
    case 0: .off
    case 1: .level(below(300))
    case 2: .marked(mark())
    default: .both(label: text(), mark: mark(), folder: folder(2))
    }
  }

  mutating func row(_ id: Old.Mark? = nil) -> Old.Row {
    let id = id ?? mark()
    return Old.Row(id: id, title: text(), tags: list(2) { $0.text() }, isDone: below(2) == 0, mode: mode())
  }

  mutating func rows(_ most: Int) -> IdentifiedArrayOf<Old.Row> {
    var rows: IdentifiedArrayOf<Old.Row> = []
    for row in list(most, { $0.row() }) { rows.append(row) }
    return rows
  }

  mutating func folder(_ depth: Int) -> Old.Folder {
    Old.Folder(name: text(), folders: depth == 0 ? [] : list(2) { $0.folder(depth - 1) })
  }

  mutating func oldTree(_ depth: Int) -> Old.Tree {
    switch depth == 0 ? 0 : below(3) {
    case 0: .leaf(below(4))
    case 1: .only(oldTree(depth - 1))
    default: .node(oldTree(depth - 1), oldTree(depth - 1))
    }
  }

  mutating func sheet() -> Old.Sheet? { pick([nil, .empty, .row(row())]) }

  mutating func alert() -> AlertState<Old.Choice>? {
    let (title, choice) = (text() + "?", pick([Old.Choice.no, .yes(mark())]))
    guard below(3) > 0 else { return nil }
    return AlertState {
      TextState(title).bold()
    } actions: {
      ButtonState(role: .destructive, action: choice) { TextState("Yes") }
      ButtonState(role: .cancel) { TextState("No") }
    } message: {
      TextState("Think")
    }
  }

  mutating func dialog() -> ConfirmationDialogState<Old.Choice>? {
    let choice = pick([Old.Choice.no, .yes(mark())])
    guard below(3) > 0 else { return nil }
    return ConfirmationDialogState(titleVisibility: .visible) {
      TextState("Choose")
    } actions: {
      ButtonState(action: choice) { TextState("This") }
    }
  }

  mutating func range() -> ClosedRange<Old.Mark>? {
    let (first, second) = (mark(), mark())
    return pick([nil, min(first, second)...max(first, second)])
  }

  mutating func result() -> Result<Old.Row, Old.Failure> {
    pick([.success(row()), .failure(.gone), .failure(.because(mark: mark()))])
  }

  mutating func oldState() -> Old.State {
    var state = Old.State(name: text())
    state.count = integer(Int.self)
    state.mode = mode()
    state.rows = rows(4)
    state.plain = list(3) { $0.row() }
    state.marks = Set(list(5) { $0.mark() })
    state.byMark = Dictionary(list(3) { ($0.mark(), $0.row()) }) { first, _ in first }
    state.byName = Dictionary(list(4) { ($0.text(), $0.list(3) { $0.mark() }) }) { first, _ in first }
    state.note = pick([nil, .some(nil), row()])
    state.deep = list(2) { $0.list(2) { $0.pick([nil, $0.row()]) } }
    state.result = result()
    state.window = range()
    state.tree = oldTree(3)
    state.folder = folder(2)
    state.box = Old.Box(value: row(), others: below(2) == 0 ? nil : list(3) { $0.row() })
    state.same = item(below(3))
    state.sheet = sheet()
    state.alert = alert()
    state.dialog = dialog()
    state.retired = below(9)
    state.retiredRows = rows(3)
    for id in 0..<below(4) { push(id, to: &state.path) }
    return state
  }

  private mutating func push(_ id: Int, to path: inout StackState<Old.Row>) {
    path.entries.append(StackState<Old.Row>.Entry(id: StackElementID(generation: id), element: row()))
  }

  /// Returns a state with a few changes, as made by an action.
  mutating func changed(_ state: Old.State) -> Old.State {
    var state = state
    for _ in 0...below(3) { change(&state) }
    return state
  }

  private mutating func change(_ state: inout Old.State) {
    switch below(26) {
    case 0: state.count &+= below(9)
    case 1: state.mode = mode()
    case 2:
      // Within the values of a case.
      guard case .both(let label, _, let folder) = state.mode else { return state.mode = mode() }
      state.mode = .both(label: label, mark: mark(), folder: folder)
    case 3: state.rows.insert(row(Old.Mark(x: below(10_000), y: text())), at: below(state.rows.count + 1))
    case 4 where !state.rows.isEmpty: state.rows.remove(at: below(state.rows.count))
    case 5 where state.rows.count > 1: state.rows.swapAt(below(state.rows.count), below(state.rows.count))
    case 6 where !state.rows.isEmpty: state.rows[below(state.rows.count)].mode = mode()
    case 7 where !state.rows.isEmpty: state.rows[below(state.rows.count)].tags = [text()]
    case 8: state.plain.insert(row(), at: below(state.plain.count + 1))
    case 9 where !state.plain.isEmpty: state.plain[below(state.plain.count)].title = text()
    case 10: state.marks.formSymmetricDifference([mark()])
    case 11: state.byMark[mark()] = pick([nil, row()])
    case 12: if let key = state.byMark.keys.first { state.byMark[key]?.isDone.toggle() }
    case 13: state.byName[text()] = pick([nil, list(3) { $0.mark() }])
    case 14: state.byName[text()]?.append(mark())
    case 15: state.note = pick([nil, .some(nil), row()])
    case 16: if case .some(.some(var row)) = state.note { (row.mode, state.note) = (mode(), row) }
    case 17: state.result = result()
    case 18: state.window = range()
    case 19:
      if case .node(let first, _) = state.tree {
        state.tree = .node(first, oldTree(2))
      } else {
        state.tree = oldTree(4)
      }
    case 20: if !state.folder.folders.isEmpty { state.folder.folders[0].name = text() }
    case 21: state.box.others?.append(row())
    case 22:
      if below(2) == 0, !state.path.isEmpty { state.path[0].mode = mode() }
      if below(2) == 0 { push(below(10_000) + 10, to: &state.path) }
      if below(4) == 0, !state.path.isEmpty { state.path.removeLast() }
    case 23:
      if case .row(var row) = state.sheet {
        (row.title, state.sheet) = (text(), .row(row))
      } else {
        state.sheet = sheet()
      }
    case 24: (state.alert, state.dialog) = (alert(), dialog())
    default: (state.retired, state.retiredRows) = (below(9), rows(3))
    }
  }

  /// Returns the same schema with other keys everywhere.
  mutating func shuffled(_ schema: Schema) -> Schema {
    let original = schema
    var schema = schema
    for index in schema.definitions.indices {
      switch schema.definitions[index].content {
      case .fields(var fields):
        let keys = keys(fields.count)
        for index in fields.indices { fields[index].key = keys[index] }
        schema.definitions[index].content = .fields(fields.sorted { $0.key < $1.key })
      case .cases(var cases):
        let keys = keys(cases.count)
        for index in cases.indices { cases[index].key = keys[index] }
        schema.definitions[index].content = .cases(cases.sorted { $0.key < $1.key })
      }
    }
    for index in schema.definitions.indices {
      var place = index
      schema.definitions[index].id = original.definitions[index].id.compactMap { key in
        guard case .fields(let old) = original.definitions[place].content,
          case .fields(let new) = schema.definitions[place].content,
          let field = old.first(where: { $0.key == key })
        else { return nil }
        if case .definition(let next) = field.type { place = next }
        return new.first { $0.name == field.name }?.key
      }
    }
    return schema
  }

  /// Returns the same schema with another name for about half of the fields and cases, whose former names are the others.
  mutating func renamed(_ schema: Schema) -> Schema {
    var schema = schema
    for index in schema.definitions.indices {
      switch schema.definitions[index].content {
      case .fields(var fields):
        for index in fields.indices where below(2) == 0 {
          fields[index].formerNames = ["other \(index)", fields[index].name]
          fields[index].name = "new \(fields[index].name)"
        }
        schema.definitions[index].content = .fields(fields)
      case .cases(var cases):
        for index in cases.indices where below(2) == 0 {
          cases[index].formerNames = [cases[index].name]
          cases[index].name = "new \(cases[index].name)"
        }
        schema.definitions[index].content = .cases(cases)
      }
    }
    return schema
  }

  /// Returns distinct keys, small ones and those of nine bytes.
  private mutating func keys(_ count: Int) -> [UInt64] {
    let gap = pick([1, 20, 300, 1 << 40])
    return (0..<UInt64(count)).map { $0 * UInt64(gap) }.shuffled(using: &generator)
  }

  /// Returns an action that both sides have, in both forms.
  mutating func rowAction() -> (new: New.RowAction, old: Old.RowAction) {
    if below(2) == 0 { return (.done(true), .done(true)) }
    let marks = list(6) { $0.mark() }
    return (.marked(Set(marks.map(New.Mark.init))), .marked(Set(marks)))
  }

  mutating func actions() -> (new: New.Action, old: Old.Action) {
    let (mark, row, text, inner) = (mark(), row(), text(), rowAction())
    // Fields that only the old side has are not in values from the new side.
    var plain = row
    plain.tags = []
    switch below(10) {
    case 0: return (.tapped, .tapped)
    case 1: return (.chosen(.yes(New.Mark(mark)), by: text), .chosen(.yes(mark), by: text))
    case 2: return (.chosen(.no, by: text), .chosen(.no, by: text))
    case 3:
      return (.rows(.element(id: New.Mark(mark), action: inner.new)), .rows(.element(id: mark, action: inner.old)))
    case 4: return (.path(.element(id: 4, action: inner.new)), .path(.element(id: 4, action: inner.old)))
    case 5: return (.path(.popFrom(id: 70)), .path(.popFrom(id: 70)))
    case 6: return (.path(.push(id: 5, state: New.Row(row))), .path(.push(id: 5, state: plain)))
    case 7: return (.sheet(.dismiss), .sheet(.dismiss))
    case 8: return (.sheet(.presented(inner.new)), .sheet(.presented(inner.old)))
    default:
      return below(2) == 0
        ? (.answered(.success(New.Row(row))), .answered(.success(plain)))
        : (.answered(.failure(.because(mark: New.Mark(mark)))), .answered(.failure(.because(mark: mark))))
    }
  }
}
