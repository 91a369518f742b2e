/// PLACEHOLDER until the persistent tree lands.
public struct IdentifiedArray<ID: Hashable, Element> {
  public let id: KeyPath<Element, ID>
  var storage: [Element] = []
  var positions: [ID: Int] = [:]

  public init(uniqueElements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    self.id = id
    for element in uniqueElements { append(element) }
  }
  public var ids: [ID] { storage.map { $0[keyPath: id] } }
  public var elements: [Element] { storage }
  public func index(id: ID) -> Int? { positions[id] }
  @discardableResult public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
    if let index = positions[element[keyPath: id]] { return (false, index) }
    positions[element[keyPath: id]] = storage.count
    storage.append(element)
    return (true, storage.count - 1)
  }
  @discardableResult public mutating func remove(id: ID) -> Element? {
    guard let index = positions[id] else { return nil }
    let element = storage.remove(at: index)
    positions = [:]
    for (index, element) in storage.enumerated() { positions[element[keyPath: self.id]] = index }
    return element
  }
  @discardableResult public mutating func remove(at index: Int) -> Element {
    remove(id: storage[index][keyPath: id])!
  }
  public mutating func removeLast(_ count: Int = 1) { for _ in 0..<count { remove(at: storage.count - 1) } }
  public mutating func removeAll() { (storage, positions) = ([], [:]) }
  public subscript(id id: ID) -> Element? {
    get { positions[id].map { storage[$0] } }
    set {
      if let newValue {
        if let index = positions[id] { storage[index] = newValue } else { append(newValue) }
      } else {
        remove(id: id)
      }
    }
  }
}
extension IdentifiedArray: @unchecked Sendable where ID: Sendable, Element: Sendable {}
extension IdentifiedArray: Equatable where Element: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.storage == rhs.storage }
}
extension IdentifiedArray: Hashable where Element: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}
extension IdentifiedArray: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { storage.count }
  public subscript(position: Int) -> Element {
    get { storage[position] }
    set { storage[position] = newValue }
  }
}
extension IdentifiedArray: ExpressibleByArrayLiteral where Element: Identifiable, ID == Element.ID {
  public init(arrayLiteral elements: Element...) { self.init(uniqueElements: elements, id: \.id) }
  public init() { self.init(uniqueElements: [], id: \.id) }
  public init(uniqueElements: some Sequence<Element>) { self.init(uniqueElements: uniqueElements, id: \.id) }
}
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>
