public import IdentifiedCollections

extension Shared {
  /// A shared part of the value: `$settings.isDimmed`, `$items[0]`.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Shared<Member> {
    Shared<Member>(location: PartLocation(location, keyPath))
  }

  /// A read-only part of the value, shared for reading.
  @_disfavoredOverload
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> SharedReader<Member> {
    SharedReader(self)[dynamicMember: keyPath]
  }

  /// Shares the value inside a shared optional, if there is one.
  ///
  /// ```swift
  /// if let item = Shared(state.$selectedItem) { … }
  /// ```
  ///
  /// If the optional becomes nil later, the result keeps the last value and its own changes.
  public init?(_ base: Shared<Value?>) {
    guard let location = UnwrappedLocation<Value>(base.location) else { return nil }
    self.init(location: location)
  }
}

extension RangeReplaceableCollection {
  /// Shares each element of a shared identified array.
  ///
  /// ```swift
  /// for todo in Array($todos) { … }  // `todo` is a `Shared<Todo>`
  /// ```
  ///
  /// An element is found by its id, also after it has moved. After its removal, the share keeps the last value and its
  /// own changes.
  public init<ID, Value>(_ shared: Shared<IdentifiedArray<ID, Value>>) where Element == Shared<Value> {
    self.init(shared.wrappedValue.ids.lazy.compactMap { Shared<Value>(shared[id: $0]) })
  }

  /// Shares each element of an identified array for reading.
  public init<ID, Value>(_ shared: SharedReader<IdentifiedArray<ID, Value>>) where Element == SharedReader<Value> {
    self.init(shared.wrappedValue.ids.lazy.compactMap { SharedReader<Value>(shared[id: $0]) })
  }
}

extension Array {
  /// Shares each element of a shared collection.
  ///
  /// An element is identified by its position, except in an `IdentifiedArray`. Reading it traps if the collection no
  /// longer has that position.
  @_disfavoredOverload
  public init<C: MutableCollection & RandomAccessCollection>(_ shared: Shared<C>)
  where Element == Shared<C.Element>, C.Index: Hashable {
    self = shared.wrappedValue.indices.map { shared[dynamicMember: \C[$0]] }
  }
}
