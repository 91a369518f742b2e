/// A collection of elements that are found by their unique ids.
public protocol _IdentifiedCollection<ID, Element>: Collection {
  /// The type of an id.
  associatedtype ID: Hashable
  /// The type of the ids of all elements.
  associatedtype IDs: Collection<ID>

  /// The ids of the elements, in order.
  var ids: IDs { get }

  /// The element with an id; `nil` if there is none.
  subscript(id id: ID) -> Element? { get }
}

/// A collection whose elements are changed by their unique ids.
public protocol _MutableIdentifiedCollection<ID, Element>: _IdentifiedCollection, MutableCollection {
  /// The element with an id; `nil` if there is none. Setting it adds, replaces or removes the element.
  subscript(id id: ID) -> Element? { get set }
}

/// A collection of elements that are found by their unique ids: the name without an underscore.
public protocol IdentifiedCollection<ID, Element>: _IdentifiedCollection {}

/// A collection whose elements are changed by their unique ids: the name without an underscore.
public protocol MutableIdentifiedCollection<ID, Element>: IdentifiedCollection, _MutableIdentifiedCollection {}

extension IdentifiedArray: MutableIdentifiedCollection {}
