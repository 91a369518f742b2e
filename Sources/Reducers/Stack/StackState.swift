public import CasePaths
internal import Dependencies
package import IdentifiedCollections
internal import IssueReporting

/// A stack of children, each with an id of its own for as long as it is on the stack.
///
/// ```swift
/// var path = StackState<Path.State>()
/// path.append(.detail(Detail.State(id: 3)))
/// path[id: id, case: \.detail]?.isEditing = true
/// path.pop(to: id)
/// ```
public struct StackState<Element> {
  /// An element with its id.
  package struct Entry: Identifiable {
    package let id: StackElementID
    package var element: Element

    package init(id: StackElementID, element: Element) {
      (self.id, self.element) = (id, element)
    }
  }

  /// Whoever changes which elements are here says so to `unnoticed`.
  package var entries = IdentifiedArray<StackElementID, Entry>(uniqueElements: [], id: \.id)
  package var unnoticed = UnnoticedElements()

  /// An empty stack.
  public init() {}

  /// A stack of elements, the last on top.
  public init(_ elements: some Sequence<Element>) {
    append(contentsOf: elements)
  }

  /// The ids, from the bottom to the top.
  public var ids: [StackElementID] { Array(entries.ids) }

  /// The element of an id; nil when it is not on the stack. Setting nil removes it and leaves those above it.
  ///
  /// Setting an element for an id that is not on the stack changes nothing, and is reported as an issue.
  public subscript(
    id id: StackElementID, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Element? {
    get { entries[id: id]?.element }
    set {
      switch (entries[id: id] != nil, newValue) {
      case (true, let newValue?): entries[id: id]?.element = newValue
      case (true, nil): entries.remove(id: id)
      case (false, nil): break
      case (false, _?):
        reportIssue(
          "Can't assign element at missing ID \(id).", fileID: fileID, filePath: filePath, line: line, column: column)
      }
    }
  }

  /// The payload of an element, if it is in the named case.
  public subscript<Case>(
    id id: StackElementID, case path: CaseKeyPath<Element, Case>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Case? where Element: CasePathable {
    get { self[id: id]?[case: path] }
    set {
      guard let newValue else {
        self[id: id] = nil
        return
      }
      guard self[id: id]?[case: path] != nil else {
        return reportIssue(
          "Can't modify unrelated case \(self[id: id].map { DebugLabels.of($0) } ?? "nil").", fileID: fileID,
          filePath: filePath, line: line, column: column)
      }
      self[id: id] = AnyCasePath(path).embed(newValue)
    }
  }

  /// Takes an element off the stack, and those above it.
  public mutating func pop(from id: StackElementID) {
    guard let index = entries.index(id: id) else { return }
    entries.removeLast(entries.count - index)
  }

  /// Takes those above an element off the stack.
  public mutating func pop(to id: StackElementID) {
    guard let index = entries.index(id: id) else { return }
    entries.removeLast(entries.count - index - 1)
  }

  /// Pushes an element under an id that was given before, as a client of a stack does.
  mutating func push(_ element: Element, id: StackElementID) {
    entries.append(Entry(id: id, element: element))
    unnoticed.ids.append(id)
  }

  /// Returns true if the parent has still to notice elements.
  var hasUnnoticed: Bool { unnoticed.areAll || !unnoticed.ids.isEmpty }

  /// The elements that the parent has still to notice, which it does now.
  mutating func takeUnnoticed() -> [StackElementID] {
    defer { unnoticed = UnnoticedElements() }
    return unnoticed.areAll ? ids : unnoticed.ids.filter { entries.index(id: $0) != nil }
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
    @Dependency(\.stackElementID) var generator
    entries.removeSubrange(range)
    for (offset, element) in elements.enumerated() {
      let id = generator.next()
      entries.insert(Entry(id: id, element: element), at: range.lowerBound + offset)
      unnoticed.ids.append(id)
    }
  }

  public mutating func append(_ element: Element) {
    @Dependency(\.stackElementID) var generator
    push(element, id: generator.next())
  }
}

/// The elements of a stack that are new to its parent. Stacks are equal whatever their parents have noticed.
package struct UnnoticedElements: Hashable, Sendable {
  /// The new elements; some may be gone already.
  var ids: [StackElementID] = []
  /// Whether any element may be new.
  package var areAll = false

  package static func == (lhs: Self, rhs: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}

extension StackState.Entry: Equatable where Element: Equatable {
  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id && lhs.element == rhs.element }
}

extension StackState.Entry: Hashable where Element: Hashable {
  package func hash(into hasher: inout Hasher) {
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

extension StackState: CustomReflectable {
  public var customMirror: Mirror {
    Mirror(
      self, children: entries.map { (label: "\($0.id)", value: $0.element as Any) }, displayStyle: .dictionary)
  }
}
