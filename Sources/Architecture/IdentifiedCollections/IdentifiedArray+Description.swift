extension IdentifiedArray: CustomStringConvertible {
  /// The elements, printed like an array.
  public var description: String { elements.description }
}

extension IdentifiedArray: CustomDebugStringConvertible {
  /// The name of the type and the elements, printed like an array for debugging.
  public var debugDescription: String { "IdentifiedArray<\(Element.self)>(\(elements.debugDescription))" }
}

extension IdentifiedArray: CustomReflectable {
  /// A mirror that shows the elements like a collection.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
  }
}
