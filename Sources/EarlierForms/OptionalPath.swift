public import CasePaths

/// A place in a value that may not be there: what key paths, case paths and optional paths have in common.
public protocol WritablePath<Root, Value>: SendableMetatype {
  /// The whole.
  associatedtype Root
  /// The part.
  associatedtype Value

  /// The part; nil if it is not there.
  func extract(from root: Root) -> Value?

  /// Replaces the part. A case path changes the case; an optional path changes nothing if the place is not there.
  func set(into root: inout Root, _ value: Value)
}

extension WritableKeyPath: WritablePath {
  /// The part, which is always there.
  public func extract(from root: Root) -> Value? { root[keyPath: self] }

  /// Replaces the part.
  public func set(into root: inout Root, _ value: Value) { root[keyPath: self] = value }
}

extension AnyCasePath: WritablePath {
  /// Replaces the whole by the case with this value.
  public func set(into root: inout Root, _ value: Value) { root = embed(value) }
}

/// A path through optionals, cases and properties, as `user?.address.city` is one.
///
/// ```swift
/// let editor = (\AppState.screen) .. /Screen.editor
/// editorReducer.pullback(state: editor, action: /AppAction.editor, environment: { $0 })
/// ```
///
/// The compiler takes an operator that begins with a dot for a part of the key path before it: hence the parentheses.
public struct OptionalPath<Root, Value>: WritablePath {
  private let getValue: (Root) -> Value?
  private let setValue: (inout Root, Value) -> Void

  /// Creates a path of two functions.
  public init(extract: @escaping (Root) -> Value?, set: @escaping (inout Root, Value) -> Void) {
    (getValue, setValue) = (extract, set)
  }

  /// The value of an optional property.
  public init(_ keyPath: WritableKeyPath<Root, Value?>) {
    self.init(extract: { $0[keyPath: keyPath] }, set: { $0[keyPath: keyPath] = $1 })
  }

  /// The value of a case.
  public init(_ casePath: CasePath<Root, Value>) {
    self.init(extract: { casePath.extract(from: $0) }, set: { casePath.set(into: &$0, $1) })
  }

  /// The value; nil if it is not there.
  public func extract(from root: Root) -> Value? { getValue(root) }

  /// Replaces the value; changes nothing if the place is not there.
  public func set(into root: inout Root, _ value: Value) { setValue(&root, value) }

  /// The place in the value of this path to which another leads.
  public func appending<Member>(path: OptionalPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// A case of the value of this path.
  public func appending<Member>(path: CasePath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// A property of the value of this path.
  @_disfavoredOverload
  public func appending<Member>(path: WritableKeyPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// The value of an optional property of the value of this path.
  public func appending<Member>(path: WritableKeyPath<Value, Member?>) -> OptionalPath<Root, Member> {
    self.path(through: OptionalPath<Value, Member>(path))
  }
}

extension OptionalPath where Root == Value {
  /// The value itself.
  public static var `self`: OptionalPath { OptionalPath(CasePath()) }
}

extension OptionalPath where Root == Value? {
  /// The value of an optional.
  public static var some: OptionalPath { OptionalPath(extract: { $0 }, set: { $0 = $1 }) }
}

extension WritablePath {
  /// This path and another one behind it.
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
  /// The place in the case's value to which another path leads.
  public func appending<Member>(path: OptionalPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// A property of the case's value.
  @_disfavoredOverload
  public func appending<Member>(path: WritableKeyPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// The value of an optional property of the case's value.
  public func appending<Member>(path: WritableKeyPath<Value, Member?>) -> OptionalPath<Root, Member> {
    self.path(through: OptionalPath<Value, Member>(path))
  }
}

extension WritableKeyPath {
  /// The place in the property to which another path leads.
  public func appending<Member>(path: OptionalPath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }

  /// A case of the property.
  public func appending<Member>(path: CasePath<Value, Member>) -> OptionalPath<Root, Member> {
    self.path(through: path)
  }
}

// MARK: Operators

/// A place within the value of a path.
public func .. <Root, Value, Member>(
  lhs: OptionalPath<Root, Value>, rhs: OptionalPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// A case of the value of a path.
public func .. <Root, Value, Member>(
  lhs: OptionalPath<Root, Value>, rhs: CasePath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// A property of the value of a path.
public func .. <Root, Value, Member>(
  lhs: OptionalPath<Root, Value>, rhs: WritableKeyPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.path(through: rhs) }

/// A place within a property.
public func .. <Root, Value, Member>(
  lhs: WritableKeyPath<Root, Value>, rhs: OptionalPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// A case of a property.
public func .. <Root, Value, Member>(
  lhs: WritableKeyPath<Root, Value>, rhs: CasePath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// A place within the value of a case.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: OptionalPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.appending(path: rhs) }

/// A property of the value of a case.
public func .. <Root, Value, Member>(
  lhs: CasePath<Root, Value>, rhs: WritableKeyPath<Value, Member>
) -> OptionalPath<Root, Member> { lhs.path(through: rhs) }
