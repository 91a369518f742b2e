extension HubCore {
  /// Looks at the size of the state after actions that took effect, when it is time.
  ///
  /// Far below the limit nothing is taken back: a quarter of the limit is left.
  mutating func noteApplied(_ count: Int, byteCount: Int) {
    guard size.note(count, byteCount: byteCount), !size.isNear() else { return }
    lookAtSize()
  }

  /// Looks at the size after an action that is not rolled back.
  mutating func noteUnrefusable() {
    if size.isNear() { lookAtSize() } else { noteApplied(1, byteCount: 0) }
  }

  /// Begins with the engine's state.
  mutating func beginSize(bound: Int?) {
    size.begin(with: engine.currentVersion(), at: engine.revision, bound: bound)
    if size.estimate > size.limit, !size.isCounting { report(.stateExceedsLimit(size.limit)) }
  }

  mutating func lookAtSize() {
    if !size.look(at: engine.currentVersion(), engine.revision) { report(.stateExceedsLimit(size.limit)) }
  }
}
