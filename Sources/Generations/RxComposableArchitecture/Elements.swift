public import IdentifiedCollections

/// An element with an identity, and with an appearance that may change.
public protocol HashDiffable: Identifiable {
  /// Returns true if two elements with the same identity look the same.
  func isEqual(to source: Self) -> Bool
}

extension HashDiffable where Self: Equatable {
  /// Returns true if two elements are equal.
  public func isEqual(to source: Self) -> Bool { self == source }
}

/// A collection without duplicates: setting it keeps only the first of equal elements.
@propertyWrapper
public struct UniqueElements<Elements: RangeReplaceableCollection> where Elements.Element: Hashable {
  private var elements: Elements

  /// Creates the property.
  ///
  /// - Complexity: O(elements), as is each assignment.
  public init(wrappedValue: Elements) {
    elements = Self.unique(wrappedValue)
  }

  /// The elements, without duplicates.
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
  /// True if the element is selected.
  var isSelected: Bool { get set }
}

/// Elements of which at most one is selected; selecting an element deselects the others.
///
/// ```swift
/// @SingleSelection(selection: \.isSelected) var items: IdentifiedArrayOf<Item> = []
/// ```
///
/// - Complexity: O(elements) for each change.
@propertyWrapper
public struct SingleSelection<ID: Hashable & Sendable, Element> {
  private var elements: IdentifiedArray<ID, Element>
  private let selection: any WritableKeyPath<Element, Bool> & Sendable

  /// Creates the property.
  ///
  /// - Parameter selection: The property that is true if an element is selected.
  public init(wrappedValue: IdentifiedArray<ID, Element>, selection: any WritableKeyPath<Element, Bool> & Sendable) {
    (elements, self.selection) = (wrappedValue, selection)
    keepOneSelected(insteadOf: nil)
  }

  /// Creates the property for selectable elements.
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

  /// Keeps one of several selected elements: a newly selected one, otherwise the first.
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

  /// Removes all elements that equal an earlier one.
  public mutating func removeDuplicates() where Element: Hashable {
    var seen: Set<Element> = []
    removeAll { !seen.insert($0).inserted }
  }
}
