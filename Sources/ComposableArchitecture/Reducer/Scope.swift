/// Embeds a child feature in a parent: the child's actions run the child's reducer on the child's state.
///
/// ```swift
/// var body: some ReducerOf<Self> {
///   Scope(state: \.counter, action: \.counter) { Counter() }
/// }
/// ```
///
/// Put a `Scope` before the parent's own logic, so that the child sees its actions before the parent reacts.
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
  @usableFromInline let toChildState: WritableKeyPath<ParentState, Child.State>
  @usableFromInline let toChildAction: AnyCasePath<ParentAction, Child.Action>
  @usableFromInline let child: Child

  /// Embeds a child whose state is a property of the parent's state.
  ///
  /// - Parameters:
  ///   - toChildState: Where the child's state is.
  ///   - toChildAction: Which case of the parent's actions carries the child's.
  ///   - child: The child's reducer.
  @inlinable
  public init<ChildState, ChildAction>(
    state toChildState: WritableKeyPath<ParentState, ChildState>,
    action toChildAction: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.toChildState = toChildState
    self.toChildAction = AnyCasePath(toChildAction)
    self.child = child()
  }

  public func reduce(into state: inout ParentState, action: ParentAction) -> Effect<ParentAction> {
    _compile()(&state, action)
  }

  @inlinable
  public func _compile() -> (inout ParentState, ParentAction) -> Effect<ParentAction> {
    let (child, toChildState, toChildAction) = (child._compile(), toChildState, toChildAction)
    let embed = toChildAction.embedding
    // A stored property is reached by its offset, which is far cheaper than walking the key path.
    guard let offset = MemoryLayout<ParentState>.offset(of: toChildState) else {
      return { state, action in
        guard let childAction = toChildAction.extract(from: action) else { return .none }
        return child(&state[keyPath: toChildState], childAction).map(embed)
      }
    }
    return { state, action in
      guard let childAction = toChildAction.extract(from: action) else { return .none }
      return withUnsafeMutablePointer(to: &state) { parent in
        let childState = UnsafeMutableRawPointer(parent).advanced(by: offset)
          .assumingMemoryBound(to: Child.State.self)
        return child(&childState.pointee, childAction).map(embed)
      }
    }
  }
}
