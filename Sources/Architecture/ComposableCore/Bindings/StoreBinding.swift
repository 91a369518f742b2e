public import CasePaths
public import FeatureCore
internal import IssueReporting

/// A value for a view's control. Setting it sends an action.
///
/// `store.binding(\.name)` sends `.binding(.set(\.name, …))`; `store.binding(\.name, sending: \.nameChanged)` sends
/// `.nameChanged`.
@MainActor
@dynamicMemberLookup
public struct StoreBinding<Value> {
  private let get: @MainActor () -> Value
  private let set: @MainActor (Value) -> Void

  /// Creates a binding from two closures.
  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    self.get = get
    self.set = set
  }

  /// The value. Setting it sends the action.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// A part of the value.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> StoreBinding<Member> {
    StoreBinding<Member>(
      get: { self.wrappedValue[keyPath: keyPath] },
      set: {
        var value = self.wrappedValue
        value[keyPath: keyPath] = $0
        self.wrappedValue = value
      })
  }
}

extension Store where Action: BindableAction, Action.State == State {
  /// A field as a binding; setting it sends a binding action.
  public func binding<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> StoreBinding<Value> {
    let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return StoreBinding(
      get: { self.state[keyPath: keyPath] },
      set: { self.set(keyPath, to: $0, in: Action.self, at: place) { .binding($0) } })
  }

  /// A field; setting it sends a binding action: `store.name = "Blob"`.
  @_disfavoredOverload
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: any WritableKeyPath<State, Value> & Sendable
  ) -> Value {
    get { core.read { $0[keyPath: keyPath] } }
    set { set(keyPath, to: newValue, in: Action.self) { .binding($0) } }
  }
}

extension Store where Action: BindableAction, Action.State == State, State: Equatable & Sendable {
  /// The state; setting it sends a binding action.
  @_disfavoredOverload
  public var state: State {
    get { core.state }
    set { set(\.self, to: newValue, in: Action.self) { .binding($0) } }
  }
}

extension Store where Action: ViewAction, Action.ViewAction: BindableAction, Action.ViewAction.State == State {
  /// A field as a binding; setting it sends a binding action of the view.
  public func binding<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> StoreBinding<Value> {
    let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return StoreBinding(
      get: { self.state[keyPath: keyPath] },
      set: { self.set(keyPath, to: $0, in: Action.ViewAction.self, at: place) { .view(.binding($0)) } })
  }

  /// A field; setting it sends a binding action of the view: `store.name = "Blob"`.
  @_disfavoredOverload
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: any WritableKeyPath<State, Value> & Sendable
  ) -> Value {
    get { core.read { $0[keyPath: keyPath] } }
    set { set(keyPath, to: newValue, in: Action.ViewAction.self) { .view(.binding($0)) } }
  }
}

extension Store {
  /// Sends a binding action. A store in this process reports it if no `BindingReducer` handles it.
  ///
  /// - Parameter place: The line of the binding. An assignment has none, so the store's is reported.
  private func set<Value: Equatable & Sendable, Bindable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable, to value: Value, in bindable: Bindable.Type,
    at place: IssueLocation? = nil, _ action: (BindingAction<State>) -> Action
  ) {
    guard core.reducesHere, isAlive else { return _ = send(action(.set(keyPath, value))) }
    let handling = BindingHandling(of: bindable, value: value, at: place ?? site ?? IssueLocation())
    send(action(.set(keyPath, value, handling: handling)))
  }
}

extension Store {
  /// A field as a binding; setting it sends an action that carries the new value.
  public func binding<Value>(
    _ keyPath: KeyPath<State, Value>, sending action: CaseKeyPath<Action, Value>
  ) -> StoreBinding<Value> {
    let path = AnyCasePath(action)
    return StoreBinding(get: { self.state[keyPath: keyPath] }, set: { self.send(path.embed($0)) })
  }
}
