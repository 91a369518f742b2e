extension Shared {
  /// A part of the value, shared: `$settings.isDimmed`, `$items[0]`.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Shared<Member> {
    Shared<Member>(location: PartLocation(location, keyPath))
  }

  /// A part of the value that cannot be set, shared for reading.
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
  /// Should the optional become nil later, the result reads as the last value there was, and changes to it are lost.
  public init?(_ base: Shared<Value?>) {
    guard let location = UnwrappedLocation<Value>(base.location) else { return nil }
    self.init(location: location)
  }
}

extension Array {
  /// Shares each element of a shared collection.
  ///
  /// An element is found by its place. Once the collection has no such place, reading the element traps.
  public init<C: MutableCollection & RandomAccessCollection>(_ shared: Shared<C>)
  where Element == Shared<C.Element>, C.Index: Hashable {
    self = shared.wrappedValue.indices.map { shared[dynamicMember: \C[$0]] }
  }
}
