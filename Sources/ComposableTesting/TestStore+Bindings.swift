public import ComposableArchitecture

extension TestStore {
  /// The state as a view's state is made of it, for features whose view's actions are bindable.
  ///
  /// ```swift
  /// await store.send(.view(.set(\.$email, "blob@example.org"))) {
  ///   $0.email = "blob@example.org"
  /// }
  /// #expect(LoginView.ViewState(store.bindings(action: \.view)).isLoginButtonDisabled)
  /// ```
  ///
  /// It is the state after what the test has stated so far, and stays as it is when the store goes on.
  ///
  /// - Parameter toViewAction: The case of the view's actions.
  public func bindings<ViewAction: BindableAction>(
    action toViewAction: CaseKeyPath<Action, ViewAction>
  ) -> BindingViewStore<State> where State == ViewAction.State, Action: CasePathable {
    BindingViewStore(state)
  }

  /// The state as a view's state is made of it: the form of before 1.4, `bindings(action: /Action.view)`.
  public func bindings<ViewAction: BindableAction>(
    action toViewAction: AnyCasePath<Action, ViewAction>
  ) -> BindingViewStore<State> where State == ViewAction.State {
    BindingViewStore(state)
  }
}

extension TestStore where Action: BindableAction, Action.State == State {
  /// The state as a view's state is made of it, for features whose own actions are bindable.
  ///
  /// ```swift
  /// #expect(LoginView.ViewState(store.bindings).isLoginButtonDisabled)
  /// ```
  public var bindings: BindingViewStore<State> { BindingViewStore(state) }
}
