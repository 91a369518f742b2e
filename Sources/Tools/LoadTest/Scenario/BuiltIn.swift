/// Scenarios for the features of storehubd, written as texts like those of users.
package enum BuiltInScenario: String, CaseIterable, Sendable {
  /// Increments the shared counter.
  case increment
  /// Adds todos.
  case add
  /// Changes the texts of todos.
  case edit
  /// Moves todos.
  case move
  /// Deletes todos.
  case delete
  /// Marks todos as done or not done.
  case toggle
  /// Many users of one counter.
  case counter
  /// A shared list of 100,000 todos.
  case list
  /// 1,000 subscribers, each to one todo.
  case dashboards
  /// A team with all kinds of activity at once.
  case team

  /// The scenario as INI text.
  package var text: String {
    switch self {
    case .increment: Self.incrementSection
    case .add: Self.fillSection + Self.addSection
    case .edit: Self.fillSection + Self.editSection
    case .move: Self.fillSection + Self.moveSection
    case .delete: Self.fillSection + Self.deleteSection
    case .toggle: Self.fillSection + Self.toggleSection
    case .counter: Self.counterHead + Self.incrementSection
    case .list: Self.listHead + Self.editSection + Self.toggleSection + Self.addSection + Self.deleteSection
    case .dashboards: Self.dashboardsHead + Self.editSection
    case .team:
      Self.teamHead + Self.editSection + Self.toggleSection + Self.moveSection + Self.addSection + Self.deleteSection
        + Self.incrementSection
    }
  }

  private static let counterHead = """
    ; Fifty users press the same button, 20,000 times a second in all, at random times.
    [load]
    connections = 50
    rate = 20000
    arrival = poisson
    duration = 10
    warmup = 1

    ; Sixteen screens show the counter.
    [watch]
    count = 16
    scope = counter

    """
  private static let listHead = """
    ; Twenty users work on one list of 100,000 todos.
    [load]
    connections = 20
    rate = 2000
    arrival = poisson
    duration = 10
    warmup = 1

    [fill]
    send = todos.addButtonTapped "{run}-fill-{n}"
    path = todos.todos
    count = 100000

    [watch]
    count = 4

    """
  private static let dashboardsHead = """
    ; A thousand dashboards show one todo each; ten writers change them.
    [load]
    connections = 10
    rate = 5000
    arrival = poisson
    duration = 10
    warmup = 1

    [fill]
    send = todos.addButtonTapped "{run}-fill-{n}"
    path = todos.todos
    count = 1000

    [watch]
    count = 1000
    scope = todos.todos[{id}]
    scopes = 1000

    """
  private static let teamHead = """
    ; A team with one hub: everything happens at once, people come and go, one of them is slow.
    [load]
    connections = 30
    rate = 1000
    arrival = poisson
    duration = 10
    warmup = 1
    payload = 40
    churn = 2

    [fill]
    send = todos.addButtonTapped "{run}-fill-{n}"
    path = todos.todos
    count = 500

    [watch]
    count = 30
    slow = 1

    """
  private static let fillSection = """
    [fill]
    send = todos.addButtonTapped "{run}-fill-{n}"
    path = todos.todos

    """
  private static let incrementSection = """
    [action increment]
    send = counter.incrementButtonTapped
    counts = counter.count 1

    """
  private static let addSection = """
    [action add]
    send = todos.addButtonTapped "{text}"
    counts = todos.todos 1
    creates = todos.todos text "{text}"

    """
  private static let editSection = """
    [action edit]
    weight = 4
    send = todos.todos[{id}].textChanged "{text}"
    ids = todos.todos
    sets = todos.todos[{id}].text "{text}"

    """
  private static let moveSection = """
    [action move]
    send = todos.moved {id} {next}
    ids = todos.todos

    """
  private static let deleteSection = """
    [action delete]
    send = todos.deleteButtonTapped {id}
    ids = todos.todos
    counts = todos.todos -1
    removes = yes

    """
  private static let toggleSection = """
    [action toggle]
    weight = 2
    send = todos.todos[{id}].completionChanged {toggle}
    ids = todos.todos
    sets = todos.todos[{id}].isComplete {toggle}

    """
}
