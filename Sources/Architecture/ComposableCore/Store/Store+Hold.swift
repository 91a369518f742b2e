extension Store {
  /// Sends an action when a view appears, and holds its effects as long as the view is shown.
  ///
  /// ```swift
  /// .task { await store.hold(.task) }
  /// ```
  ///
  /// It ends when the effects have ended, or when the calling task is cancelled, which cancels them. With a remote store
  /// it ends with the calling task, or when the hub rejects the action. An effect that others share
  /// (`Effect.shared(id:)`) goes on for them.
  ///
  /// If a hub has let go of the effects, because it was restarted, or because this process was without a connection for
  /// longer than the hub waits (10 seconds by default), the action is sent again: what the view shows is up to date
  /// again.
  @MainActor public func hold(_ action: Action) async {
    while await send(action).hold() {}
  }
}
