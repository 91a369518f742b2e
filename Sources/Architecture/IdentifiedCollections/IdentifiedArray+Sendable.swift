// Nodes are changed only while one tree alone refers to them, so a copy in another thread does not see the changes.
// `identify` captures only a key path, which is immutable.
extension IdentifiedArray: @unchecked Sendable where ID: Sendable, Element: Sendable {}
extension IdentifiedArray.IDs: @unchecked Sendable where ID: Sendable, Element: Sendable {}
extension IdentifiedArray.Iterator: @unchecked Sendable where ID: Sendable, Element: Sendable {}
