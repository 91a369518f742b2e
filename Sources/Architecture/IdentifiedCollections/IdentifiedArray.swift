/// An ordered collection of elements with unique ids, with access by id and by position.
///
/// ```swift
/// struct Todo: Identifiable {
///   let id: Int
///   var title = ""
/// }
///
/// var todos: IdentifiedArrayOf<Todo> = [Todo(id: 1), Todo(id: 2)]
/// todos[id: 2]?.title = "Water the plants"
/// todos.insert(Todo(id: 3), at: 0)
/// todos.remove(id: 1)
/// ```
///
/// Versions are cheap: a copy costs O(1), and a change of one of two copies costs O(log n), because they share all
/// nodes except those on the path to the change. ``visitChanges(from:by:_:)`` finds the differences of two versions in
/// O(changes × log n).
///
/// The elements are in leaves of up to 32 under a balanced tree, and an index maps ids to leaves; `OrderTree` explains
/// how this works while positions shift and versions share nodes. Up to 32 elements are a single leaf without a tree or
/// index, which is changed in place like an array if it is uniquely referenced.
///
/// An element that is changed through `[id:]` must keep its id; otherwise the subscript traps.
public struct IdentifiedArray<ID: Hashable, Element> {
  /// The key path to an element's identity.
  public let id: KeyPath<Element, ID>

  /// The function of `id`. For a key path to a requirement such as `Identifiable.id`, the runtime would look up the
  /// witness each time.
  @usableFromInline
  let identify: (Element) -> ID

  @usableFromInline
  var tree = OrderTree()

  @inlinable
  init(_id id: KeyPath<Element, ID>, identify: @escaping (Element) -> ID) {
    self.id = id
    self.identify = identify
  }

  /// An empty array of the same kind.
  @inlinable
  func emptied() -> Self {
    Self(_id: id, identify: identify)
  }
}

/// An identified array of identifiable elements.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray {
  /// The location of an id: the label of its leaf, and the slot in it.
  @usableFromInline
  struct Place {
    @usableFromInline let label: UInt64
    @usableFromInline let slot: Int

    @inlinable
    init(label: UInt64, slot: Int) {
      self.label = label
      self.slot = slot
    }
  }

  @inlinable
  static func hash(_ id: ID) -> UInt64 {
    UInt64(bitPattern: Int64(id._rawHashValue(seed: 0)))
  }

  @inlinable
  func place(of id: ID) -> Place? {
    tree.root == nil ? nil : place(of: id, hash: Self.hash(id))
  }

  @inlinable
  func place(of id: ID, hash: UInt64) -> Place? {
    guard let root = tree.root else { return nil }
    if tree.height == 0 {
      let leaf = unsafeDowncast(root, to: Leaf<ID, Element>.self)
      guard let slot = leaf.slot(of: id, hash: hash) else { return nil }
      return Place(label: leaf.label, slot: slot)
    }
    switch tree.index.find(hash) {
    case .nothing: return nil
    case .one(let label): return place(of: id, hash: hash, in: label)
    case .several(let labels):
      for label in labels {
        if let place = place(of: id, hash: hash, in: label) { return place }
      }
      return nil
    }
  }

  @inlinable
  func place(of id: ID, hash: UInt64, in label: UInt64) -> Place? {
    tree.leaf(labelled: label)._withUnsafeGuaranteedRef { leaf in
      guard let slot = unsafeDowncast(leaf, to: Leaf<ID, Element>.self).slot(of: id, hash: hash) else { return nil }
      return Place(label: label, slot: slot)
    }
  }

  @inlinable
  func position(of place: Place) -> Int {
    tree.start(ofLeaf: place.label) + place.slot
  }

  @inlinable
  func precondition(isPosition position: Int, _ message: @autoclosure () -> String = "Index out of range") {
    Swift.precondition(position >= 0 && position < tree.count, message())
  }
}
