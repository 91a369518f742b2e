internal import CustomDump

/// A case of an enum as two functions: one embeds a payload, the other extracts it.
@dynamicMemberLookup
public struct AnyCasePath<Root, Value>: Sendable {
  @usableFromInline let _embed: @Sendable (Value) -> Root
  @usableFromInline let _extract: @Sendable (Root) -> Value?

  /// Creates a case path from its two functions.
  @inlinable
  public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
    _embed = embed
    _extract = extract
  }

  /// Creates a case path from a case itself, for the expansion of `@CasePathable`.
  ///
  /// In the Swift 5 language mode, a case is not a `@Sendable` function; passing it as one would cause a warning in the
  /// user's code for each case.
  @inlinable
  public init(_case embed: @escaping (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
    // Sound, because a case captures nothing.
    self.init(embed: unsafeBitCast(embed, to: (@Sendable (Value) -> Root).self), extract: extract)
  }

  /// The enum value that has this payload.
  @inlinable public func embed(_ value: Value) -> Root { _embed(value) }

  /// `embed` as a function.
  @inlinable public var embedding: @Sendable (Value) -> Root { _embed }

  /// The payload, if the enum value is of this case.
  @inlinable public func extract(from root: Root) -> Value? { _extract(root) }

  /// The payload, if the enum value is of this case: a function's spelling of ``extract(from:)``.
  public func callAsFunction(_ root: Root) -> Value? { _extract(root) }

  /// Changes the payload of a value in place.
  ///
  /// - Throws: The error of the change, or ``ExtractionFailed`` if the value is of another case; the value is then
  ///   unchanged.
  @discardableResult
  public func modify<Result>(_ root: inout Root, _ change: (inout Value) throws -> Result) throws -> Result {
    guard var value = extract(from: root) else { throw ExtractionFailed(expected: "\(Value.self)", value: "\(root)") }
    let result = try change(&value)
    root = embed(value)
    return result
  }

  /// Changes the payload of a value in place, for reducers; returns nil, without changes, if the value is of another
  /// case.
  @inlinable
  public func _modify<Result>(_ root: inout Root, _ change: (inout Value) -> Result) -> Result? {
    withUnsafeMutablePointer(to: &root) { place in
      guard var value = extract(from: place.pointee) else { return nil }
      // A root that also referred to the payload would make a change of the payload's collections copy them. Nobody
      // reads it meanwhile, because this access is exclusive.
      place.deinitialize(count: 1)
      defer { place.initialize(to: embed(value)) }
      return change(&value)
    }
  }

  /// A case of the payload.
  public subscript<Member>(
    dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, Member>>
  ) -> AnyCasePath<Root, Member> where Value: CasePathable {
    appending(path: Value.allCasePaths[keyPath: keyPath])
  }

  /// This path, extended by a case of the payload.
  public func appending<Member>(path: AnyCasePath<Value, Member>) -> AnyCasePath<Root, Member> {
    AnyCasePath<Root, Member>(
      embed: { embed(path.embed($0)) },
      extract: { extract(from: $0).flatMap { path.extract(from: $0) } })
  }
}

/// The value that ``AnyCasePath/modify(_:_:)`` was to change is of another case.
public struct ExtractionFailed: Error, CustomStringConvertible {
  let expected: String
  let value: String

  public var description: String { "expected a case with a value of type \(expected), but the value is \(value)" }
}

extension AnyCasePath: CustomDebugStringConvertible {
  /// The types of the enum and of the payload: `AnyCasePath<Feature.Action, Int>`.
  public var debugDescription: String {
    "AnyCasePath<\(typeName(Root.self, generics: true)), \(typeName(Value.self, generics: true))>"
  }
}

extension AnyCasePath where Root == Value {
  /// The value itself.
  public init() {
    self.init(embed: { $0 }, extract: { $0 })
  }
}
