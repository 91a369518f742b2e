extension IdentifiedArray {
  /// An empty array of elements that are known by what `id` leads to.
  ///
  /// - Parameter minimumCapacity: how many elements to make room for.
  @inlinable
  public init(id: KeyPath<Element, ID>, minimumCapacity: Int = 0) {
    self.init(_id: id)
    reserveCapacity(minimumCapacity)
  }

  /// An array of elements whose ids differ.
  ///
  /// - Precondition: no two elements have the same id.
  /// - Complexity: O(n log n); O(1) for an identified array with the same `id`.
  @inlinable
  public init(uniqueElements elements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    self.init(_id: id)
    add(unique: elements)
  }

  /// An array of elements whose ids are known to differ. Here the ids are compared all the same, and of two elements with
  /// one id the first is kept.
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

  /// An array of elements of which several may have the same id; `combine` says what becomes of them.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - id: the key path to an element's id.
  ///   - combine: gets the element that is there and the one that comes; what it returns takes the place of the first.
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
  /// An empty array.
  @inlinable
  public init() {
    self.init(_id: \.id) { $0.id }
  }

  /// An empty array with room for some elements.
  ///
  /// - Parameter minimumCapacity: how many elements to make room for.
  @inlinable
  public init(minimumCapacity: Int) {
    self.init()
    reserveCapacity(minimumCapacity)
  }

  /// An array of elements whose ids differ.
  ///
  /// - Precondition: no two elements have the same id.
  /// - Complexity: O(n log n); O(1) for an identified array.
  @inlinable
  public init(uniqueElements elements: some Sequence<Element>) {
    self.init()
    add(unique: elements)
  }

  /// An array of elements whose ids are known to differ. Here the ids are compared all the same, and of two elements with
  /// one id the first is kept.
  ///
  /// - Complexity: O(n log n); O(1) for an identified array.
  @inlinable
  public init(uncheckedUniqueElements elements: some Sequence<Element>) {
    self.init()
    append(contentsOf: elements)
  }

  /// An array of elements of which several may have the same id; `combine` decides between them.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - combine: gets the existing and the new element; its result takes the place of the existing one.
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
  /// The same array again.
  ///
  /// - Complexity: O(1).
  @inlinable
  public init(_ elements: Self) {
    self = elements
  }

  /// The elements of a slice.
  ///
  /// - Complexity: O(k log k) for a slice of k elements; O(1) for a slice of all.
  @inlinable
  public init(_ elements: SubSequence) {
    if elements.count == elements.base.count {
      self = elements.base
    } else {
      self = elements.base.emptied()
      for position in elements.indices { appendNew(from: elements.base.slot(at: position)) }
    }
  }
}

extension IdentifiedArray: ExpressibleByArrayLiteral where Element: Identifiable, ID == Element.ID {
  /// An array of elements whose ids differ.
  ///
  /// - Precondition: no two elements have the same id.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(uniqueElements: elements)
  }
}
