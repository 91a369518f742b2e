public import IdentifiedCollections

/// A collection of which each setting keeps the first of equal elements only.
@propertyWrapper
public struct UniqueElements<Elements: RangeReplaceableCollection> where Elements.Element: Hashable {
  private var elements: Elements

  /// Creates the property.
  ///
  /// - Complexity: O(elements), also of each setting.
  public init(wrappedValue: Elements) {
    elements = Self.unique(wrappedValue)
  }

  /// The elements, each once.
  public var wrappedValue: Elements {
    get { elements }
    set { elements = Self.unique(newValue) }
  }

  private static func unique(_ elements: Elements) -> Elements {
    var seen: Set<Elements.Element> = []
    return elements.filter { seen.insert($0).inserted }
  }
}

extension UniqueElements: Equatable where Elements: Equatable {}
extension UniqueElements: Sendable where Elements: Sendable {}

/// An element that can be selected.
public protocol Selectable {
  /// Whether the element is selected.
  var isSelected: Bool { get set }
}

/// Elements of which at most one is selected: an element that becomes selected takes the selection from the others.
///
/// ```swift
/// @SingleSelection(selection: \.isSelected) var items: IdentifiedArrayOf<Item> = []
/// ```
///
/// - Complexity: Each change is O(elements).
@propertyWrapper
public struct SingleSelection<ID: Hashable & Sendable, Element> {
  private var elements: IdentifiedArray<ID, Element>
  private let selection: any WritableKeyPath<Element, Bool> & Sendable

  /// Creates the property.
  ///
  /// - Parameter selection: Whether an element is selected.
  public init(wrappedValue: IdentifiedArray<ID, Element>, selection: any WritableKeyPath<Element, Bool> & Sendable) {
    (elements, self.selection) = (wrappedValue, selection)
    keepOneSelected(insteadOf: nil)
  }

  /// Creates the property for elements that know of their selection.
  public init(wrappedValue: IdentifiedArray<ID, Element>) where Element: Selectable {
    self.init(wrappedValue: wrappedValue, selection: \Element.isSelected)
  }

  /// The elements, of which at most one is selected.
  public var wrappedValue: IdentifiedArray<ID, Element> {
    get { elements }
    set {
      let previous = selectedID
      elements = newValue
      keepOneSelected(insteadOf: previous)
    }
  }

  /// The id of the selected element.
  public var selectedID: ID? { elements.ids.first { elements[id: $0]?[keyPath: selection] == true } }

  /// The property, for ``selectedID``.
  public var projectedValue: SingleSelection { self }

  /// Of several selected elements a newly selected one is kept, else the first.
  private mutating func keepOneSelected(insteadOf previous: ID?) {
    let selected = elements.ids.filter { elements[id: $0]?[keyPath: selection] == true }
    guard selected.count > 1 else { return }
    let kept = selected.first { $0 != previous } ?? selected[0]
    for id in selected where id != kept { elements[id: id]?[keyPath: selection] = false }
  }
}

extension SingleSelection: Equatable where Element: Equatable {
  /// Returns true if the elements are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.elements == rhs.elements }
}

extension SingleSelection: Sendable where Element: Sendable {}

extension IdentifiedArray {
  /// The element at an index; nil if there is none.
  public subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }

  /// Removes the elements of which an equal one stands before them.
  public mutating func removeDuplicates() where Element: Hashable {
    var seen: Set<Element> = []
    removeAll { !seen.insert($0).inserted }
  }
}
