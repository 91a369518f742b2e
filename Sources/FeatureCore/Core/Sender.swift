public import Dependencies
public import Senders

extension DependencyValues {
  /// The sender of the action that the reducer handles.
  ///
  /// In a hub it is the client, the hub itself, or an effect; in a store of one process, the local user, or an effect.
  /// The same on replay, and in the predictions of the client itself. An override replaces the local user:
  ///
  /// ```swift
  /// let alice = HubClient(connection: 1, name: "deployterm", user: SystemUser(id: 1000, name: "alice"))
  /// let store = TestStore(initialState: Deploy.State()) { Deploy() } withDependencies: { $0.sender = .client(alice) }
  /// ```
  ///
  /// Read it in the reducer: an effect that needs it captures it.
  public var sender: Sender {
    get {
      if let surroundings = ReducerSurroundings.current { return surroundings.sender }
      return EffectPlaces.current == nil && EffectContext.current != nil ? .effect : self[SenderKey.self]
    }
    set { self[SenderKey.self] = newValue }
  }
}

private enum SenderKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = Sender.local(.current)
  // The same on every machine.
  static let testValue = Sender.local(SystemUser(id: 1000, name: "test", groups: [1000]))
}
