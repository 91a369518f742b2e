public import ConcurrencyExtras
internal import IssueReporting

/// The current dependencies: the overrides of this task and its parents, on top of each key's default value.
///
/// ```swift
/// extension DependencyValues {
///   var numberFact: NumberFactClient {
///     get { self[NumberFactClient.self] }
///     set { self[NumberFactClient.self] = newValue }
///   }
/// }
/// ```
///
/// A key's default value is created once and kept for the process, or for the test that first used it. Values that are
/// made by ``init()`` have new default values of their own: `withDependencies { $0 = DependencyValues() }`.
///
/// `urlSession`, `notificationCenter` and `mainRunLoop` are in the module `DependenciesFoundation`, so that a program
/// without them does not link Foundation. `import ComposableArchitecture` includes it.
public struct DependencyValues: Sendable, _NonisolatedByDefault {
  /// The values of the current task.
  @TaskLocal public static var _current = DependencyValues.initial
  /// The property that reads a dependency, for reports.
  @TaskLocal static var access = DependencyAccess()
  /// The current phase, which determines the meaning of reads and writes.
  @TaskLocal package static var phase = Phase.reading

  package enum Phase: Sendable {
    /// Code uses dependencies.
    case reading
    /// An update of ``withDependencies(_:operation:)`` is running, which may read the values that it overrides.
    case overriding
    /// An update of ``prepareDependencies(_:)`` is running.
    case preparing(Preparation)
  }

  private var overrides: [ObjectIdentifier: any Override] = [:]
  /// The default values; nil for those of the process.
  private var cached: CachedValues?

  /// Creates values without overrides and with new default values.
  public init() { cached = CachedValues() }

  private init(cached: CachedValues?) { self.cached = cached }

  /// The values of the process, without overrides.
  package static let initial = Self(cached: nil)

  /// The values of the live context, for a test that uses live implementations.
  ///
  /// ```swift
  /// withDependencies { $0 = .live } operation: { … }
  /// ```
  public static var live: Self { values(in: .live) }
  /// The values of the preview context.
  public static var preview: Self { values(in: .preview) }
  /// The values of the test context.
  public static var test: Self { values(in: .test) }

  private static func values(in context: DependencyContext) -> Self {
    var values = Self()
    values.overrides[ObjectIdentifier(DependencyContext.self)] = TypedOverride(context)
    return values
  }

  /// The value of a key: the override, or the key's value for the current context.
  ///
  /// The other arguments are for reports; omit them.
  public subscript<Key: TestDependencyKey>(
    key: Key.Type,
    fileID fileID: StaticString = #fileID, filePath filePath: StaticString = #filePath,
    line line: UInt = #line, column column: UInt = #column, function function: StaticString = #function
  ) -> Key.Value {
    get {
      if let override = override(of: key) { return override }
      var access = Self.access
      access.name = function
      if access.place == nil {
        access.place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
      }
      return Self.$access.withValue(access) {
        let context = self.context
        if !Key.isReproducible { noteRead(ofIrreproducible: key, value: Key.Value.self, in: context) }
        return defaults.value(of: key, in: context)
      }
    }
    set {
      guard case .preparing(let preparation) = Self.phase else {
        overrides[ObjectIdentifier(key)] = TypedOverride(newValue)
        return
      }
      let isNew = defaults.prepare(ObjectIdentifier(key), in: context, value: newValue, by: preparation)
      if !isNew { reportPreparedTooLate(key, value: Key.Value.self, name: function) }
    }
  }

  /// The override of a key; nil if there is none. It creates no default value.
  package func override<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    guard !overrides.isEmpty, let override = overrides[ObjectIdentifier(key)] else { return nil }
    return (override as? TypedOverride<Key.Value>)?.value
  }

  /// The value that a hub's reducer reads in place of the machine's: nil outside of one, and if the key has an override
  /// or a prepared value.
  func value<Key: TestDependencyKey>(
    inReducerOfHub value: (RegionalValues) -> Key.Value, unlessReplaced key: Key.Type
  ) -> Key.Value? {
    guard let region = ReducerSurroundings.current?.region, override(of: key) == nil, !isPrepared(key, in: context)
    else { return nil }
    return value(region)
  }

  // Not generic, so that they are compiled once and not for each key.

  @inline(never)
  private func noteRead(ofIrreproducible key: Any.Type, value: Any.Type, in context: DependencyContext) {
    // Setting a value by its key path reads it first.
    guard case .reading = Self.phase, let surroundings = ReducerSurroundings.current,
      surroundings.noteFirstRead(of: ObjectIdentifier(key)),
      !isPrepared(key, in: context)
    else { return }
    if context == .test {
      reportIrreproducible(key, value: value)
    } else {
      surroundings.report(irreproducibleRead(of: key))
    }
  }

  private func isPrepared(_ key: Any.Type, in context: DependencyContext) -> Bool {
    defaults.isPrepared(ObjectIdentifier(key), in: context)
  }

  /// The context that determines the values of dependencies without overrides.
  public var context: DependencyContext {
    get {
      (overrides[ObjectIdentifier(DependencyContext.self)] as? TypedOverride<DependencyContext>)?.value
        ?? defaults.preparedContext ?? .ofProcess
    }
    set {
      overrides[ObjectIdentifier(DependencyContext.self)] = TypedOverride(newValue)
      if case .preparing(let preparation) = Self.phase {
        defaults.prepare(ObjectIdentifier(DependencyContext.self), in: nil, value: newValue, by: preparation)
      }
    }
  }

  private var defaults: CachedValues { cached ?? .shared }

  /// Returns true if nothing is overridden.
  var isEmpty: Bool { overrides.isEmpty && cached == nil }

  /// The process's values in the context of these.
  var forPreparation: Self {
    var result = Self(cached: cached)
    let key = ObjectIdentifier(DependencyContext.self)
    result.overrides[key] = overrides[key]
    return result
  }

  /// These values with the overrides of `other` on top.
  func merging(_ other: DependencyValues) -> DependencyValues {
    guard !isEmpty else { return other }
    var result = self
    result.cached = other.cached ?? cached
    result.overrides.merge(other.overrides) { $1 }
    return result
  }
}

/// The override of a key, in an object of its type. A value whose type is a protocol, such as that of a clock, would be
/// cast at each use by searching for its conformance, which costs 5,000 instructions.
private protocol Override: AnyObject, Sendable {}

private final class TypedOverride<Value: Sendable>: Override {
  let value: Value

  init(_ value: Value) { self.value = value }
}
