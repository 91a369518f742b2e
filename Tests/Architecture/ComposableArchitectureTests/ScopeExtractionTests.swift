import ComposableArchitecture
import Testing

@testable import FeatureCore

/// Specialised code takes a child's action by the position of its case. It must be the same one that the case path
/// extracts; this calls both, since tests are not specialised.
@Suite struct ScopeExtractionTests {
  @CasePathable enum Child: Equatable, Sendable {
    case tapped
    indirect case again(Child)
  }

  @CasePathable enum Parent: Equatable, Sendable {
    case first(Child)
    case second(Child)
    case labelled(id: Int, Child)
    case maybe(Child?)
    case other
  }

  private struct Nothing<Action>: Reducer {
    func reduce(into state: inout Int, action: Action) -> Effect<Action> { .none }
  }

  private typealias Stored<Action> = Scope<Int, Parent, Nothing<Action>>.StoredChild

  private func stored<Action>(_ actionCase: CaseKeyPath<Parent, Action>, isNamed: Bool = true) -> Stored<Action> {
    Stored(
      offset: 0, path: AnyCasePath(actionCase), actionCase: isNamed ? actionCase : nil, child: .none)
  }

  private static let actions: [Parent] = [
    .other, .second(.tapped), .first(.tapped), .maybe(nil), .maybe(.tapped), .first(.again(.tapped)),
    .labelled(id: 1, .tapped), .second(.again(.again(.tapped))), .first(.tapped), .other,
  ]

  private func expectSame<Action: Equatable>(
    _ stored: Stored<Action>, index: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for action in Self.actions + Self.actions {
      #expect(
        stored.childAction(of: action, Parent.self) == stored.path.extract(from: action), "\(action)",
        sourceLocation: sourceLocation)
    }
    #expect(stored.caseIndex == index, sourceLocation: sourceLocation)
  }

  /// Two cases may have payloads of one type.
  @Test func aCaseIsFoundByItsPosition() {
    expectSame(stored(\.first), index: 0)
    expectSame(stored(\.second), index: 1)
    expectSame(stored(\.maybe), index: 3)
  }

  /// The payload of the outer case may have the type of the inner one.
  @Test func aCaseWithinACaseHasNoPosition() {
    expectSame(stored(\.first.again), index: -1)
    expectSame(stored(\.second.again.again), index: -1)
  }

  @Test func aCasePathWithoutANameHasNoPosition() {
    expectSame(stored(\.first, isNamed: false), index: -1)
  }

  /// The payload of several values is a tuple.
  @Test func aCaseWithSeveralValuesHasNoPosition() {
    let stored = stored(\.labelled)
    for action in Self.actions + Self.actions {
      let (one, other) = (stored.childAction(of: action, Parent.self), stored.path.extract(from: action))
      #expect(one?.id == other?.id && one?.1 == other?.1)
    }
    #expect(stored.caseIndex == -1)
  }
}
