// Forms of version 1 that version 2 replaced.

extension Shared {
  /// Shares a value without a key; in later code `Shared(value:)`.
  @_disfavoredOverload
  public init(
    _ value: sending Value,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(value: value, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Parts that are unwrapped where an optional is expected.
///
/// ```swift
/// if let item = $items[id: 1] { … }  // a `Shared<Item>`; in later code `Shared($items[id: 1])`
/// let item = $items[id: 1]           // a `Shared<Item?>`
/// ```
///
/// It is a protocol because the compiler prefers members of the type itself, where both would do.
public protocol _UnwrappedParts<Value> {
  associatedtype Value
  func _unwrapped<Member>(_ keyPath: WritableKeyPath<Value, Member?>) -> Shared<Member>?
}

extension _UnwrappedParts {
  /// A shared part inside an optional, or nil.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member?>) -> Shared<Member>? {
    _unwrapped(keyPath)
  }
}

extension Shared: _UnwrappedParts {
  public func _unwrapped<Member>(_ keyPath: WritableKeyPath<Value, Member?>) -> Shared<Member>? {
    Shared<Member>(Shared<Member?>(location: PartLocation(location, keyPath)))
  }
}

/// Parts that are unwrapped where an optional is expected, for reading: `if let radius = $reader.shape.circle { … }`.
///
/// It is a protocol for the reason that ``_UnwrappedParts`` is one.
public protocol _UnwrappedReaderParts<Value> {
  associatedtype Value
  func _unwrapped<Member>(_ keyPath: KeyPath<Value, Member?>) -> SharedReader<Member>?
}

extension _UnwrappedReaderParts {
  /// A part inside an optional, shared for reading, or nil.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member?>) -> SharedReader<Member>? {
    _unwrapped(keyPath)
  }
}

extension SharedReader: _UnwrappedReaderParts {
  public func _unwrapped<Member>(_ keyPath: KeyPath<Value, Member?>) -> SharedReader<Member>? {
    SharedReader<Member>(SharedReader<Member?>(location: ReadOnlyPartLocation(location, keyPath)))
  }
}

extension Shared where Value: RandomAccessCollection & MutableCollection, Value.Index: Hashable {
  /// Shares each element; in later code `Array($items)`.
  ///
  /// An element is identified by its position, also in an `IdentifiedArray`. If the collection no longer has that
  /// position, the share keeps the last value and its own changes.
  public var elements: [Shared<Value.Element>] {
    wrappedValue.indices.compactMap { Shared<Value.Element>(self[dynamicMember: \.[_ifPresent: $0]]) }
  }
}

extension RandomAccessCollection where Self: MutableCollection {
  /// The element at a position, if the collection has it.
  fileprivate subscript(_ifPresent index: Index) -> Element? {
    get { index >= startIndex && index < endIndex ? self[index] : nil }
    set { if let newValue, index >= startIndex, index < endIndex { self[index] = newValue } }
  }
}
