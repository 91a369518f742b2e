internal import IdentifiedCollections
package import Wire

extension SchemaValues {
  /// A difference between two values of a type.
  package struct Difference {
    /// The path of the part, such as `.count` or `[3].text`; empty for the whole value.
    package var path: String
    package var type: SchemaType
    /// The old value; nil if the part was inserted.
    package var old: CBORValue?
    /// The new value; nil if the part was removed.
    package var new: CBORValue?

    /// The place of an element that was moved, which has neither value, or inserted before others.
    package var place: Place?

    package init(path: String, type: SchemaType, old: CBORValue?, new: CBORValue?, place: Place? = nil) {
      (self.path, self.type, self.old, self.new, self.place) = (path, type, old, new, place)
    }

    /// True if an element was moved, and nothing else; its changes are differences of their own.
    package var isMove: Bool { old == nil && new == nil }
  }

  /// The place of an element in its collection.
  package struct Place: Equatable {
    /// The path of the collection.
    package var collection: String
    /// The element's name, such as `[3]`.
    package var element: String
    /// The name of the next element that has neither moved nor been inserted; nil at the end.
    package var next: String?
  }

  /// The smallest named parts in which two values of a type differ, in the order of the new value; removed ones first.
  ///
  /// The differences of a collection with ids lead from the old value to the new one: without the removed and moved
  /// elements, place the moved and inserted ones in this order, each before the element that its place names, or at the
  /// end; and replace the parts that have changed.
  /// - Complexity: O(size of the values); for versions of one identified array or stack, O(k log n) for k changes.
  package func differences(from old: CBORValue, to new: CBORValue, as type: SchemaType) -> [Difference] {
    var found: [Difference] = []
    differences(from: old, to: new, as: type, at: "", &found)
    return found
  }

  private func differences(
    from old: CBORValue, to new: CBORValue, as type: SchemaType, at path: String, _ found: inout [Difference]
  ) {
    guard old != new else { return }
    let count = found.count
    defer {
      // Differences that the parts do not show: a case without values, an absent field, another order.
      if found.count == count { found.append(Difference(path: path, type: type, old: old, new: new)) }
    }
    if let (old, new, element) = elements(old, new, type) {
      return differences(from: old, to: new, element, at: path, &found)
    }
    let (oldRange, newRange) = differingElements(old, new, type)
    guard let olds = parts(of: old, as: type, in: oldRange), let news = parts(of: new, as: type, in: newRange) else {
      return
    }
    // By bytes: keys of a dictionary may be canonically equivalent.
    let oldParts = Dictionary(olds.map { (Array($0.name.utf8), $0) }) { first, _ in first }
    let newNames = Set(news.map { Array($0.name.utf8) })
    // A different case of an enum is a different value.
    if case .definition(let index) = type, case .cases = schema.definitions[index].content,
      newNames != Set(oldParts.keys)
    {
      return
    }
    for part in olds where !newNames.contains(Array(part.name.utf8)) {
      found.append(Difference(path: path + part.suffix, type: part.type, old: part.value, new: nil))
    }
    for part in news {
      if let before = oldParts[Array(part.name.utf8)] {
        differences(from: before.value, to: part.value, as: part.type, at: path + part.suffix, &found)
      } else {
        found.append(Difference(path: path + part.suffix, type: part.type, old: nil, new: part.value))
      }
    }
  }
}

extension SchemaValues {
  /// Returns the elements of two identified arrays or stacks, also in optionals; nil for other values.
  private func elements(
    _ old: CBORValue, _ new: CBORValue, _ type: SchemaType
  ) -> (old: CBORElements, new: CBORElements, type: ElementType)? {
    guard case .named(let name, let parts) = type else { return nil }
    switch (NamedLayout(name, parts.count), old, new) {
    case (.optional, .array(let old), .array(let new)) where old.count == 1 && new.count == 1:
      return elements(old[0], new[0], parts[0])
    case (.identified, _, _), (.stack, _, _):
      let element = ElementType(type, in: schema)
      guard let old = element.elements(of: old), let new = element.elements(of: new) else { return nil }
      return (old, new, element)
    default: return nil
    }
  }

  private func differences(
    from old: CBORElements, to new: CBORElements, _ type: ElementType, at path: String, _ found: inout [Difference]
  ) {
    var removed: [Difference] = []
    var placed: [(offset: Int, isInserted: Bool)] = []
    var updated: [(offset: Int, old: CBORElements.Entry)] = []
    new.entries.visitChanges(from: old.entries) { change in
      switch change {
      case .remove(_, let entry, _):
        guard let part = part(entry, type) else { return }
        removed.append(Difference(path: path + part.suffix, type: part.type, old: part.value, new: nil))
      case .insert(_, _, let offset): placed.append((offset, true))
      case .move(_, _, let offset): placed.append((offset, false))
      case .update(_, let before, _, let offset): updated.append((offset, before))
      }
    }
    found += removed.reversed()
    let nextOffsets = nextOffsets(of: placed.map(\.offset), count: new.count)
    var (nextPlaced, nextUpdated) = (0, 0)
    while nextPlaced < placed.count || nextUpdated < updated.count {
      let offset = min(
        nextPlaced < placed.count ? placed[nextPlaced].offset : .max,
        nextUpdated < updated.count ? updated[nextUpdated].offset : .max)
      let part = part(new.entries[offset], type)
      if nextPlaced < placed.count, placed[nextPlaced].offset == offset {
        if let part {
          let next = nextOffsets[nextPlaced].flatMap { self.part(new.entries[$0], type)?.name }
          let place = Place(collection: path, element: part.name, next: next)
          let isInserted = placed[nextPlaced].isInserted
          found.append(
            Difference(
              path: path + part.suffix, type: part.type, old: nil, new: isInserted ? part.value : nil,
              place: isInserted && next == nil ? nil : place))
        }
        nextPlaced += 1
      }
      if nextUpdated < updated.count, updated[nextUpdated].offset == offset {
        if let part, let before = self.part(updated[nextUpdated].old, type) {
          differences(from: before.value, to: part.value, as: part.type, at: path + part.suffix, &found)
        }
        nextUpdated += 1
      }
    }
  }

  /// Returns for each of these ascending offsets the next one that is not among them; nil at the end.
  private func nextOffsets(of offsets: [Int], count: Int) -> [Int?] {
    var next = [Int?](repeating: nil, count: offsets.count)
    for index in offsets.indices.reversed() {
      let following = offsets[index] + 1
      if index + 1 < offsets.count, offsets[index + 1] == following {
        next[index] = next[index + 1]
      } else if following < count {
        next[index] = following
      }
    }
    return next
  }

  /// Returns the ranges between the common beginning and the common end of two collections; nil for other values.
  ///
  /// Only the elements in these ranges need names. A change to one element of a million therefore costs only
  /// comparisons.
  private func differingElements(
    _ old: CBORValue, _ new: CBORValue, _ type: SchemaType
  ) -> (old: Range<Int>?, new: Range<Int>?) {
    guard case .named(let name, let parts) = type else { return (nil, nil) }
    switch (NamedLayout(name, parts.count), old, new) {
    case (.optional, .array(let old), .array(let new)) where old.count == 1 && new.count == 1:
      return differingElements(old[0], new[0], parts[0])
    // An element of a plain array is named by its index, which changes after an insertion before it.
    case (.array, .array(let old), .array(let new)):
      let first = Self.commonCount(old, new)
      return (first..<old.count, first..<new.count)
    case (.identified, .array(let old), .array(let new)): return Self.between(old, new)
    case (.dictionary, .map(let old), .map(let new)): return Self.between(old, new)
    default: return (nil, nil)
    }
  }

  private static func between<Item: Equatable>(_ old: [Item], _ new: [Item]) -> (Range<Int>?, Range<Int>?) {
    let first = commonCount(old, new)
    let last = commonCount(old[first...].reversed(), new[first...].reversed())
    return (first..<old.count - last, first..<new.count - last)
  }
}

extension SchemaValues {
  /// Returns the number of equal items at the beginning of two collections.
  private static func commonCount<Items: Collection>(_ a: Items, _ b: Items) -> Int where Items.Element: Equatable {
    var count = 0
    for (one, other) in zip(a, b) {
      guard one == other else { break }
      count += 1
    }
    return count
  }
}
