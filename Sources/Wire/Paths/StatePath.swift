public import IdentifiedCollections

/// The path from a state to a part of it, as steps that can be sent.
///
/// It is written like a key path: fields by their names, those of an optional's value without unwrapping, an element by
/// its id, a case by its name.
///
/// ```swift
/// let whole = StatePath<App.State, App.State>()
/// let title = whole.todos[id: 3].title
/// let edited = whole.destination.unwrapped().enumCase("edit", Edit.State.self)
/// ```
@dynamicMemberLookup
public struct StatePath<Root: Replicated, Part: Replicated>: Hashable, Sendable {
  /// The steps from the root; empty for the whole state.
  public let steps: [PathStep]

  private init(_ steps: [PathStep]) {
    self.steps = steps
  }

  /// The path of a field.
  /// - Precondition: The field is replicated: it is a stored property of a `@Replicated` struct and not omitted.
  public subscript<Field: Replicated>(dynamicMember field: KeyPath<Part, Field>) -> StatePath<Root, Field> {
    guard let key = Part.key(of: field) else {
      preconditionFailure("\(field) is not a replicated field of \(Part.self)")
    }
    return appending(.key(key))
  }

  /// The path of a case's payload, for a case with one value.
  /// - Precondition: The enum has a case of this name.
  public func enumCase<Payload: Replicated>(_ name: String, _ type: Payload.Type) -> StatePath<Root, Payload> {
    guard let key = Schema(state: Part.self, action: Part.self).caseKey(name) else {
      preconditionFailure("\(Part.self) has no replicated case '\(name)'")
    }
    return appending(.key(key))
  }

  package func appending<Next: Replicated>(_ step: PathStep) -> StatePath<Root, Next> {
    StatePath<Root, Next>(steps + [step])
  }
}

extension StatePath where Root == Part {
  /// The path of the whole state.
  public init() {
    self.init([])
  }
}

extension StatePath {
  /// The path of the value in an optional.
  public func unwrapped<Wrapped>() -> StatePath<Root, Wrapped> where Part == Wrapped? { appending(.key(0)) }

  /// The path of a field of the value in an optional.
  public subscript<Wrapped: Replicated, Field: Replicated>(
    dynamicMember field: KeyPath<Wrapped, Field>
  ) -> StatePath<Root, Field> where Part == Wrapped? {
    unwrapped()[dynamicMember: field]
  }

  /// The path of the element with an id.
  public subscript<ID: WireValue, Element: Replicated & Identifiable>(
    id id: ID
  ) -> StatePath<Root, Element> where Part == IdentifiedArray<ID, Element>, Element.ID == ID {
    appending(.id(id.encoded()))
  }
}

extension StatePath where Part: WindowedCollection {
  /// The path of the window with the elements at a range of positions.
  ///
  /// ```swift
  /// client.attach(to: { $0.todos.todos[window: 100..<150] }, action: AppFeature.Action.todos)
  /// ```
  ///
  /// - Precondition: The range is not empty and has no negative position.
  public subscript(window positions: Range<Int>) -> StatePath<Root, Window<Part>> {
    precondition(positions.lowerBound >= 0 && !positions.isEmpty, "a window has elements at positions from 0 on")
    return appending(.window(start: positions.lowerBound, count: positions.count))
  }

  /// The path of the window with the last elements, which follows the end of the collection.
  ///
  /// - Precondition: The number is greater than 0.
  public subscript(last count: Int) -> StatePath<Root, Window<Part>> {
    precondition(count > 0, "a window has elements")
    return appending(.window(start: -count, count: count))
  }
}

extension Schema {
  /// The key of a case, if the state is an enum.
  fileprivate func caseKey(_ name: String) -> UInt64? {
    guard case .definition(let index) = state, case .cases(let cases) = definitions[index].content else { return nil }
    return cases.first { $0.name == name }?.key
  }
}
