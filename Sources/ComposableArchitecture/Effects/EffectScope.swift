/// Names a child among those that a reducer composes: which composition, and which of its children.
@usableFromInline
struct EffectScope: Hashable, Sendable {
  private let place: EffectScopePlace
  private let child: CancelID

  @usableFromInline
  init(place: EffectScopePlace, child: some Hashable & Sendable) {
    self.place = place
    self.child = CancelID(child)
  }

  @usableFromInline static func == (lhs: EffectScope, rhs: EffectScope) -> Bool {
    lhs.place === rhs.place && lhs.child == rhs.child
  }

  @usableFromInline func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(place))
    hasher.combine(child)
  }
}

/// One `ifLet`, `ifCaseLet` or `forEach` of a compiled reducer: an object only to have an identity.
@usableFromInline
final class EffectScopePlace: Sendable {
  @usableFromInline init() {}
}

/// The children within children that an effect belongs to, outermost first.
typealias EffectPath = [EffectScope]

extension EffectPath {
  func isWithin(_ ancestor: EffectPath) -> Bool { starts(with: ancestor) }
}

extension Effect {
  /// The effect as work of a child.
  @usableFromInline
  func scoped(to scope: EffectScope) -> Effect {
    guard let tree else { return .none }
    return Effect(tree: .scoped(tree, scope))
  }

  /// Cancels all work of a child.
  @usableFromInline
  static func cancel(_ scope: EffectScope) -> Effect { Effect(tree: .cancelScope(scope)) }
}
