internal import Synchronization

/// Identifies a child of a reducer: the composition, and the child within it.
@usableFromInline
package struct EffectScope: Hashable, Sendable {
  private let place: EffectScopePlace
  private let child: CancelID

  @usableFromInline
  init(place: EffectScopePlace, child: some Hashable & Sendable) {
    self.place = place
    self.child = CancelID(child)
  }

  /// The identity of the place.
  var placeID: ObjectIdentifier { ObjectIdentifier(place) }

  @usableFromInline package static func == (lhs: EffectScope, rhs: EffectScope) -> Bool {
    lhs.place === rhs.place && lhs.child == rhs.child
  }

  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(place))
    hasher.combine(child)
  }
}

/// One `ifLet`, `ifCaseLet`, `forEach` or `schedule` of a feature. It is an object for the sake of its identity.
///
/// A reducer that another one calls through `reduce(into:action:)` is created and compiled again for each action, yet
/// the effects of its children must be found. A place is therefore identified by the source location of the
/// composition, the part of the state that it leads to, and the enclosing scopes.
@usableFromInline
package final class EffectScopePlace: Sendable {
  /// The attributes that identify a place. Unchecked: a key path is an immutable value.
  fileprivate struct Part: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath?
    var file: UInt = 0
    var line: UInt = 0
    var column: UInt = 0
  }

  /// The scopes around the composition being compiled, up to the nearest child with effects of its own.
  @TaskLocal private static var surroundings: [Part] = []
  private static let known = Mutex<[[Part]: EffectScopePlace]>([:])

  private init() {}

  /// The place of a composition within the reducer being compiled.
  ///
  /// - Parameters:
  ///   - keyPath: The part of the state that it leads to, if a key path describes it.
  ///   - site: Its source location.
  @usableFromInline
  package static func of(_ keyPath: AnyKeyPath?, _ site: CompositionSite) -> EffectScopePlace {
    let parts = surroundings + [part(keyPath, site)]
    return known.withLock { known in
      if let place = known[parts] { return place }
      let place = EffectScopePlace()
      known[parts] = place
      return place
    }
  }

  /// Compiles a reducer on a part of the state that is not a scope of effects.
  @usableFromInline
  static func within<Result>(_ keyPath: AnyKeyPath, _ compile: () -> Result) -> Result {
    $surroundings.withValue(surroundings + [Part(keyPath: keyPath)], operation: compile)
  }

  /// Compiles a child with effects of its own, which is identified by its path and not by the enclosing scopes.
  static func inChild<Result>(_ compile: () -> Result) -> Result {
    $surroundings.withValue([], operation: compile)
  }

  /// The scopes for a reducer that is compiled later, within a composition that is not a scope of effects.
  static func here(_ site: CompositionSite) -> Surroundings {
    Surroundings(parts: surroundings + [part(nil, site)])
  }

  /// The scopes around a reducer that is compiled later.
  @usableFromInline
  struct Surroundings {
    fileprivate let parts: [Part]

    func compile<Result>(_ compile: () -> Result) -> Result {
      $surroundings.withValue(parts, operation: compile)
    }
  }

  private static func part(_ keyPath: AnyKeyPath?, _ site: CompositionSite) -> Part {
    // One literal has one address. Reading it as text for each compilation would cost more.
    let file = site.fileID.hasPointerRepresentation ? UInt(bitPattern: site.fileID.utf8Start) : 0
    return Part(keyPath: keyPath, file: file, line: site.line, column: site.column)
  }
}

/// The nested children that an effect belongs to, outermost first.
package typealias EffectPath = [EffectScope]

extension EffectPath {
  /// The paths of the enclosing children, from the root to the path itself.
  var prefixes: some Sequence<EffectPath> {
    (0...count).lazy.map { Array(self.prefix($0)) }
  }
}

extension Effect {
  /// The effect as work of a child.
  ///
  /// - Parameter dismissal: The action that dismisses the child, if it is presented.
  @usableFromInline
  func scoped(to scope: EffectScope, dismissal: @autoclosure () -> Action? = nil) -> Effect {
    guard let tree else { return .none }
    if tree.isRefusal { return self }
    return Effect(tree: .scoped(tree, scope, dismissal: dismissal()))
  }

  /// Cancels all work of a child.
  @usableFromInline
  static func cancel(_ scope: EffectScope) -> Effect { Effect(tree: .cancelScope(scope)) }
}
