public import CasePaths

/// A path to an optional place in a value. Key paths, case paths and optional paths conform to it.
public protocol WritablePath<Root, Value>: SendableMetatype {
  /// The whole.
  associatedtype Root
  /// The part.
  associatedtype Value

  /// Returns the part; nil if it does not exist.
  func extract(from root: Root) -> Value?

  /// Replaces the part. A case path changes the case; an optional path changes nothing if the place does not exist.
  func set(into root: inout Root, _ value: Value)
}

extension WritableKeyPath: WritablePath {
  /// Returns the part, which always exists.
  public func extract(from root: Root) -> Value? { root[keyPath: self] }

  /// Replaces the part.
  public func set(into root: inout Root, _ value: Value) { root[keyPath: self] = value }
}

extension AnyCasePath: WritablePath {
  /// Replaces the whole with the case that has this value.
  public func set(into root: inout Root, _ value: Value) { root = embed(value) }
}

/// A path through optionals, cases and properties, such as `user?.address.city`.
///
/// ```swift
/// let editor = (\AppState.screen) .. /Screen.editor
/// editorReducer.pullback(state: editor, action: /AppAction.editor, environment: { $0 })
/// ```
///
/// The parentheses are necessary: the compiler would parse an operator that begins with a dot as part of the key path.
public struct OptionalPath<Root, Value>: WritablePath {
  private let getValue: (Root) -> Value?
  private let setValue: (inout Root, Value) -> Void

  /// Creates a path from two functions.
  public init(extract: @escaping (Root) -> Value?, set: @escaping (inout Root, Value) -> Void) {
    (getValue, setValue) = (extract, set)
  }

  /// Creates a path to the value of an optional property.
  public init(_ keyPath: WritableKeyPath<Root, Value?>) {
    self.init(extract: { $0[keyPath: keyPath] }, set: { $0[keyPath: keyPath] = $1 })
  }

  /// Creates a path to the value of a case.
  public init(_ casePath: CasePath<Root, Value>) {
    self.init(extract: { casePath.extract(from: $0) }, set: { casePath.set(into: &$0, $1) })
  }

  /// Returns the value; nil if it does not exist.
  public func extract(from root: Root) -> Value? { getValue(root) }

  /// Replaces the value; changes nothing if the place does not exist.
  public func set(into root: inout Root, _ value: Value) { setValue(&root, value) }

  /// Returns the path that continues with another one.
  public func appending<Member>(path: OptionalPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// Returns the path that continues with a case.
  public func appending<Member>(path: CasePath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// Returns the path that continues with a property.
  @_disfavoredOverload
  public func appending<Member>(path: WritableKeyPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// Returns the path that continues with the value of an optional property.
  public func appending<Member>(path: WritableKeyPath<Value, Member?>) -> OptionalPath<Root, Member> {
    self.path(through: OptionalPath<Value, Member>(path))
  }
}

extension OptionalPath where Root == Value {
  /// The path to the value itself.
  public static var `self`: OptionalPath { OptionalPath(CasePath()) }
}

extension OptionalPath where Root == Value? {
  /// The path to the value of an optional.
  public static var some: OptionalPath { OptionalPath(extract: { $0 }, set: { $0 = $1 }) }
}

extension WritablePath {
  /// Returns this path continued by another one.
  fileprivate func path<Next: WritablePath>(through next: Next) -> OptionalPath<Root, Next.Value>
  where Next.Root == Value {
    OptionalPath(
      extract: { extract(from: $0).flatMap { next.extract(from: $0) } },
      set: { root, member in
        guard var value = extract(from: root) else { return }
        next.set(into: &value, member)
        set(into: &root, value)
      })
  }
}

extension AnyCasePath {
  /// Returns the path that continues with another one.
  public func appending<Member>(path: OptionalPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// Returns the path that continues with a property.
  @_disfavoredOverload
  public func appending<Member>(path: WritableKeyPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// Returns the path that continues with the value of an optional property.
  public func appending<Member>(path: WritableKeyPath<Value, Member?>) -> OptionalPath<Root, Member> {
    self.path(through: OptionalPath<Value, Member>(path))
  }
}

extension WritableKeyPath {
  /// Returns the path that continues with another one.
  public func appending<Member>(path: OptionalPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// Returns the path that continues with a case.
  public func appending<Member>(path: CasePath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }
}

// MARK: Operators

/// Continues an optional path with another one.
public func .. <Root, Value, Member>(
  lhs: OptionalPath<Root, Value>, rhs: OptionalPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// Continues an optional path with a case.
public func .. <Root, Value, Member>(
  lhs: OptionalPath<Root, Value>, rhs: CasePath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// Continues an optional path with a property.
public func .. <Root, Value, Member>(
  lhs: OptionalPath<Root, Value>, rhs: WritableKeyPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.path(through: rhs) }

/// Continues a key path with an optional path.
public func .. <Root, Value, Member>(
  lhs: WritableKeyPath<Root, Value>, rhs: OptionalPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// Continues a key path with a case.
public func .. <Root, Value, Member>(
  lhs: WritableKeyPath<Root, Value>, rhs: CasePath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// Continues a case path with an optional path.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: OptionalPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// Continues a case path with a property.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: WritableKeyPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.path(through: rhs) }
