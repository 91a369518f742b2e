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
  /// If the optional becomes nil later, the result reads as the last value, and changes to it are lost.
  public init?(_ base: Shared<Value?>) {
    guard let location = UnwrappedLocation<Value>(base.location) else { return nil }
    self.init(location: location)
  }
}

extension Array {
  /// Shares each element of a shared collection.
  ///
  /// An element is identified by its position. Reading it traps if the collection no longer has that position.
  public init<C: MutableCollection & RandomAccessCollection>(_ shared: Shared<C>)
  where Element == Shared<C.Element>, C.Index: Hashable {
    self = shared.wrappedValue.indices.map { shared[dynamicMember: \C[$0]] }
  }
}
