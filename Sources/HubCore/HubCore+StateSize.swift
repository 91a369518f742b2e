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

  private mutating func lookAtSize() {
    if !size.look(at: engine.currentVersion(), engine.revision) { report(.stateExceedsLimit(size.limit)) }
  }

  /// Applies the next action of a sequence while the state is near its limit; nil if it was taken back.
  mutating func applyNearLimit(_ payload: RawSpan, from offset: Int) -> ActionBatch.Outcome? {
    // The growth by earlier actions is not that of this one.
    if size.isOutdated { lookAtSize() }
    let checkpoint = engine.checkpoint()
    let outcome = applyBatch(payload, offset, 1)
    guard outcome.count > 0, !size.lookClosely(at: engine.currentVersion(), engine.revision) else { return outcome }
    engine.rollBack(to: checkpoint)
    return nil
  }

  /// Applies an action of the hub's own while the state is near its limit; false if it was taken back.
  mutating func applyNearLimit(_ apply: () -> Bool) -> Bool {
    if size.isOutdated { lookAtSize() }
    let checkpoint = engine.checkpoint()
    guard apply() else { return false }
    guard !size.lookClosely(at: engine.currentVersion(), engine.revision) else { return true }
    engine.rollBack(to: checkpoint)
    report(.stateTooLarge(limit: size.limit))
    return false
  }
}
