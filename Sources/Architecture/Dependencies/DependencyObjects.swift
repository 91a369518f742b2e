internal import ConcurrencyExtras
internal import Synchronization

/// A value that keeps the dependencies from its creation.
protocol HasInitialDependencies {
  var initialDependencies: DependencyValues { get }
}

/// The dependencies of objects that `withDependencies` returned, for their children.
enum DependencyObjects {
  private struct Entry: @unchecked Sendable {  // A weak reference; the runtime makes reading it safe on any thread.
    weak var object: AnyObject?
    let values: DependencyValues
    /// The number of the call that stored the values.
    let number: UInt64
  }

  private struct Table {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries above which those of deallocated objects are removed.
    var limit = 64
  }

  private static let table = Mutex(Table())
  private static let lastNumber = Atomic<UInt64>(0)

  /// A moment before an operation, to be passed to ``remember(_:of:since:)``.
  static func moment() -> UInt64 { lastNumber.load(ordering: .relaxed) }

  /// If the result is an object, stores the values for its lifetime.
  ///
  /// Values that were stored since `moment` remain: they belong to a call within the operation, which is closer to the
  /// object.
  static func remember<Result>(_ values: DependencyValues, of result: Result, since moment: UInt64) {
    guard type(of: result as Any) is AnyClass else { return }
    let object = result as AnyObject
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    let (id, entry) = (ObjectIdentifier(object), Entry(object: object, values: values, number: number))
    table.withLock { table in
      if let existing = table.entries[id], existing.object === object, existing.number > moment { return }
      table.entries[id] = entry
      guard table.entries.count > table.limit else { return }
      table.entries = table.entries.filter { $0.value.object != nil }
      table.limit = max(64, table.entries.count * 2)
    }
  }

  /// The dependencies of an object: those of its first `@Dependency`, or those stored for it.
  static func values(of object: AnyObject) -> DependencyValues? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      for child in current.children {
        if let values = (child.value as? any HasInitialDependencies)?.initialDependencies { return values }
      }
      mirror = current.superclassMirror
    }
    guard let entry = table.withLock({ $0.entries[ObjectIdentifier(object)] }), entry.object === object else {
      return nil
    }
    return entry.values
  }
}
