internal import IssueReporting

/// The dependencies that code sees: overrides of this task and its parents, over each key's own value.
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
/// A key's own value is made once and kept for the process, or in tests for the test that asked for it.
///
/// `mainQueue` and `mainRunLoop`, which the original library has, are not offered: they are schedulers of Combine, which
/// Linux does not have, and ``continuousClock`` does what features use them for. `urlSession` and `notificationCenter`
/// are in the module `DependenciesFoundation`, so that a program that needs neither does not link Foundation.
public struct DependencyValues: Sendable {
  @TaskLocal package static var current = DependencyValues()
  /// Who asks for a dependency now, for reports.
  @TaskLocal static var access = DependencyAccess()
  /// What reading and writing values means now.
  @TaskLocal package static var phase = Phase.reading

  package enum Phase: Sendable {
    /// Code uses dependencies.
    case reading
    /// An update of ``withDependencies(_:operation:)`` runs: it may read what it is about to override.
    case overriding
    /// An update of ``prepareDependencies(_:)`` runs.
    case preparing(Preparation)
  }

  private var overrides: [ObjectIdentifier: any Sendable] = [:]

  /// Creates values without overrides.
  public init() {}

  /// The value of a key: the override, or what the key says for the current context.
  ///
  /// The other arguments name the dependency in reports; leave them alone.
  public subscript<Key: TestDependencyKey>(
    key: Key.Type,
    fileID fileID: StaticString = #fileID, filePath filePath: StaticString = #filePath,
    line line: UInt = #line, column column: UInt = #column, function function: StaticString = #function
  ) -> Key.Value {
    get {
      if let value = overrides[ObjectIdentifier(key)] as? Key.Value { return value }
      var access = Self.access
      access.name = function
      if access.place == nil {
        access.place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
      }
      return Self.$access.withValue(access) { CachedValues.value(of: key, in: context) }
    }
    set {
      guard case .preparing(let preparation) = Self.phase else {
        overrides[ObjectIdentifier(key)] = newValue
        return
      }
      let isNew = CachedValues.prepare(ObjectIdentifier(key), in: context, value: newValue, by: preparation)
      if !isNew { reportPreparedTooLate(key, value: Key.Value.self, name: function) }
    }
  }

  /// The context that decides the value of dependencies that nobody overrode.
  public var context: DependencyContext {
    get {
      overrides[ObjectIdentifier(DependencyContext.self)] as? DependencyContext
        ?? CachedValues.preparedContext ?? .ofProcess
    }
    set {
      overrides[ObjectIdentifier(DependencyContext.self)] = newValue
      if case .preparing(let preparation) = Self.phase {
        CachedValues.prepare(ObjectIdentifier(DependencyContext.self), in: nil, value: newValue, by: preparation)
      }
    }
  }

  /// Whether nothing is overridden.
  var isEmpty: Bool { overrides.isEmpty }

  /// These values with the overrides of `other` on top.
  func merging(_ other: DependencyValues) -> DependencyValues {
    guard !overrides.isEmpty else { return other }
    var result = self
    result.overrides.merge(other.overrides) { $1 }
    return result
  }
}
