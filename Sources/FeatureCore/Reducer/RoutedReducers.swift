public import CasePaths

/// One compiled reducer of a sequence.
public struct _ReducerStep<State, Action> {
  @usableFromInline let reducer: CompiledReducer<State, Action>
  /// The only case of the action that it handles; nil if it may handle any.
  @usableFromInline let actionCase: PartialCaseKeyPath<Action>?

  @inlinable
  init(_ reducer: CompiledReducer<State, Action>, for actionCase: PartialCaseKeyPath<Action>? = nil) {
    (self.reducer, self.actionCase) = (reducer, actionCase)
  }
}

/// A sequence of reducers, several of which handle a single case of the action.
///
/// An action is passed only to the reducers that may handle its case, so its cost does not grow with their number. The
/// code that runs for each action is inlinable, so that the feature's module can specialise it.
@usableFromInline
enum RoutedReducers<State, Action> {
  /// The number of single-case reducers from which on actions are routed.
  @inlinable static var threshold: Int { 2 }

  /// The reducers as one.
  @inlinable
  static func compile(_ steps: [_ReducerStep<State, Action>]) -> CompiledReducer<State, Action> {
    guard let tag = EnumTag<Action>() else {
      let first = Link.first(of: steps)
      return CompiledReducer { state, action in first.run(&state, action) }
    }
    return CompiledReducer(Routes(steps, tag))
  }

  /// A reducer, and the next one. A linked list, because reaching an array's elements would look up their type for each
  /// action.
  @usableFromInline
  final class Link {
    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>
    @usableFromInline let next: Link?

    @usableFromInline
    init(_ reduce: @escaping (inout State, Action) -> Effect<Action>, next: Link?) {
      (self.reduce, self.next) = (reduce, next)
    }

    /// The steps as links; a link that does nothing if there are none.
    @usableFromInline
    static func first(of steps: [_ReducerStep<State, Action>]) -> Link {
      steps.reversed().reduce(nil) { Link($1.reducer.function, next: $0) } ?? Link({ _, _ in .none }, next: nil)
    }

    @inlinable @inline(__always)
    func run(_ state: inout State, _ action: Action) -> Effect<Action> {
      next == nil ? reduce(&state, action) : runAll(&state, action)
    }

    @usableFromInline
    func runAll(_ state: inout State, _ action: Action) -> Effect<Action> {
      var effect = reduce(&state, action)
      var link = self
      while !effect.isRefusal, let next = link.next {
        effect = effect.merge(with: next.reduce(&state, action))
        link = next
      }
      return effect
    }
  }

  /// The reducers for each case, found at the first action of the case.
  ///
  /// Its tables omit the run-time exclusivity check: no reducer runs while one is searched or extended.
  @usableFromInline
  final class Routes {
    /// The first link for each case by its index in the declaration, for code that is specialised for the type.
    @exclusivity(unchecked) @usableFromInline
    var byIndex = Table()
    /// The same by the tag in memory, for other code. The tags number the cases with payloads first.
    @exclusivity(unchecked) private var byTag = Table()
    private let tag: EnumTag<Action>
    private var kept: [Link] = []
    private let steps: [_ReducerStep<State, Action>]
    private lazy var cases = ActionCases<Action>()

    @usableFromInline
    init(_ steps: [_ReducerStep<State, Action>], _ tag: EnumTag<Action>) {
      (self.steps, self.tag) = (steps, tag)
    }

    deinit {
      byIndex.deallocate()
      byTag.deallocate()
    }

    @inlinable @inline(__always)
    func reduce(_ state: inout State, _ action: Action) -> Effect<Action> {
      route(of: action)._withUnsafeGuaranteedRef { $0.run(&state, action) }
    }

    /// The first of the reducers that handle the action's case.
    @inlinable @inline(__always)
    func route(of action: Action) -> Unmanaged<Link> {
      guard let index = caseIndex(action) else { return routeByTag(of: action) }
      return byIndex.link(at: index) ?? addFirst(for: action, at: index)
    }

    /// The index that the macro generated, where the compiler knows the type: it then takes the case from registers.
    /// Reading the tag from memory that was just written would take longer than all the rest of the routing.
    @inlinable @inline(__always)
    func caseIndex(_ action: Action) -> Int? {
      guard _isConcrete(Action.self), let cases = Action.self as? any CasePathable.Type else { return nil }
      return caseIndex(action, cases)
    }

    @inlinable @inline(__always)
    func caseIndex<Cases: CasePathable>(_ action: Action, _: Cases.Type) -> Int? {
      // The same type, which the compiler sees where it matters.
      _withUnprotectedUnsafePointer(to: action) { action in
        Cases._caseIndex(of: UnsafeRawPointer(action).assumingMemoryBound(to: Cases.self).pointee)
      }
    }

    @usableFromInline
    func routeByTag(of action: Action) -> Unmanaged<Link> {
      let tag = tag.of(action)
      if let first = byTag.link(at: tag) { return first }
      let first = newFirst(for: action)
      byTag.set(first, at: tag)
      return first
    }

    @usableFromInline @inline(never)
    func addFirst(for action: Action, at index: Int) -> Unmanaged<Link> {
      let first = newFirst(for: action)
      byIndex.set(first, at: index)
      return first
    }

    private func newFirst(for action: Action) -> Unmanaged<Link> {
      let first = Link.first(of: steps(for: action))
      kept.append(first)
      return .passUnretained(first)
    }

    private func steps(for action: Action) -> [_ReducerStep<State, Action>] {
      guard let cases else { return steps }
      let actionCase = cases.keyPath(action)
      return steps.filter { step in
        guard let wanted = step.actionCase, cases.keyPaths.contains(wanted) else { return true }
        return wanted == actionCase
      }
    }
  }

  /// The first link for each case, nil while it is unknown. It holds no references: `Routes.kept` does.
  @usableFromInline
  struct Table {
    @usableFromInline var first = UnsafeMutablePointer<Unmanaged<Link>?>.allocate(capacity: 0)
    @usableFromInline var count = 0

    @inlinable @inline(__always)
    func link(at index: Int) -> Unmanaged<Link>? { index < count ? first[index] : nil }

    mutating func set(_ link: Unmanaged<Link>, at index: Int) {
      if index >= count { grow(to: index + 1) }
      first[index] = link
    }

    private mutating func grow(to count: Int) {
      let grown = UnsafeMutablePointer<Unmanaged<Link>?>.allocate(capacity: count)
      grown.initialize(repeating: nil, count: count)
      grown.update(from: first, count: self.count)
      first.deallocate()
      (first, self.count) = (grown, count)
    }

    func deallocate() { first.deallocate() }
  }
}
