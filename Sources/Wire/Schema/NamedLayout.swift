/// The encoding of a type that a schema knows by its name and its parts (PROTOCOL.md, 9).
package enum NamedLayout {
  case optional, array, identified, set, dictionary, result, range, stack, button, alert, dialog
  /// A change that can be merged into any version of a value (SharedChange.swift).
  case change

  /// The layout of a type with this name and number of parts; nil for a type that only its own code can read.
  package init?(_ name: String, _ parts: Int) {
    switch (name, parts) {
    case ("Optional", 1), ("PresentationState", 1): self = .optional
    case ("Array", 1): self = .array
    case ("IdentifiedArray", 2): self = .identified
    // The values of a view by those of its parameter: only a path leads into it.
    case ("View", 2): self = .identified
    case ("Set", 1): self = .set
    case ("Dictionary", 2): self = .dictionary
    case ("Result", 2): self = .result
    case ("Range", 1), ("ClosedRange", 1): self = .range
    case ("StackState", 1): self = .stack
    case ("ButtonState", 1): self = .button
    case ("AlertState", 1): self = .alert
    case ("ConfirmationDialogState", 1): self = .dialog
    case ("Change", 1): self = .change
    default: return nil
    }
  }

  /// Returns true if the part with this index identifies members or elements.
  func isKey(_ part: Int) -> Bool {
    switch self {
    case .set: true
    case .dictionary, .identified: part == 0
    default: false
    }
  }
}
