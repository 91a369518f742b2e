internal import IssueReporting

extension Cell {
  /// Appends the value to the queue, under the lock under which it was changed.
  ///
  /// - Parameter base: The value before the change, if the key saves changes.
  func enqueue(_ state: inout State, from base: Value? = nil, saving: Bool, at place: IssueLocation) {
    guard saving || !state.subscribers.isEmpty else { return }
    if saving { state.unsaved += 1 }
    if base != nil { state.queuedChanges += 1 }
    state.queue.append(
      Delivery(
        value: state.value, base: base, subscribers: 0..<state.nextSubscriber, save: saving ? .didSet : nil,
        place: place))
  }

  /// Empties the queue, unless another thread or a caller on this thread's stack is doing so.
  func deliver() {
    let begins = state.withLock { state in
      guard !state.isDelivering, !state.queue.isEmpty else { return false }
      state.isDelivering = true
      return true
    }
    guard begins else { return }
    while let batch = nextBatch() {
      for delivery in batch {
        if let context = delivery.save { save(delivery, context) }
        for id in state.withLock({ $0.subscribers.keys.filter(delivery.subscribers.contains).sorted() }) {
          // Looked up each time: a callback may have ended the next subscription.
          state.withLock { $0.subscribers[id] }?(delivery.value)
        }
      }
    }
  }

  private func nextBatch() -> [Delivery]? {
    state.withLock { state in
      guard !state.queue.isEmpty else {
        state.isDelivering = false
        return nil
      }
      defer { state.queue = [] }
      return state.queue
    }
  }

  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    let id = state.withLock { state in
      let id = state.nextSubscriber
      state.nextSubscriber += 1
      state.subscribers[id] = callback
      state.queue.append(Delivery(value: state.value, subscribers: id..<id + 1, place: place))
      return id
    }
    deliver()
    return SharedSubscription { [self] in _ = state.withLock { $0.subscribers.removeValue(forKey: id) } }
  }
}
