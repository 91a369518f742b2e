internal import CustomDump
internal import IssueReporting

/// A read-only shared value; see ``Shared``.
@propertyWrapper
@dynamicMemberLookup
public struct SharedReader<Value> {
  let box: Box<any ReadableLocation<Value>>

  var location: any ReadableLocation<Value> { box.place }

  init(location: any ReadableLocation<Value>) {
    box = Box(location)
  }

  /// A value that never changes.
  public init(
    value: sending Value,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      location: Cell(value, at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)))
  }

  /// A value that never changes.
  public static func constant(_ value: sending Value) -> Self {
    Self(value: value)
  }

  /// Reads a value that others share and change.
  public init(_ base: Shared<Value>) {
    self.init(location: base.location)
  }

  /// Joins an existing share.
  public init(projectedValue: SharedReader<Value>) {
    self = projectedValue
  }

  /// Reads the value inside a shared optional, if there is one; if it becomes nil later, the last value remains.
  public init?(_ base: Shared<Value?>) {
    self.init(SharedReader<Value?>(base))
  }

  /// Reads the value inside an optional that is shared for reading; nil if there is none. After the optional becomes
  /// nil, reads return the last value.
  public init?(_ base: SharedReader<Value?>) {
    guard let location = ReadOnlyUnwrappedLocation<Value>(base.location) else { return nil }
    self.init(location: location)
  }

  /// The current value, also in a test's assertion, since a test cannot change it through a reader.
  public var wrappedValue: Value {
    SharedChangeTracker.asserting == nil ? location.read() : location.readCurrent()
  }

  /// The share itself, to pass on. Assigning another one makes this share and its copies refer to that.
  public var projectedValue: SharedReader<Value> {
    get {
      location.root.access()
      return self
    }
    nonmutating set { point(to: newValue.location) }
  }

  func point(to location: any ReadableLocation<Value>) {
    let old = box.place
    box.place = location
    if old.root !== location.root { old.root.touch() }
  }

  /// A part of the value, shared for reading.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> SharedReader<Member> {
    SharedReader<Member>(location: ReadOnlyPartLocation(location, keyPath))
  }

  /// Returns a value derived from this one, shared for reading.
  ///
  /// ```swift
  /// let title = $user.read { "\($0.firstName) \($0.lastName)" }
  /// ```
  ///
  /// - Parameter body: Derives the value. Called at each read, on the reading thread.
  public func read<Member>(_ body: @escaping @Sendable (Value) -> Member) -> SharedReader<Member> {
    SharedReader<Member>(location: DerivedLocation(location, body))
  }

  /// Returns a part of the value, shared for reading. Equivalent to `$settings.isDimmed`.
  public func read<Member>(_ keyPath: KeyPath<Value, Member>) -> SharedReader<Member> {
    self[dynamicMember: keyPath]
  }
}

extension SharedReader: Sendable where Value: Sendable {}

extension SharedReader: Equatable where Value: Equatable {
  /// Returns true if the current values are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.wrappedValue == rhs.wrappedValue }
}

extension SharedReader: Identifiable where Value: Identifiable {
  /// The identity of the value.
  public var id: Value.ID { wrappedValue.id }
}

extension SharedReader: CustomStringConvertible {
  /// The type, and the key or the value.
  public var description: String {
    let key = (location as? Cell<Value>)?.backing?.describe()
    return "\(typeName(Self.self, generics: true))(\(key ?? "value: \(String(reflecting: location.readCurrent()))"))"
  }
}

extension Shared {
  /// This share for reading only.
  public var reader: SharedReader<Value> { SharedReader(self) }

  /// Returns a value derived from this one, shared for reading.
  public func read<Member>(_ body: @escaping @Sendable (Value) -> Member) -> SharedReader<Member> {
    SharedReader(self).read(body)
  }

  /// Returns a part of the value, shared for reading. Equivalent to `$settings.isDimmed`.
  public func read<Member>(_ keyPath: KeyPath<Value, Member>) -> SharedReader<Member> {
    SharedReader(self)[dynamicMember: keyPath]
  }
}

extension Shared: CustomReflectable {
  /// The mirror of the value.
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue) }
}

extension SharedReader: CustomReflectable {
  /// The mirror of the value.
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue) }
}
