extension IdentifiedArray {
  /// Creates an empty array whose elements are identified by `id`.
  ///
  /// - Parameters:
  ///   - id: The path to the id of an element.
  ///   - minimumCapacity: The number of elements to reserve space for.
  @inlinable
  public init(id: KeyPath<Element, ID>, minimumCapacity: Int = 0) {
    self.init(_id: id)
    reserveCapacity(minimumCapacity)
  }

  /// Creates an array of elements with distinct ids.
  ///
  /// - Precondition: no two elements have the same id.
  /// - Complexity: O(n log n); O(1) for an identified array with the same `id`.
  @inlinable
  public init(uniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    self.init(_id: id)
    add(unique: elements)
  }

  /// Creates an array of elements whose ids are known to be distinct. This implementation compares the ids
  /// nevertheless, and keeps the first of two elements with the same id.
  ///
  /// - Complexity: O(n log n); O(1) for an identified array with the same `id`.
  @inlinable
  public init(uncheckedUniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    self.init(_id: id)
    if let elements = elements as? Self, elements.id == id {
      self = elements
    } else {
      append(contentsOf: elements)
    }
  }

  @inlinable
  mutating func add(unique elements: some Sequence<Element>) {
    if let elements = elements as? Self, elements.id == id {
      self = elements
      return
    }
    for element in elements {
      Swift.precondition(append(element).inserted, "Two elements have the same id")
    }
  }

  /// Creates an array of elements that may have duplicate ids; `combine` merges those with the same id.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - id: the key path to an element's id.
  ///   - combine: receives the existing and the new element; its result replaces the existing one.
  /// - Precondition: `combine` returns an element with the id of the two.
  /// - Complexity: O(n log n).
  @inlinable
  public init(
    _ elements: some Sequence<Element>, id: KeyPath<Element, ID>,
    uniquingIDsWith combine: (Element, Element) throws -> Element
  ) rethrows {
    self.init(_id: id)
    try add(elements, uniquingIDsWith: combine)
  }

  @inlinable
  mutating func add(
    _ elements: some Sequence<Element>, uniquingIDsWith combine: (Element, Element) throws -> Element
  ) rethrows {
    for element in elements {
      let (inserted, index) = append(element)
      if !inserted { self[index] = try combine(self[index], element) }
    }
  }
}

extension IdentifiedArray {
  @inlinable
  init(_id id: KeyPath<Element, ID>) {
    self.init(_id: id) { $0[keyPath: id] }
  }
}

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
  /// Creates an empty array.
  @inlinable
  public init() {
    self.init(_id: \.id) { $0.id }
  }

  /// Creates an empty array with reserved space.
  ///
  /// - Parameter minimumCapacity: the number of elements to reserve space for.
  @inlinable
  public init(minimumCapacity: Int) {
    self.init()
    reserveCapacity(minimumCapacity)
  }

  /// Creates an array of elements with distinct ids.
  ///
  /// - Precondition: no two elements have the same id.
  /// - Complexity: O(n log n); O(1) for an identified array.
  @inlinable
  public init(uniqueElements elements: some Sequence<Element>) {
    self.init()
    add(unique: elements)
  }

  /// Creates an array of elements whose ids are known to be distinct. This implementation compares the ids
  /// nevertheless, and keeps the first of two elements with the same id.
  ///
  /// - Complexity: O(n log n); O(1) for an identified array.
  @inlinable
  public init(uncheckedUniqueElements elements: some Sequence<Element>) {
    self.init()
    append(contentsOf: elements)
  }

  /// Creates an array of elements that may have duplicate ids; `combine` merges those with the same id.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - combine: receives the existing and the new element; its result replaces the existing one.
  /// - Precondition: `combine` returns an element with the id of the two.
  /// - Complexity: O(n log n).
  @inlinable
  public init(
    _ elements: some Sequence<Element>, uniquingIDsWith combine: (Element, Element) throws -> Element
  ) rethrows {
    self.init()
    try add(elements, uniquingIDsWith: combine)
  }
}

extension IdentifiedArray {
  /// Creates a copy of an array.
  ///
  /// - Complexity: O(1).
  @inlinable
  public init(_ elements: Self) {
    self = elements
  }
}

extension IdentifiedArray: ExpressibleByArrayLiteral where Element: Identifiable, ID == Element.ID {
  /// Creates an array of elements with distinct ids.
  ///
  /// - Precondition: no two elements have the same id.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(uniqueElements: elements)
  }
}
