/// The observers of possible changes of a root's state.
@MainActor
package final class StoreObservers {
  private final class Entry {
    var notify: (@MainActor () -> Void)?

    init(_ notify: @escaping @MainActor () -> Void) {
      self.notify = notify
    }
  }

  private var entries: [UInt64: Entry] = [:]
  private var order: [UInt64] = []
  private var lastID: UInt64 = 0

  package init() {}

  package func add(_ notify: @escaping @MainActor () -> Void) -> UInt64 {
    lastID += 1
    entries[lastID] = Entry(notify)
    order.append(lastID)
    return lastID
  }

  package func remove(_ id: UInt64) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    entry.notify = nil
    if order.count > 2 * entries.count { order.removeAll { entries[$0] == nil } }
  }

  /// Notifies everyone who observes now and still does when its turn comes.
  package func notify() {
    guard !entries.isEmpty else { return }
    for id in order { entries[id]?.notify?() }
  }
}
