/// The dependencies that code sees: overrides of this task and its parents, over each key's own value.
public struct DependencyValues: Sendable {
  @TaskLocal package static var current = DependencyValues()

  private var overrides: [ObjectIdentifier: any Sendable] = [:]

  /// Creates values without overrides.
  public init() {}

  /// The value of a key: the override, or what the key says for the current context.
  public subscript<Key: TestDependencyKey>(key: Key.Type) -> Key.Value {
    get {
      if let value = overrides[ObjectIdentifier(key)] as? Key.Value { return value }
      switch context {
      case .live: return Self.liveValue(of: key) ?? Key.testValue
      case .test: return Key.testValue
      case .preview: return Key.previewValue
      }
    }
    set { overrides[ObjectIdentifier(key)] = newValue }
  }

  /// The context that decides the value of dependencies that nobody overrode.
  public var context: DependencyContext {
    get { overrides[ObjectIdentifier(DependencyContext.self)] as? DependencyContext ?? .ofProcess }
    set { overrides[ObjectIdentifier(DependencyContext.self)] = newValue }
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

  private static func liveValue<Key: TestDependencyKey>(of key: Key.Type) -> Key.Value? {
    (key as? any DependencyKey.Type)?._liveValue as? Key.Value
  }
}

extension DependencyKey {
  fileprivate static var _liveValue: any Sendable { liveValue }
}
