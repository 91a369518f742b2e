package import Wire

/// One edit of a change of a shared model, as users read and write it.
///
/// A change is a tree, as the hub merges it; its edits are the leaves of the tree, each with the path that leads there.
package struct ChangeEdit: Hashable, Sendable {
  /// The path of the edited part inside the changed one, such as `[3].title`; empty for the changed part itself.
  package var path: String
  /// The type of the edited part.
  package var type: SchemaType
  /// What is done to the part.
  package var verb: Verb

  /// Creates an edit.
  package init(_ path: String, _ type: SchemaType, _ verb: Verb) {
    (self.path, self.type, self.verb) = (path, type, verb)
  }

  package enum Verb: Hashable, Sendable {
    /// The part gets a new value.
    case set(CBORValue)
    /// A counter grows by an integer.
    case add(CBORValue)
    /// Elements are added at the end of an array.
    case append([CBORValue])
    /// Elements with these ids, keys or members are removed.
    case remove([CBORValue])
    /// Members of a set are inserted.
    case insertMembers([CBORValue])
    /// Pairs of a dictionary are inserted; the value of an existing key is replaced.
    case insertPairs([CBORValue.Pair])
    /// An element is inserted, or replaced where it is if its id exists; in a stack, `[id, element]`.
    case insert(CBORValue, Place)
    /// The element with an id is moved.
    case move(CBORValue, Place)
  }

  /// The place of an element in the result.
  package struct Place: Hashable, Sendable {
    package enum Anchor: Hashable, Sendable {
      case start, end
      /// The place after the element with an id.
      case after(CBORValue)
    }

    package var anchor: Anchor
    /// The offset that counts if the element at the anchor is gone; nil for the default.
    package var offset: UInt64?

    /// Creates a place.
    package init(_ anchor: Anchor, offset: UInt64? = nil) { (self.anchor, self.offset) = (anchor, offset) }

    /// The default of the offset, which must exceed the previous one: the start, or beyond the end.
    func defaultOffset(after previous: UInt64?) -> UInt64 {
      if let previous { return previous < .max ? previous + 1 : .max }
      return anchor == .start ? 0 : 1 << 32
    }
  }
}
