/// What pressing a button does.
public struct ButtonStateAction<Action> {
  /// The kinds of it.
  public enum Kind {
    /// Sends an action to the store, or only dismisses the prompt when there is none.
    case send(Action?)
  }

  /// Which kind it is, with its values.
  public let type: Kind

  /// Sends an action; nil dismisses the prompt and sends nothing else.
  public static func send(_ action: Action?) -> Self {
    Self(type: .send(action))
  }

  /// The action that it sends.
  public var action: Action? {
    switch type {
    case .send(let action): action
    }
  }

  /// The same with the action that a function makes of this one's.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ButtonStateAction<NewAction> {
    switch type {
    case .send(let action): .send(transform(action))
    }
  }
}

extension ButtonStateAction.Kind: Sendable where Action: Sendable {}
extension ButtonStateAction.Kind: Equatable where Action: Equatable {}
extension ButtonStateAction.Kind: Hashable where Action: Hashable {}
extension ButtonStateAction: Sendable where Action: Sendable {}
extension ButtonStateAction: Equatable where Action: Equatable {}
extension ButtonStateAction: Hashable where Action: Hashable {}
