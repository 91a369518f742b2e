extension Reducer {
  /// Runs another reducer when an action has changed a value.
  ///
  /// ```swift
  /// BindingReducer()
  ///   .onChange(of: \.settings.isOn) { old, new in
  ///     Reduce { state, action in … }
  ///   }
  /// ```
  ///
  /// The reducer receives the state after the change, and the action that caused it.
  public func onChange<Value: Equatable, Then: Reducer<State, Action>>(
    of toValue: @escaping (State) -> Value,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: Value, _ newValue: Value) -> Then
  ) -> _OnChangeReducer<Self, Value, Then> {
    _OnChangeReducer(base: self, toValue: toValue, isDuplicate: ==, reducer: reducer)
  }

  /// Runs another reducer when an action has changed a value according to `isDuplicate`.
  public func onChange<Value, Then: Reducer<State, Action>>(
    of toValue: @escaping (State) -> Value,
    removeDuplicates isDuplicate: @escaping (Value, Value) -> Bool,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: Value, _ newValue: Value) -> Then
  ) -> _OnChangeReducer<Self, Value, Then> {
    _OnChangeReducer(base: self, toValue: toValue, isDuplicate: isDuplicate, reducer: reducer)
  }
}

extension Reducer {
  /// Changes the state further, and runs an effect, when an action has changed a value.
  ///
  /// ```swift
  /// BindingReducer()
  ///   .onChange(of: \.settings.isOn) { oldValue, state in
  ///     state.changes += 1
  ///     return .run { [isOn = state.settings.isOn] _ in await save(isOn) }
  ///   }
  /// ```
  public func onChange<Value: Equatable>(
    of toValue: @escaping (State) -> Value,
    _ change: @escaping (_ oldValue: Value, _ state: inout State) -> Effect<Action>
  ) -> _OnChangeEffectReducer<Self, Value> {
    _OnChangeEffectReducer(base: self, toValue: toValue, isDuplicate: ==, change: change)
  }

  /// Changes the state further, and runs an effect, when an action has changed a value according to `isDuplicate`.
  public func onChange<Value>(
    of toValue: @escaping (State) -> Value,
    removeDuplicates isDuplicate: @escaping (Value, Value) -> Bool,
    _ change: @escaping (_ oldValue: Value, _ state: inout State) -> Effect<Action>
  ) -> _OnChangeEffectReducer<Self, Value> {
    _OnChangeEffectReducer(base: self, toValue: toValue, isDuplicate: isDuplicate, change: change)
  }
}

/// A reducer, and a function that runs when a value changes.
public struct _OnChangeEffectReducer<Base: Reducer, Value>: Reducer {
  let base: Base
  let toValue: (Base.State) -> Value
  let isDuplicate: (Value, Value) -> Bool
  let change: (Value, inout Base.State) -> Effect<Base.Action>

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  public func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let (base, toValue, isDuplicate, change) = (base._compile(), toValue, isDuplicate, change)
    return CompiledReducer { state, action in
      let old = toValue(state)
      let effects = base(&state, action)
      guard !effects.isRefusal, !isDuplicate(old, toValue(state)) else { return effects }
      return effects.merge(with: change(old, &state))
    }
  }
}

/// A reducer, and another one that runs when a value changes.
public struct _OnChangeReducer<Base: Reducer, Value, Then: Reducer>: Reducer
where Base.State == Then.State, Base.Action == Then.Action {
  let base: Base
  let toValue: (Base.State) -> Value
  let isDuplicate: (Value, Value) -> Bool
  let reducer: (Value, Value) -> Then

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  public func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let (base, toValue, isDuplicate, reducer) = (base._compile(), toValue, isDuplicate, reducer)
    return CompiledReducer { state, action in
      let old = toValue(state)
      let effects = base(&state, action)
      if effects.isRefusal { return effects }
      let new = toValue(state)
      guard !isDuplicate(old, new) else { return effects }
      return effects.merge(with: reducer(old, new).reduce(into: &state, action: action))
    }
  }
}
