public import ConcurrencyExtras

/// Work in the outside world, as a value that a reducer returns.
///
/// A store runs effects as tasks, and the actions that they send go through its reducer. A cancelled effect delivers no
/// more actions.
public struct Effect<Action>: _NonisolatedByDefault {
  @usableFromInline package let tree: EffectTree<Action>?

  @inlinable package init(tree: EffectTree<Action>?) {
    self.tree = tree
  }
}

// Unchecked: the actions in an effect may not be `Sendable`, as in the original. An effect is reduced and taken apart on
// the thread of its store, the main actor's or that of the hub's loop, and its operations are `Sendable` themselves.
extension Effect: @unchecked Sendable {}
extension EffectTree: @unchecked Sendable {}

/// An effect with the action of a reducer.
public typealias EffectOf<R: Reducer> = Effect<R.Action>

/// Asynchronous work that may send actions.
@usableFromInline
package struct EffectOperation<Action>: Sendable {
  package let name: String?
  /// The raw value of a `TaskPriority`. The size of that type is not known at compile time, so a function with one on
  /// its stack asks the runtime for it.
  package let priority: UInt8?
  /// Where the work runs.
  package let place: EffectPlace
  package let run: @Sendable (Send<Action>) async -> Void
  /// The place of the effect in the feature's code, for reports; nil if it is unknown.
  package let site: CompositionSite?
  /// The subscription that begins the work in the turn of its action; nil for work in a task.
  package let subscription: EffectSubscription<Action>?

  package init(
    name: String?, priority: UInt8?, place: EffectPlace = .store, site: CompositionSite? = nil,
    subscription: EffectSubscription<Action>? = nil, run: @escaping @Sendable (Send<Action>) async -> Void
  ) {
    (self.name, self.priority, self.place, self.site) = (name, priority, place, site)
    (self.subscription, self.run) = (subscription, run)
  }

  /// The operation with its actions mapped to another type.
  package func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> EffectOperation<Other> {
    EffectOperation<Other>(
      name: name, priority: priority, place: place, site: site, subscription: subscription?.map(transform)
    ) { [run] send in
      await run(Send { send(transform($0)) })
    }
  }
}

/// The id of an effect: any hashable value. Values of different types are never equal.
///
/// Unchecked: ids are immutable. Only ids of older generations are not `Sendable`.
@usableFromInline
package struct CancelID: Hashable, @unchecked Sendable {
  // Erased once: comparing two values of a protocol type would erase both each time, with casts at run time.
  private let id: AnyHashable
  private let type: ObjectIdentifier

  package init(_ id: any Hashable & Sendable) {
    (self.id, type) = (AnyHashable(id), ObjectIdentifier(Swift.type(of: id)))
  }

  /// Creates the id of an effect of an older generation. It equals the id of the wrapped value.
  package init(anyHashable id: AnyHashable) {
    (self.id, type) = (id, ObjectIdentifier(Swift.type(of: id.base)))
  }

  /// The id of all work of a child within streams.
  package static let allWork = CancelID(AllWork())

  private struct AllWork: Hashable, Sendable {}

  @usableFromInline package static func == (lhs: CancelID, rhs: CancelID) -> Bool {
    lhs.type == rhs.type && lhs.id == rhs.id
  }

  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Effect {
  /// Nothing to run. Combining it with other effects costs nothing.
  @inlinable public static var none: Effect { Effect(tree: nil) }

  /// True if there is nothing to run.
  @usableFromInline var isNone: Bool { tree == nil }

  /// Sends an action in the same turn, after those that are already queued.
  public static func send(_ action: Action) -> Effect {
    Effect(tree: .send(action))
  }

  /// Runs all effects concurrently.
  @inlinable public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

  /// Runs all effects concurrently.
  @inlinable
  public static func merge(_ effects: some Sequence<Effect>) -> Effect {
    // Most merges are of empty effects, or of one that is not; they need no list.
    var (first, others): (Effect, [Effect]) = (.none, [])
    for effect in effects where !effect.isNone {
      if first.isNone { first = effect } else { others.append(effect) }
    }
    return others.isEmpty ? first : first.merge(with: balanced(others[...]) { $0.merge(with: $1) })
  }

  /// Runs this effect and another concurrently.
  @inlinable
  public func merge(with other: Effect) -> Effect {
    guard let tree else { return other }
    guard let second = other.tree else { return self }
    if tree.isRefusal { return self }
    return second.isRefusal ? other : Effect(tree: .merge(tree, second))
  }

  /// Runs the effects one after another.
  @inlinable public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

  /// Runs the effects one after another.
  @inlinable
  public static func concatenate(_ effects: some Collection<Effect>) -> Effect {
    balanced(Array(effects)[...]) { $0.concatenate(with: $1) }
  }

  /// Joins effects to a balanced tree, which keeps recursion shallow.
  @usableFromInline
  static func balanced(_ effects: ArraySlice<Effect>, _ join: (Effect, Effect) -> Effect) -> Effect {
    guard effects.count > 1 else { return effects.first ?? .none }
    let middle = effects.startIndex + effects.count / 2
    return join(balanced(effects[..<middle], join), balanced(effects[middle...], join))
  }

  /// Runs another effect when this one has finished.
  @inlinable
  public func concatenate(with other: Effect) -> Effect {
    guard let tree else { return other }
    guard let second = other.tree else { return self }
    if tree.isRefusal { return self }
    return second.isRefusal ? other : Effect(tree: .concatenate(tree, second))
  }

  /// Maps the actions of the effect to those of another feature.
  @inlinable
  public func map<Parent>(_ transform: @escaping @Sendable (Action) -> Parent) -> Effect<Parent> {
    guard let tree else { return .none }
    return Effect<Parent>(tree: tree.map(transform))
  }
}
