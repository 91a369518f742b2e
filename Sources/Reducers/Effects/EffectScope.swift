internal import Synchronization

/// Names a child among those that a reducer composes: which composition, and which of its children.
@usableFromInline
package struct EffectScope: Hashable, Sendable {
  private let place: EffectScopePlace
  private let child: CancelID

  @usableFromInline
  init(place: EffectScopePlace, child: some Hashable & Sendable) {
    self.place = place
    self.child = CancelID(child)
  }

  @usableFromInline package static func == (lhs: EffectScope, rhs: EffectScope) -> Bool {
    lhs.place === rhs.place && lhs.child == rhs.child
  }

  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(place))
    hasher.combine(child)
  }
}

/// One `ifLet`, `ifCaseLet` or `forEach` of a feature: an object only to have an identity.
///
/// A reducer that another one calls by `reduce(into:action:)` is made and compiled anew for each action, and effects of
/// its children must be found again all the same. So a place is known by what the program says: where the composition is
/// written, which part of the state it leads to, and which scopes are around it.
@usableFromInline
final class EffectScopePlace: Sendable {
  /// What of the program makes a place another one. Unchecked: a key path is a value that nobody changes.
  fileprivate struct Part: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath?
    var file: UInt = 0
    var line: UInt = 0
    var column: UInt = 0
  }

  /// The scopes around what is being compiled, up to the nearest child that has effects of its own.
  @TaskLocal private static var surroundings: [Part] = []
  private static let known = Mutex<[[Part]: EffectScopePlace]>([:])

  private init() {}

  /// The place of a composition in what is being compiled.
  ///
  /// - Parameters:
  ///   - keyPath: Which part of the state it leads to, if a key path says so.
  ///   - site: Where it is written.
  @usableFromInline
  static func of(_ keyPath: AnyKeyPath?, _ site: CompositionSite) -> EffectScopePlace {
    let parts = surroundings + [part(keyPath, site)]
    return known.withLock { known in
      if let place = known[parts] { return place }
      let place = EffectScopePlace()
      known[parts] = place
      return place
    }
  }

  /// Compiles what is within a part of the state that is not a scope of effects.
  @usableFromInline
  static func within<Result>(_ keyPath: AnyKeyPath, _ compile: () -> Result) -> Result {
    $surroundings.withValue(surroundings + [Part(keyPath: keyPath)], operation: compile)
  }

  /// Compiles a child with effects of its own: the path to it says what is around it.
  static func inChild<Result>(_ compile: () -> Result) -> Result {
    $surroundings.withValue([], operation: compile)
  }

  /// What compiles later as if it did here, within a composition that is not a scope of effects.
  static func here(_ site: CompositionSite) -> Surroundings {
    Surroundings(parts: surroundings + [part(nil, site)])
  }

  /// Scopes around something that is compiled later.
  @usableFromInline
  struct Surroundings {
    fileprivate let parts: [Part]

    func compile<Result>(_ compile: () -> Result) -> Result {
      $surroundings.withValue(parts, operation: compile)
    }
  }

  private static func part(_ keyPath: AnyKeyPath?, _ site: CompositionSite) -> Part {
    // One literal is at one address, and reading it as text for each compilation would cost more.
    let file = site.fileID.hasPointerRepresentation ? UInt(bitPattern: site.fileID.utf8Start) : 0
    return Part(keyPath: keyPath, file: file, line: site.line, column: site.column)
  }
}

/// The children within children that an effect belongs to, outermost first.
package typealias EffectPath = [EffectScope]

extension EffectPath {
  /// The paths of the children that a path is within, from the root to the path itself.
  var prefixes: some Sequence<EffectPath> {
    (0...count).lazy.map { Array(self.prefix($0)) }
  }
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
