public import ComposableArchitecture

extension TestStore {
  /// The state from which a view's state is created, for features whose view actions are bindable.
  ///
  /// ```swift
  /// await store.send(.view(.set(\.$email, "blob@example.org"))) {
  ///   $0.email = "blob@example.org"
  /// }
  /// #expect(LoginView.ViewState(store.bindings(action: \.view)).isLoginButtonDisabled)
  /// ```
  ///
  /// It is the state after the test's assertions so far. Later actions do not change it.
  ///
  /// - Parameter toViewAction: The case of the view's actions.
  public func bindings<ViewAction: BindableAction>(
    action toViewAction: CaseKeyPath<Action, ViewAction>
  ) -> BindingViewStore<State> where State == ViewAction.State, Action: CasePathable {
    BindingViewStore(state)
  }

  /// The state from which a view's state is created, in the form before 1.4: `bindings(action: /Action.view)`.
  public func bindings<ViewAction: BindableAction>(
    action toViewAction: AnyCasePath<Action, ViewAction>
  ) -> BindingViewStore<State> where State == ViewAction.State {
    BindingViewStore(state)
  }
}

extension TestStore where Action: BindableAction, Action.State == State {
  /// The state from which a view's state is created, for features whose own actions are bindable.
  ///
  /// ```swift
  /// #expect(LoginView.ViewState(store.bindings).isLoginButtonDisabled)
  /// ```
  public var bindings: BindingViewStore<State> { BindingViewStore(state) }
}
