extension IdentifiedArray {
  /// The element at `position`.
  ///
  /// The element may be replaced, even by one with another id. If the new id exists elsewhere, that element is moved to
  /// `position` and replaced there, and the one at `position` is kept beside it. So the count never changes, and
  /// algorithms that assign the elements in another order, such as those of slices, lose none.
  ///
  /// An element whose id changes in place removes the one that had this id: the old element no longer exists.
  /// - Precondition: `position` is a valid index.
  /// - Complexity: O(log n), without copying elements if the array is not shared.
  @inlinable
  public subscript(position: Int) -> Element {
    _read {
      precondition(isPosition: position)
      yield slot(at: position).element.pointee
    }
    set {
      precondition(isPosition: position)
      let id = identify(newValue)
      let slot = uniqueSlot(at: position)
      guard slot.id.pointee != id else {
        slot.element.pointee = newValue
        return
      }
      let hash = Self.hash(id)
      _ = take(at: place(of: id, hash: hash).map { self.position(of: $0) } ?? position)
      insertNew(newValue, id: id, hash: hash, at: position)
    }
    _modify {
      precondition(isPosition: position)
      let slot = uniqueSlot(at: position)
      defer { if identify(slot.element.pointee) != slot.id.pointee { updateID(at: position) } }
      yield &slot.element.pointee
    }
  }

  /// Enters the element at `position` under its new id.
  @inlinable
  mutating func updateID(at position: Int) {
    let element = take(at: position).element
    let id = identify(element)
    var position = position
    if let other = index(id: id) {
      _ = take(at: other)
      if other < position { position -= 1 }
    }
    insertNew(element, id: id, hash: Self.hash(id), at: position)
  }

  /// The element with an id; `nil` if there is none.
  ///
  /// Setting `nil` removes the element. Setting an element replaces the one with this id in its place, or appends it.
  /// - Precondition: the element set has this id.
  /// - Complexity: O(log n), without copying elements if the array is not shared and an element is changed in place.
  @inlinable
  public subscript(id id: ID) -> Element? {
    _read {
      if let place = place(of: id) {
        yield slot(place).element.pointee
      } else {
        yield nil
      }
    }
    _modify {
      let hash = Self.hash(id)
      guard let place = place(of: id, hash: hash) else {
        var element: Element?
        defer {
          if let element {
            precondition(element, keeps: id)
            insertNew(element, id: id, hash: hash, at: count)
          }
        }
        yield &element
        return
      }
      let slot = uniqueSlot(place)
      var element: Element? = slot.element.move()
      defer {
        if let changed = element.take() {
          precondition(changed, keeps: slot.id.pointee)
          slot.element.initialize(to: changed)
        } else {
          slot.id.deinitialize(count: 1)
          tree.close(at: position(of: place))
        }
      }
      yield &element
    }
  }

  /// The element with an id, or a default if there is none. Changing the default appends it.
  ///
  /// - Precondition: the element set has this id.
  /// - Complexity: O(log n).
  @inlinable
  public subscript(id id: ID, default defaultValue: @autoclosure () -> Element) -> Element {
    get { self[id: id] ?? defaultValue() }
    _modify {
      let hash = Self.hash(id)
      guard let place = place(of: id, hash: hash) else {
        var element = defaultValue()
        defer {
          precondition(element, keeps: id)
          insertNew(element, id: id, hash: hash, at: count)
        }
        yield &element
        return
      }
      let slot = uniqueSlot(place)
      defer { precondition(slot.element.pointee, keeps: slot.id.pointee) }
      yield &slot.element.pointee
    }
  }

  @inlinable
  func precondition(_ element: Element, keeps id: ID) {
    Swift.precondition(
      identify(element) == id, "An element at one id cannot be replaced by an element with another id")
  }

  /// The position of the element with an id; `nil` if there is none.
  ///
  /// - Complexity: O(log n).
  @inlinable
  public func index(id: ID) -> Int? {
    place(of: id).map { position(of: $0) }
  }

  /// Returns true if the array has an element with the id of `element`, whether or not they are equal.
  ///
  /// - Complexity: O(log n).
  @inlinable
  public func contains(_ element: Element) -> Bool {
    place(of: identify(element)) != nil
  }
}
