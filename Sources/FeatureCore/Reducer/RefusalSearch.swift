internal import Synchronization

/// Finds out whether a reducer or any of its children may refuse actions, while they are compiled.
///
/// A store that must take actions back keeps its state before each of them. Others pay nothing, so it must be known
/// before the first action. Children are compiled when they are first used; during a search they are compiled at once,
/// except for a child within itself.
@usableFromInline
final class RefusalSearch: Sendable {
  @TaskLocal private static var current: RefusalSearch?

  private struct Progress {
    var isFound = false
    /// The types of the children that are being compiled, outermost first.
    var ancestors: [ObjectIdentifier] = []
    var counts: [ObjectIdentifier: Int] = [:]
  }

  private let progress = Mutex(Progress())

  /// The number of children of one type that are compiled. Features that present each other would be compiled once for
  /// each path between them.
  private static let limit = 64

  private init() {}

  /// Compiles a reducer and says whether it may refuse actions.
  @usableFromInline
  static func compile<State, Action>(
    _ compile: () -> CompiledReducer<State, Action>
  ) -> CompiledReducer<State, Action> {
    let search = current ?? RefusalSearch()
    var compiled = $current.withValue(search) { RunOrder.root(compile) }
    compiled.mayRefuse = search.progress.withLock(\.isFound)
    return compiled
  }

  /// Records that a reducer may refuse actions.
  static func found() { current?.progress.withLock { $0.isFound = true } }

  /// True while a search is under way.
  @usableFromInline static var isActive: Bool { current != nil }

  /// Compiles a child that is otherwise compiled when it is first used; nil if there is no search, or the child has been
  /// looked at.
  ///
  /// - Parameter type: The child's type.
  static func compileChild<Compiled>(of type: Any.Type, _ compile: () -> Compiled) -> Compiled? {
    guard let current else { return nil }
    let id = ObjectIdentifier(type)
    let isNew = current.progress.withLock { progress in
      guard !progress.ancestors.contains(id), progress.counts[id, default: 0] < limit else { return false }
      progress.ancestors.append(id)
      progress.counts[id, default: 0] += 1
      return true
    }
    guard isNew else { return nil }
    defer { current.progress.withLock { _ = $0.ancestors.removeLast() } }
    return compile()
  }

  /// Looks at the reducers that a reducer with a `reduce(into:action:)` of its own stores, and will call.
  @usableFromInline
  static func look(inside reducer: some Reducer) {
    guard current != nil else { return }
    for child in Mirror(reflecting: reducer).children {
      guard let stored = child.value as? any Reducer else { continue }
      _ = compileChild(of: type(of: stored)) { compile(stored) }
    }
  }

  private static func compile(_ reducer: some Reducer) { _ = reducer._compile() }
}
