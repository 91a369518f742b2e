import ComposableArchitecture
import IdentifiedCollections
import ReplicatedArchitecture
import Wire

// An old and a new version of a feature: with other keys, removed and added fields everywhere, and cases in another
// order with some added.

enum Old {
  @ObservableState
  @Replicated
  struct State: Equatable {
    var count = 0
    var name: String
    var mode = Mode.off
    var rows: IdentifiedArrayOf<Row> = []
    var plain: [Row] = []
    var marks: Set<Mark> = []
    var byMark: [Mark: Row] = [:]
    var byName: [String: [Mark]] = [:]
    var note: Row??
    var deep: [[Row?]] = []
    var result: Result<Row, Failure> = .failure(.gone)
    var window: ClosedRange<Mark>?
    var tree = Tree.leaf(0)
    var folder = Folder(name: "")
    var box = Box<Row>(value: Row(id: Mark(x: 0, y: "")))
    var same = Item(id: 0)
    var path = StackState<Row>()
    @Presents var sheet: Sheet?
    var alert: AlertState<Choice>?
    var dialog: ConfirmationDialogState<Choice>?
    var retired = 3
    var retiredRows: IdentifiedArrayOf<Row> = []
  }

  @Replicated
  struct Mark: Hashable, Comparable {
    var x: Int
    var y: String
    static func < (first: Self, second: Self) -> Bool { (first.x, first.y) < (second.x, second.y) }
  }

  @ObservableState
  @Replicated
  struct Row: Equatable, Identifiable {
    let id: Mark
    var title = ""
    var tags: [String] = []
    var isDone = false
    var mode = Mode.off
  }

  @Replicated
  enum Mode: Equatable {
    case off
    case level(Int)
    case marked(Mark)
    case both(label: String, mark: Mark, folder: Folder)
  }

  @Replicated
  enum Failure: Error, Equatable {
    case gone
    case because(mark: Mark)
  }

  @Replicated
  indirect enum Tree: Equatable {
    case leaf(Int)
    case node(Tree, Tree)
    case only(Tree)
  }

  @Replicated
  struct Folder: Equatable {
    var name: String
    var folders: [Folder] = []
  }

  @Replicated
  struct Box<Value: Equatable>: Equatable {
    var value: Value
    var others: [Value]?
  }

  @ObservableState
  @Replicated
  enum Sheet: Equatable {
    case row(Row)
    case empty
  }

  @Replicated
  enum Choice: Equatable {
    case yes(Mark)
    case no
  }

  @Replicated
  enum Action: Equatable {
    case tapped
    case chosen(Choice, by: String)
    case rows(IdentifiedAction<Mark, RowAction>)
    case path(StackAction<Row, RowAction>)
    case sheet(PresentationAction<RowAction>)
    case answered(Result<Row, Failure>)
    case retired
  }

  @Replicated
  enum RowAction: Equatable {
    case done(Bool)
    case marked(Set<Mark>)
  }
}

enum New {
  @ObservableState
  @Replicated
  struct State: Equatable {
    var added = 7
    var dialog: ConfirmationDialogState<Choice>?
    var alert: AlertState<Choice>?
    @Presents var sheet: Sheet?
    @ReplicatedKey(300) var path = StackState<Row>()
    @ReplicatedKey(4) var same = Item(id: 0)
    var box = Box<Row>(value: Row(id: Mark(y: "", x: 0)))
    var folder = Folder(name: "")
    var tree = Tree.leaf(0)
    var window: ClosedRange<Mark>?
    var result: Result<Row, Failure> = .failure(.gone)
    var deep: [[Row?]] = []
    @ReplicatedKey(40) var note: Row??
    var byName: [String: [Mark]] = [:]
    var byMark: [Mark: Row] = [:]
    var marks: Set<Mark> = []
    @ReplicatedKey(30) var plain: [Row] = []
    var rows: IdentifiedArrayOf<Row> = []
    var mode = Mode.off
    var name: String
    var count = 0
  }

  @Replicated
  struct Mark: Hashable, Comparable {
    var y: String
    var x: Int
    static func < (first: Self, second: Self) -> Bool { (first.x, first.y) < (second.x, second.y) }
  }

  @ObservableState
  @Replicated
  struct Row: Equatable, Identifiable {
    var mode = Mode.off
    var isNew = true
    var isDone = false
    var title = ""
    let id: Mark
  }

  @Replicated
  enum Mode: Equatable {
    case automatic(Int)
    case both(label: String, mark: Mark, folder: Folder)
    case marked(Mark)
    case off
    case level(Int)
  }

  @Replicated
  enum Failure: Error, Equatable {
    case because(mark: Mark)
    case gone
  }

  @Replicated
  indirect enum Tree: Equatable {
    case only(Tree)
    case node(Tree, Tree)
    case leaf(Int)
  }

  @Replicated
  struct Folder: Equatable {
    var folders: [Folder] = []
    var name: String
  }

  @Replicated
  struct Box<Value: Equatable>: Equatable {
    var others: [Value]?
    var value: Value
  }

  @ObservableState
  @Replicated
  enum Sheet: Equatable {
    case empty
    case row(Row)
  }

  @Replicated
  enum Choice: Equatable {
    case no
    case yes(Mark)
  }

  @Replicated
  enum Action: Equatable {
    case added(Int)
    case answered(Result<Row, Failure>)
    case sheet(PresentationAction<RowAction>)
    case path(StackAction<Row, RowAction>)
    case rows(IdentifiedAction<Mark, RowAction>)
    case chosen(Choice, by: String)
    case tapped
  }

  @Replicated
  enum RowAction: Equatable {
    case added
    case marked(Set<Mark>)
    case done(Bool)
  }
}

// MARK: - What the old ones are as new ones, and the actions back, by hand

extension New.State {
  init(_ old: Old.State) {
    self.init(name: old.name)
    count = old.count
    mode = New.Mode(old.mode)
    rows = IdentifiedArray(uniqueElements: old.rows.map(New.Row.init))
    plain = old.plain.map(New.Row.init)
    marks = Set(old.marks.map(New.Mark.init))
    byMark = Dictionary(uniqueKeysWithValues: old.byMark.map { (New.Mark($0), New.Row($1)) })
    byName = old.byName.mapValues { $0.map(New.Mark.init) }
    note = old.note.map { $0.map(New.Row.init) }
    deep = old.deep.map { $0.map { $0.map(New.Row.init) } }
    result = old.result.map(New.Row.init).mapError(New.Failure.init)
    window = old.window.map { New.Mark($0.lowerBound)...New.Mark($0.upperBound) }
    tree = New.Tree(old.tree)
    folder = New.Folder(old.folder)
    box = New.Box(others: old.box.others.map { $0.map(New.Row.init) }, value: New.Row(old.box.value))
    same = old.same
    for entry in old.path.entries {
      path.entries.append(StackState<New.Row>.Entry(id: entry.id, element: New.Row(entry.element)))
    }
    sheet = old.sheet.map {
      switch $0 {
      case .row(let row): .row(New.Row(row))
      case .empty: .empty
      }
    }
    alert = old.alert.map { $0.map { $0.map(New.Choice.init) } }
    dialog = old.dialog.map { $0.map { $0.map(New.Choice.init) } }
  }
}

extension New.Mark {
  init(_ old: Old.Mark) { self.init(y: old.y, x: old.x) }
}

extension New.Row {
  init(_ old: Old.Row) {
    self.init(mode: New.Mode(old.mode), isDone: old.isDone, title: old.title, id: New.Mark(old.id))
  }
}

extension New.Mode {
  init(_ old: Old.Mode) {
    switch old {
    case .off: self = .off
    case .level(let level): self = .level(level)
    case .marked(let mark): self = .marked(New.Mark(mark))
    case .both(let label, let mark, let folder):
      self = .both(label: label, mark: New.Mark(mark), folder: New.Folder(folder))
    }
  }
}

extension New.Failure {
  init(_ old: Old.Failure) {
    switch old {
    case .gone: self = .gone
    case .because(let mark): self = .because(mark: New.Mark(mark))
    }
  }
}

extension New.Tree {
  init(_ old: Old.Tree) {
    switch old {
    case .leaf(let value): self = .leaf(value)
    case .node(let first, let second): self = .node(New.Tree(first), New.Tree(second))
    case .only(let tree): self = .only(New.Tree(tree))
    }
  }
}

extension New.Folder {
  init(_ old: Old.Folder) { self.init(folders: old.folders.map(New.Folder.init), name: old.name) }
}

extension New.Choice {
  init(_ old: Old.Choice) {
    switch old {
    case .yes(let mark): self = .yes(New.Mark(mark))
    case .no: self = .no
    }
  }
}
