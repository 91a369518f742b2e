/// The reason why a reducer refuses an action.
///
/// ```swift
/// Reduce { state, action throws(Refusal) in
///   switch action {
///   case .closeButtonTapped:
///     guard state.isOwner else { throw Refusal("only the owner may close it") }
///     state.isOpen = false
///     return .none
///   }
/// }
/// ```
///
/// The state is then as before the action, whichever reducers had run, and none of the action's effects begins. Actions
/// that the action's effects send at once (`.send`) belong to it: if one of them is refused, all are taken back.
///
/// The sender learns the reason: in a hub the action is rejected, in a store ``ComposableCore/StoreTask/taken()`` throws
/// the refusal. What a reducer changes outside of its state, such as a shared value, is not taken back.
public struct Refusal: Error, Equatable, Sendable {
  /// The reason, for people. It has no full stop: it may become a part of a sentence.
  public let reason: String
  /// True if the target of the action is gone: the element, or the presented child. No feature refuses so; a hub does,
  /// for its clients, who have not seen yet what another one has removed.
  public let isLate: Bool

  /// Creates a refusal.
  ///
  /// - Parameter reason: The reason, for people. A hub sends at most its first 4,096 bytes.
  public init(_ reason: String) { (self.reason, isLate) = (reason, false) }

  /// Creates the refusal of an action that is late.
  init(late reason: String) { (self.reason, isLate) = (reason, true) }
}

extension Refusal: CustomStringConvertible {
  public var description: String { reason }
}

extension Effect {
  /// The effect of an action that is refused.
  @usableFromInline
  static func refusal(_ refusal: Refusal) -> Effect { Effect(tree: .refusal(refusal)) }

  /// The refusal; nil if the action is not refused.
  ///
  /// Combined effects are a refusal if one of them is, so it is always at the root.
  @inlinable package var refusal: Refusal? {
    guard let tree, case .refusal(let refusal) = tree else { return nil }
    return refusal
  }

  /// True if the action is refused, so that no other reducer need run.
  @inlinable @inline(__always) var isRefusal: Bool {
    guard let tree else { return false }
    return tree.isRefusal
  }
}

extension EffectTree {
  /// True for a refusal. Not inlined: most effects are nil, and the code for each action stays short.
  @usableFromInline var isRefusal: Bool {
    if case .refusal = self { true } else { false }
  }
}
