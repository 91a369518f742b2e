extension IdentifiedArray {
  /// Appends an element unless its id exists already.
  ///
  /// - Returns: whether it was appended, and the position of the element with its id.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
    insert(element, orFindFor: count)
  }

  /// Appends each element whose id does not exist yet.
  ///
  /// - Complexity: O(k log n) for k elements, amortised.
  @inlinable
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Inserts an element before `index` unless its id exists already.
  ///
  /// - Returns: whether it was inserted, and the position of the element with its id.
  /// - Precondition: `index` is a valid index or the end, unless the id exists.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func insert(_ element: Element, at index: Int) -> (inserted: Bool, index: Int) {
    insert(element, orFindFor: index)
  }

  @inlinable
  mutating func insert(_ element: Element, orFindFor index: Int) -> (inserted: Bool, index: Int) {
    let id = identify(element)
    let hash = Self.hash(id)
    if let place = place(of: id, hash: hash) { return (false, position(of: place)) }
    precondition(isInsertion: index)
    insertNew(element, id: id, hash: hash, at: index)
    return (true, index)
  }

  /// Replaces the element with the same id, or appends the new one.
  ///
  /// - Returns: the element that was replaced.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    updateOrInsert(element, orAt: count).originalMember
  }

  /// Replaces the element with the same id, or inserts the new one before `index`.
  ///
  /// - Returns: the element that was replaced, and the position of the new one.
  /// - Precondition: `index` is a valid index or the end, unless an element is replaced.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func updateOrInsert(_ element: Element, at index: Int) -> (originalMember: Element?, index: Int) {
    updateOrInsert(element, orAt: index)
  }

  @inlinable
  mutating func updateOrInsert(_ element: Element, orAt index: Int) -> (originalMember: Element?, index: Int) {
    let id = identify(element)
    let hash = Self.hash(id)
    guard let place = place(of: id, hash: hash) else {
      precondition(isInsertion: index)
      insertNew(element, id: id, hash: hash, at: index)
      return (nil, index)
    }
    return (replace(in: uniqueSlot(place), with: element), position(of: place))
  }

  /// Replaces the element at `index`, which must have the same id.
  ///
  /// - Returns: the element that was replaced.
  /// - Precondition: `index` is a valid index, and the two have the same id.
  /// - Complexity: O(log n).
  @inlinable
  @discardableResult
  public mutating func update(_ element: Element, at index: Int) -> Element {
    precondition(isPosition: index)
    precondition(element, keeps: slot(at: index).id.pointee)
    return replace(in: uniqueSlot(at: index), with: element)
  }

  @inlinable
  func replace(in slot: Slot<ID, Element>, with element: Element) -> Element {
    let original = slot.element.move()
    slot.element.initialize(to: element)
    return original
  }

  @inlinable
  func precondition(isInsertion index: Int) {
    Swift.precondition(index >= 0 && index <= count, "Index out of range")
  }

  /// Reserves space for elements, up to the size of one leaf, because leaves are allocated one by one.
  ///
  /// - Complexity: O(1).
  @inlinable
  public mutating func reserveCapacity(_ minimumCapacity: Int) {
    let capacity = Swift.min(minimumCapacity, AnyLeaf.maximum)
    guard tree.height == 0, capacity > 0 else { return }
    if tree.root == nil {
      tree.root = Leaf<ID, Element>(label: OrderTree.firstLabel, capacity: Swift.max(capacity, 4))
    } else {
      tree.uniqueLeaf(labelled: 0).reserve(capacity)
    }
  }
}
