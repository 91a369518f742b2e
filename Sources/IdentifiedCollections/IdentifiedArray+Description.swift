extension IdentifiedArray: CustomStringConvertible {
  /// The elements as an array prints them.
  public var description: String { elements.description }
}

extension IdentifiedArray: CustomDebugStringConvertible {
  /// The name of the type, and the elements as an array prints them for debugging.
  public var debugDescription: String { "IdentifiedArray<\(Element.self)>(\(elements.debugDescription))" }
}

extension IdentifiedArray: CustomReflectable {
  /// A mirror that shows the elements as a collection does.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
  }
}
