// The nodes are changed only by a tree that alone refers to them, so that a copy in another thread sees none of it. `identify` captures nothing but
// a key path, which nobody can change.
extension IdentifiedArray: @unchecked Sendable where ID: Sendable, Element: Sendable {}
extension IdentifiedArray.IDs: @unchecked Sendable where ID: Sendable, Element: Sendable {}
extension IdentifiedArray.Iterator: @unchecked Sendable where ID: Sendable, Element: Sendable {}
