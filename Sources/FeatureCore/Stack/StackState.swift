public import CasePaths
public import CustomDump
internal import Dependencies
public import IdentifiedCollections
internal import IssueReporting

/// A stack of children. Each element has a unique id for as long as it is on the stack.
///
/// ```swift
/// var path = StackState<Path.State>()
/// path.append(.detail(Detail.State(id: 3)))
/// path[id: id, case: \.detail]?.isEditing = true
/// path.pop(to: id)
/// ```
public struct StackState<Element> {
  /// An element with its id.
  @usableFromInline
  package struct Entry: Identifiable {
    @usableFromInline package let id: StackElementID
    @usableFromInline package var element: Element

    package init(id: StackElementID, element: Element) {
      (self.id, self.element) = (id, element)
    }
  }

  /// The elements with their ids. Code that adds or removes elements records it in `unnoticed`.
  @usableFromInline package var entries = IdentifiedArray<StackElementID, Entry>(uniqueElements: [], id: \.id)
  @usableFromInline package var unnoticed = UnnoticedElements()

  /// An empty stack.
  public init() {}

  /// A stack of elements, the last on top.
  public init(_ elements: some Sequence<Element>) {
    append(contentsOf: elements)
  }

  /// The ids, from the bottom to the top.
  public var ids: [StackElementID] { Array(entries.ids) }

  /// The element with an id; nil if it is not on the stack. Setting nil removes it and keeps the elements above it.
  ///
  /// In a test, setting an element for a missing id appends it with that id, for assertions on pushes. Elsewhere, this
  /// changes nothing and is reported as an issue.
  public subscript(
    id id: StackElementID, fileID fileID: _HashableStaticString = #fileID,
    filePath filePath: _HashableStaticString = #filePath, line line: UInt = #line,
    column column: UInt = #column
  ) -> Element? {
    get { entries[id: id]?.element }
    set {
      switch (entries[id: id] != nil, newValue) {
      case (true, let newValue?): entries[id: id]?.element = newValue
      case (true, nil):
        entries.remove(id: id)
        unnoticed.remove(CollectionOfOne(id))
      case (false, nil): break
      case (false, let newValue?) where isTesting: push(newValue, id: id)
      case (false, _?):
        reportIssue(
          "Can't assign element at missing ID \(id).", fileID: fileID.rawValue, filePath: filePath.rawValue, line: line,
          column: column)
      }
    }
    _modify {
      guard entries.index(id: id) != nil else {
        var element: Element?
        defer {
          if element != nil {
            self[id: id, fileID: fileID, filePath: filePath, line: line, column: column] = element
          }
        }
        yield &element
        return
      }
      defer { if entries.index(id: id) == nil { unnoticed.remove(CollectionOfOne(id)) } }
      yield &entries[id: id][element: Element.self]
    }
  }

  /// The payload of an element that is in the named case.
  ///
  /// Writing through a case that the element is not in changes nothing and is reported as an issue.
  public subscript<Case>(
    id id: StackElementID, case path: CaseKeyPath<Element, Case>, fileID fileID: _HashableStaticString = #fileID,
    filePath filePath: _HashableStaticString = #filePath, line line: UInt = #line, column column: UInt = #column
  ) -> Case? where Element: CasePathable {
    get { self[id: id]?[case: path] }
    set {
      self[id: id, case: AnyCasePath(path), fileID: fileID, filePath: filePath, line: line, column: column] = newValue
    }
  }

  /// The payload of an element that is in a case, in the 1.0 form: `path[id: id, case: /Path.State.detail]`.
  public subscript<Case>(
    id id: StackElementID, case path: AnyCasePath<Element, Case>, fileID fileID: _HashableStaticString = #fileID,
    filePath filePath: _HashableStaticString = #filePath, line line: UInt = #line, column column: UInt = #column
  ) -> Case? {
    get { self[id: id].flatMap { path.extract(from: $0) } }
    set {
      let element = self[id: id]
      guard let element, path.extract(from: element) != nil else {
        return reportIssue(
          "Can't modify unrelated case\(DebugLabels.quotedCase(of: element))", fileID: fileID.rawValue,
          filePath: filePath.rawValue,
          line: line, column: column)
      }
      self[id: id] = newValue.map(path.embed)
    }
  }

  /// Pops an element and the elements above it.
  public mutating func pop(from id: StackElementID) {
    guard let index = entries.index(id: id) else { return }
    removeSubrange(index...)
  }

  /// Pops the elements above an element.
  public mutating func pop(to id: StackElementID) {
    guard let index = entries.index(id: id) else { return }
    removeSubrange((index + 1)...)
  }

  /// Pushes an element with an id that is not on the stack.
  mutating func push(_ element: Element, id: StackElementID) {
    entries.append(Entry(id: id, element: element))
    unnoticed.added.append(id)
  }

  /// True if the parent has not seen all changes of the stack.
  @usableFromInline var hasUnnoticed: Bool {
    unnoticed.areAll || !unnoticed.added.isEmpty || !unnoticed.removed.isEmpty
  }

  /// Returns the removed elements that the parent had seen. From now on it has seen all changes.
  mutating func takeUnnoticed() -> [StackElementID] {
    defer { unnoticed = UnnoticedElements() }
    return unnoticed.removed.filter { entries.index(id: $0) == nil }
  }
}

extension Optional {
  /// The element of an entry, changed in place.
  fileprivate subscript<Element>(element _: Element.Type) -> Element? where Wrapped == StackState<Element>.Entry {
    get { self?.element }
    _modify {
      let id = self?.id
      var element = self?.element
      // Released, so that changing the element does not copy it.
      self = nil
      defer { if let id { self = element.map { StackState.Entry(id: id, element: $0) } } }
      yield &element
    }
  }
}

extension StackState: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  public var startIndex: Int { entries.startIndex }
  public var endIndex: Int { entries.endIndex }
  public func index(after index: Int) -> Int { index + 1 }
  public func index(before index: Int) -> Int { index - 1 }

  /// The element at a position from the bottom. Setting it keeps its id.
  public subscript(position: Int) -> Element {
    get { entries[position].element }
    set { entries[position].element = newValue }
    _modify { yield &entries[position].element }
  }

  public mutating func replaceSubrange<C: Collection<Element>>(_ range: Range<Int>, with elements: C) {
    if !range.isEmpty {
      unnoticed.remove(entries.ids[range])
      entries.removeSubrange(range)
    }
    var position = range.lowerBound
    for element in elements {
      let id = nextID()
      entries.insert(Entry(id: id, element: element), at: position)
      unnoticed.added.append(id)
      position += 1
    }
  }

  public mutating func append(_ element: Element) {
    push(element, id: nextID())
  }

  // The standard library's implementations of these two assign a new collection or move elements between ids.

  /// Removes all elements.
  public mutating func removeAll(keepingCapacity: Bool = false) {
    removeSubrange(startIndex..<endIndex)
  }

  /// Removes the elements that satisfy a predicate. The others keep their ids.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    let removed = try entries.filter { try shouldBeRemoved($0.element) }.map(\.id)
    for id in removed { entries.remove(id: id) }
    unnoticed.remove(removed)
  }

  /// The next id that is not on the stack. Tests may have assigned elements to ids that were not generated yet.
  private func nextID() -> StackElementID {
    @Dependency(\.stackElementID) var generator
    var id = generator.next()
    while entries.index(id: id) != nil { id = generator.next() }
    return id
  }
}

/// The changes of a stack that its parent has not seen. They do not affect equality.
@usableFromInline
package struct UnnoticedElements: Hashable, Sendable {
  /// The new elements; some may have been removed again.
  fileprivate(set) var added: [StackElementID] = []
  /// Elements that the parent has seen and that were removed since.
  fileprivate(set) var removed: [StackElementID] = []
  /// True if any element may be new.
  package var areAll = false

  /// Records that elements were removed.
  fileprivate mutating func remove(_ ids: some Collection<StackElementID>) {
    let ids = Set(ids)
    guard !ids.isEmpty else { return }
    removed += added.isEmpty ? ids : ids.subtracting(added)
    added.removeAll { ids.contains($0) }
  }

  @usableFromInline package static func == (lhs: Self, rhs: Self) -> Bool { true }
  @usableFromInline package func hash(into hasher: inout Hasher) {}
}

extension StackState.Entry: Equatable where Element: Equatable {
  @usableFromInline package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.id == rhs.id && lhs.element == rhs.element
  }
}

extension StackState.Entry: Hashable where Element: Hashable {
  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(element)
  }
}

extension StackState.Entry: Sendable where Element: Sendable {}
extension StackState: Equatable where Element: Equatable {}
extension StackState: Hashable where Element: Hashable {}
extension StackState: Sendable where Element: Sendable {}

extension StackState: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension StackState: Decodable where Element: Decodable {
  /// Reads an array of elements, which get new ids.
  public init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

extension StackState: Encodable where Element: Encodable {
  /// Writes an array of the elements without their ids.
  public func encode(to encoder: any Encoder) throws {
    try Array(self).encode(to: encoder)
  }
}

extension StackState: CustomStringConvertible {
  public var description: String { Array(self).description }
}

extension StackState: CustomDebugStringConvertible {
  public var debugDescription: String {
    let elements = entries.map { "\($0.id.debugDescription): \(String(reflecting: $0.element))" }
    return "\(Self.self)(\(elements.isEmpty ? "[:]" : "[\(elements.joined(separator: ", "))]"))"
  }
}

extension StackState: CustomDumpReflectable {
  /// The elements by their ids: `[#0: …, #1: …]`.
  public var customDumpMirror: Mirror {
    Mirror(
      self, unlabeledChildren: entries.map { (key: $0.id, value: $0.element) }, displayStyle: .dictionary)
  }
}
