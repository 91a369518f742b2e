public import CasePaths

/// One of several compiled reducers in a row.
public struct _ReducerStep<State, Action> {
  @usableFromInline let reduce: (inout State, Action) -> Effect<Action>
  /// The only case of the action for which it does anything; nil when it may do something for any.
  @usableFromInline let actionCase: PartialCaseKeyPath<Action>?

  @inlinable
  init(_ reduce: @escaping (inout State, Action) -> Effect<Action>, for actionCase: PartialCaseKeyPath<Action>? = nil) {
    (self.reduce, self.actionCase) = (reduce, actionCase)
  }
}

/// Many reducers in a row, of which most are for one case of the action each.
///
/// An action goes only to those that may do something for its case, so what it costs does not grow with their number.
/// For few of them trying each is faster, and the compiler can see through it.
@usableFromInline
enum RoutedReducers<State, Action> {
  /// From how many on an action is routed.
  @usableFromInline static var threshold: Int { 8 }

  /// The reducers as one function.
  @usableFromInline
  static func compile(_ steps: [_ReducerStep<State, Action>]) -> (inout State, Action) -> Effect<Action> {
    guard let cases = ActionCases<Action>() else {
      let first = Link.first(of: steps)
      return { state, action in Link.run(first, &state, action) }
    }
    let routes = Routes(steps, cases)
    return { state, action in Link.run(routes.first(for: action), &state, action) }
  }

  /// A reducer, and the one after it. In a list, because an array's elements could only be reached by looking up their
  /// type for each action.
  private final class Link {
    private let reduce: (inout State, Action) -> Effect<Action>
    private let next: Link?

    private init(_ reduce: @escaping (inout State, Action) -> Effect<Action>, next: Link?) {
      (self.reduce, self.next) = (reduce, next)
    }

    static func first(of steps: some BidirectionalCollection<_ReducerStep<State, Action>>) -> Link? {
      steps.reversed().reduce(nil) { Link($1.reduce, next: $0) }
    }

    static func run(_ first: Link?, _ state: inout State, _ action: Action) -> Effect<Action> {
      guard let first else { return .none }
      var effect = first.reduce(&state, action)
      var link = first
      while let next = link.next {
        effect = effect.merge(with: next.reduce(&state, action))
        link = next
      }
      return effect
    }
  }

  private final class Nothing {}

  /// The reducers for each case, found when the first action of the case comes.
  private final class Routes {
    /// The first link for each tag, nil while that is unknown; a list that does nothing begins with an object that is
    /// no link.
    private var firstByTag: [AnyObject?] = []
    private let tag: EnumTag<Action>
    private let all: [_ReducerStep<State, Action>]
    private let cases: ActionCases<Action>
    private let nothing = Nothing()

    init(_ steps: [_ReducerStep<State, Action>], _ cases: ActionCases<Action>) {
      (all, self.cases, tag) = (steps, cases, cases.tag)
    }

    func first(for action: Action) -> Link? {
      let tag = tag.of(action)
      guard tag < firstByTag.count, let first = firstByTag[tag] else { return addFirst(for: action, tag: tag) }
      return first === nothing ? nil : unsafeDowncast(first, to: Link.self)
    }

    @inline(never)
    private func addFirst(for action: Action, tag: Int) -> Link? {
      let actionCase = cases.keyPath(action)
      let steps = all.filter { step in
        guard let wanted = step.actionCase, cases.keyPaths.contains(wanted) else { return true }
        return wanted == actionCase
      }
      let first = Link.first(of: steps)
      while firstByTag.count <= tag { firstByTag.append(nil) }
      firstByTag[tag] = first ?? nothing
      return first
    }
  }
}
