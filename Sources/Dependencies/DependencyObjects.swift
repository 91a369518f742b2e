internal import ConcurrencyExtras
internal import Synchronization

/// Something that knows the dependencies of where it was created.
protocol HasInitialDependencies {
  var initialDependencies: DependencyValues { get }
}

/// The dependencies of objects that `withDependencies` made, for their children.
enum DependencyObjects {
  private struct Entry: @unchecked Sendable {  // A weak reference, which the runtime makes safe to read anywhere.
    weak var object: AnyObject?
    let values: DependencyValues
  }

  private struct Table {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// At how many entries those of objects that are gone are looked for.
    var limit = 64
  }

  private static let table = Mutex(Table())

  /// Keeps the values if the result is an object, for as long as it lives.
  static func remember<Result>(_ values: DependencyValues, of result: Result) {
    guard type(of: result as Any) is AnyClass else { return }
    let object = result as AnyObject
    let (id, entry) = (ObjectIdentifier(object), Entry(object: object, values: values))
    table.withLock { table in
      table.entries[id] = entry
      guard table.entries.count > table.limit else { return }
      table.entries = table.entries.filter { $0.value.object != nil }
      table.limit = max(64, table.entries.count * 2)
    }
  }

  /// The dependencies of an object: those it was made with, or those of its first `@Dependency`.
  static func values(of object: AnyObject) -> DependencyValues? {
    if let entry = table.withLock({ $0.entries[ObjectIdentifier(object)] }), entry.object === object {
      return entry.values
    }
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      for child in current.children {
        if let values = (child.value as? any HasInitialDependencies)?.initialDependencies { return values }
      }
      mirror = current.superclassMirror
    }
    return nil
  }
}
