/// Who has presented a child in a hub, and when.
///
/// Two clients may present at the same time. The second child replaces the first, and the actions that the first client
/// sends for its own child must not reach the other's. A hub keeps the origin beside the child's state, and it is not
/// sent to clients.
@usableFromInline
package struct PresentationOrigin: Sendable {
  /// The session whose action has presented the child; 0 for the hub itself.
  @usableFromInline let session: UInt64
  /// The hub's revision when it began with the actions of this client, of which one has presented the child. Clients
  /// receive states between turns only, so who has seen a later revision has seen the child.
  @usableFromInline let revision: UInt64

  @usableFromInline
  init(session: UInt64, revision: UInt64) { (self.session, self.revision) = (session, revision) }

  /// Returns true if the sender of the action that is reduced on this thread could not know what is presented: another
  /// session has presented it after the last state that the sender had received.
  static func isUnseen(_ origin: Self?) -> Bool {
    guard let origin, let places = EffectPlaces.current, let sender = places.pointee.origin,
      let seen = places.pointee.seenRevision
    else { return false }
    return origin.session != sender.session && seen <= origin.revision
  }

  /// Returns true if a presented state is another one than before, and not the same one changed, as far as the identity
  /// of an observable state tells. For other states, `ifLet` compares the cases and the ids.
  ///
  /// - Parameters:
  ///   - state: The state; nil if nothing is presented any more.
  ///   - before: The identity of the state before; nil if that has none.
  ///   - hadState: True if a state was presented.
  static func isReplaced<State>(_ state: State?, from before: ObservableStateID?, hadState: Bool) -> Bool {
    guard let state else { return false }
    guard hadState else { return true }
    guard let before, let id = identity(of: state) else { return false }
    return id.replaces(before)
  }

  /// The identity of an observable state.
  static func identity<State>(of state: State?) -> ObservableStateID? {
    guard let state, let identify = StateIdentity<State>.reading else { return nil }
    return identify(state)
  }
}
