internal import Wire

/// The parts of the state that the subscribers of a run subscribe to.
struct WatchPlan {
  private(set) var watchers: [(number: Int, scope: Int?, path: [PathStep], isSlow: Bool)] = []
  /// For each element of the collection, the scope that contains it; nil if all subscribers have the same scope.
  private(set) var scopeOfElement: [Int: Int]?
  /// The path of the part, or of the collection whose elements are the parts.
  private var root: [PathStep] = []
  /// The path within such an element.
  private var rest: [PathStep] = []

  /// Creates a plan without subscribers.
  init() {}

  init(_ plan: Plan, schema: Schema, state: [UInt8], run: String) throws(LoadError) {
    guard plan.watchers > 0 else { return }
    let compiler = TemplateCompiler(schema: schema, run: run, payload: 0)
    let slow = max(0, plan.watchers - plan.slowWatchers)
    guard plan.scope.contains("{id}") else {
      root = try compiler.path(plan.scope, allowsWindow: true)
      watchers = (0..<plan.watchers).map { ($0, nil, root, $0 >= slow) }
      return
    }
    let (collection, rest) = try compiler.elementPath(plan.scope)
    (root, self.rest) = (collection, rest)
    let elements = try Elements(at: collection, flag: nil, of: state, StateReader(schema: schema))
    guard elements.count > 0 else { throw .doesNotFit("\(plan.scope) needs elements, and there are none") }
    let scopes = min(plan.scopes, elements.count)
    let chosen = (0..<scopes).map { $0 * elements.count / scopes }
    scopeOfElement = Dictionary(uniqueKeysWithValues: chosen.enumerated().map { ($1, $0) })
    watchers = (0..<plan.watchers).map { number in
      let scope = number % scopes
      return (number, scope, collection + [.id(elements.id(chosen[scope]))] + rest, number >= slow)
    }
  }

  /// Returns true if a kind of action changes a subscribed part, as far as the scenario says.
  ///
  /// - Parameter collections: Those whose indices the kinds contain.
  func isTouched(by kind: ActionKind, of collections: [Elements]) -> Bool {
    if scopeOfElement != nil {
      guard let sets = kind.sets, let elements = kind.elements, collections[elements].path == root else { return false }
      return sets.path.starts(with: rest) || rest.starts(with: sets.path)
    }
    return root.isEmpty || kind.touched.contains { $0.starts(with: root) || root.starts(with: $0) }
  }

  /// Returns true if each action of a run certainly changes the part of every subscriber.
  ///
  /// The hub combines the actions of a turn. So an action that another one can undo is not certain.
  func isChangedByAll(_ kinds: [ActionKind], of collections: [Elements]) -> Bool {
    guard !watchers.isEmpty, scopeOfElement == nil else { return false }
    return kinds.allSatisfy { kind in
      if let creates = kind.creates, creates.collection.starts(with: root) { return true }
      if let sets = kind.sets, sets.value.isUnique, let elements = kind.elements {
        return collections[elements].path.starts(with: root)
      }
      guard let counts = kind.counts, counts.by != 0, counts.path.starts(with: root) else { return false }
      return kinds.allSatisfy { $0.counts.map { $0.path != counts.path || ($0.by > 0) == (counts.by > 0) } ?? true }
    }
  }

  /// The scopes of the subscribers with which freshness is measured. The slow ones are the last ones.
  var sampledScopes: [Int?] { watchers.prefix(Watcher.sampleLimit).filter { !$0.isSlow }.map(\.scope) }
}
