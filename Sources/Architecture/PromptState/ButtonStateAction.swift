public import CustomDump

/// The effect of pressing a button.
public struct ButtonStateAction<Action> {
  /// The kinds of effects.
  public enum Kind {
    /// Sends an action to the store; without one, only dismisses the prompt.
    case send(Action?)
    /// Sends an action with an animation, which has no effect here; see ``Animation``.
    case animatedSend(Action?, animation: Animation?)
  }

  /// The kind by its original name.
  public typealias _ActionType = Kind

  /// The kind, with its payload.
  public let type: Kind

  /// Sends an action; nil dismisses the prompt and sends nothing else.
  public static func send(_ action: Action?) -> Self {
    Self(type: .send(action))
  }

  /// Sends an action with an animation, which has no effect here; see ``Animation``.
  public static func send(_ action: Action?, animation: Animation?) -> Self {
    Self(type: .animatedSend(action, animation: animation))
  }

  /// The action that it sends.
  public var action: Action? {
    switch type {
    case .send(let action), .animatedSend(let action, animation: _): action
    }
  }

  /// The same effect with another action.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ButtonStateAction<NewAction> {
    switch type {
    case .send(let action): .send(transform(action))
    case .animatedSend(let action, let animation): .send(transform(action), animation: animation)
    }
  }
}

extension ButtonStateAction.Kind: Sendable where Action: Sendable {}
extension ButtonStateAction.Kind: Equatable where Action: Equatable {}
extension ButtonStateAction.Kind: Hashable where Action: Hashable {}
extension ButtonStateAction: Sendable where Action: Sendable {}
extension ButtonStateAction: Equatable where Action: Equatable {}
extension ButtonStateAction: Hashable where Action: Hashable {}

extension ButtonStateAction: CustomDumpReflectable {
  /// `.send(action)`, with the animation if there is one.
  public var customDumpMirror: Mirror {
    switch type {
    case .send(let action):
      Mirror(self, children: ["send": action as Any], displayStyle: .enum)
    case .animatedSend(let action, let animation):
      Mirror(self, children: ["send": (action, animation: animation)], displayStyle: .enum)
    }
  }
}
