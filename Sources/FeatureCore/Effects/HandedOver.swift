/// An action on its way from an effect to the store.
///
/// Unchecked: the sender keeps no reference to it, and only the main actor, where the store lives, takes it out.
struct HandedOver<Action>: @unchecked Sendable {
  private let action: Action

  init(_ action: Action) {
    self.action = action
  }

  /// Takes the action out.
  @MainActor func take() -> Action { action }
}

extension Send {
  /// Sends an action that was handed over.
  func callAsFunction(_ handedOver: HandedOver<Action>) { self(handedOver.take()) }
}
