/// The shape of an effect. It is data until a `ReducerCore` interprets it.
@usableFromInline
package indirect enum EffectTree<Action> {
  case send(Action)
  case run(EffectOperation<Action>)
  case merge(EffectTree, EffectTree)
  case concatenate(EffectTree, EffectTree)
  case cancellable(EffectTree, CancelID, cancelInFlight: Bool)
  /// Work that is not begun while other work with the id runs: then the sender holds that.
  case shared(EffectTree, CancelID)
  case cancel(CancelID)
  /// Work of a child. Its ids, and the cancellations by id, apply to that child and its descendants. The action
  /// dismisses a presented child.
  case scoped(EffectTree, EffectScope, dismissal: Action?)
  /// Cancels all work of a child.
  case cancelScope(EffectScope)
  /// The action is refused: nothing of it takes effect.
  case refusal(Refusal)
  /// Work with the action that a hub sends if its process ends before the work does.
  case restarting(EffectTree, Action)
}

extension EffectTree {
  /// The tree with its actions mapped to those of another feature.
  @usableFromInline func map<Parent>(_ transform: @escaping @Sendable (Action) -> Parent) -> EffectTree<Parent> {
    rebuilt(send: { .send(transform($0)) }, run: { .run($0.map(transform)) }, action: transform)
  }

  /// The tree with each operation wrapped.
  package func wrappingOperations(_ wrap: (EffectOperation<Action>) -> EffectOperation<Action>) -> EffectTree {
    rebuilt(send: { .send($0) }, run: { .run(wrap($0)) }, action: { $0 })
  }

  /// A node around the one that is being rebuilt.
  private enum Open<Other> {
    case merge(first: EffectTree<Other>?, second: EffectTree)
    case concatenate(first: EffectTree<Other>?, second: EffectTree)
    case cancellable(CancelID, cancelInFlight: Bool)
    case shared(CancelID)
    case scoped(EffectScope, dismissal: Other?)
    case restarting(Other)
  }

  /// A tree of the same shape, with its actions and operations replaced. A loop, not a recursion: a tree may be as deep
  /// as a reducer's list of effects is long.
  ///
  /// - Parameter action: Replaces an action that may be sent later: that of a dismissal or a restart.
  func rebuilt<Other>(
    send: (Action) -> EffectTree<Other>, run: (EffectOperation<Action>) -> EffectTree<Other>,
    action: (Action) -> Other
  ) -> EffectTree<Other> {
    var open: [Open<Other>] = []
    var tree = self
    while true {
      var result: EffectTree<Other>
      switch tree {
      case .merge(let first, let second):
        open.append(.merge(first: nil, second: second))
        tree = first
        continue
      case .concatenate(let first, let second):
        open.append(.concatenate(first: nil, second: second))
        tree = first
        continue
      case .cancellable(let cancellable, let id, let cancelInFlight):
        open.append(.cancellable(id, cancelInFlight: cancelInFlight))
        tree = cancellable
        continue
      case .shared(let shared, let id):
        open.append(.shared(id))
        tree = shared
        continue
      case .scoped(let scoped, let scope, let dismissal):
        open.append(.scoped(scope, dismissal: dismissal.map(action)))
        tree = scoped
        continue
      case .restarting(let restarting, let restart):
        open.append(.restarting(action(restart)))
        tree = restarting
        continue
      case .send(let sent): result = send(sent)
      case .run(let operation): result = run(operation)
      case .cancel(let id): result = .cancel(id)
      case .cancelScope(let scope): result = .cancelScope(scope)
      case .refusal(let refusal): result = .refusal(refusal)
      }
      guard let next = Self.close(&open, &result) else { return result }
      tree = next
    }
  }

  /// Puts a rebuilt node into those around it, up to one whose second part is not rebuilt yet. Returns that part, or nil
  /// if the result is the whole tree.
  private static func close<Other>(_ open: inout [Open<Other>], _ result: inout EffectTree<Other>) -> EffectTree? {
    while let node = open.popLast() {
      switch node {
      case .merge(nil, let second):
        open.append(.merge(first: result, second: second))
        return second
      case .concatenate(nil, let second):
        open.append(.concatenate(first: result, second: second))
        return second
      case .merge(let first?, _): result = .merge(first, result)
      case .concatenate(let first?, _): result = .concatenate(first, result)
      case .cancellable(let id, let cancelInFlight):
        result = .cancellable(result, id, cancelInFlight: cancelInFlight)
      case .shared(let id): result = .shared(result, id)
      case .scoped(let scope, let dismissal): result = .scoped(result, scope, dismissal: dismissal)
      case .restarting(let restart): result = .restarting(result, restart)
      }
    }
    return nil
  }
}
