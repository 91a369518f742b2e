/// An action on its way from an effect to the store.
///
/// Unchecked: who hands it over lets go of it, and only the main actor, where the store lives, takes it out.
struct HandedOver<Action>: @unchecked Sendable {
  private let action: Action

  init(_ action: Action) {
    self.action = action
  }

  /// The action, for whoever it was handed to.
  @MainActor func take() -> Action { action }
}

extension Send {
  /// Sends an action that was handed over.
  func callAsFunction(_ handedOver: HandedOver<Action>) { self(handedOver.take()) }
}
