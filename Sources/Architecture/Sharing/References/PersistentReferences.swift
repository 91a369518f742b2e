public import Dependencies
internal import IssueReporting

/// The references of a process by the identity of their keys, so that all uses of a key share one value.
///
/// It does not retain references. Releasing the last `Shared` of a key releases its reference; the next one loads the
/// value again.
public struct PersistentReferences: Sendable {
  private let cells = Guarded<[AnyHashable: WeakCell]>([:])

  /// Creates an empty table.
  public init() {}

  func cell<Key: SharedReaderKey>(
    of key: Key, isLoaded: Bool, at place: IssueLocation, default value: () -> Key.Value
  ) -> Cell<Key.Value> {
    let id = AnyHashable(key.id)
    if let cell = existing(id, at: place, as: Key.Value.self) {
      cell.start(isLoaded: isLoaded)
      return cell
    }
    let sendableID = PassedID(id: id)
    let new = Cell(value(), backing: Backing(key), at: place) { [weak cells] in cells?.removeIfGone(sendableID.id) }
    // Another thread may have created it meanwhile.
    let other = cells.withLock { cells in
      let other = cells[id]?.object
      if other == nil { cells[id] = WeakCell(object: new) }
      return other
    }
    let cell = other as? Cell<Key.Value> ?? new
    cell.start(isLoaded: isLoaded)
    return cell
  }

  private func existing<Value>(
    _ id: AnyHashable, at place: IssueLocation, as _: Value.Type
  ) -> Cell<Value>? {
    guard let object = cells.withLock({ $0[id]?.object }) else { return nil }
    guard let cell = object as? Cell<Value> else {
      reportIssue(
        """
        A value of type \(Value.self) was asked for by the key \(id.base), whose value is already shared as another \
        type: \(type(of: object)). The two are separate references, which share only what the key saves; use one type \
        for one key.
        """, at: place)
      return nil
    }
    return cell
  }
}

private struct WeakCell {
  weak var object: (any Reference)?
}

/// The identity of a key, passed to the closure that ends its reference.
private struct PassedID: @unchecked Sendable {  // Compared and hashed only under the lock of the table.
  let id: AnyHashable
}

extension Guarded<[AnyHashable: WeakCell]> {
  /// Removes a released reference, but not one that has replaced it.
  ///
  /// The reference is released outside the lock: this may be the last one, and its deinitializer calls this function.
  fileprivate func removeIfGone(_ id: AnyHashable) {
    _ = withLock { cells -> (any Reference)? in
      let cell = cells[id]?.object
      if cell == nil { cells[id] = nil }
      return cell
    }
  }
}

extension DependencyValues {
  /// The references that `@Shared` finds by their keys. Each test has its own.
  public var persistentReferences: PersistentReferences {
    get { self[PersistentReferencesKey.self] }
    set { self[PersistentReferencesKey.self] = newValue }
  }
}

private enum PersistentReferencesKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = PersistentReferences()
  static let perTest = PerTest { PersistentReferences() }
  static var testValue: PersistentReferences { perTest.value }
  static var previewValue: PersistentReferences { testValue }
}
