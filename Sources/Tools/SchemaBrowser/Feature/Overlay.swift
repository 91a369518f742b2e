internal import SchemaNames
package import Wire

/// What lies over the open page and gets the keys.
package enum Overlay: Equatable, Sendable {
  /// The list of actions.
  case palette(Palette)
  /// A form for the values of an action.
  case form(ActionForm)
  /// A path that is being written.
  case path(PathEntry)
  /// The filter that is being written, and the one before.
  case filter(String, before: String)
  /// The last ten actions, the latest first.
  case recent
  /// A text to read.
  case reading(title: String, lines: [String])
  /// A question about an action that cannot be undone.
  case confirmation(Draft)
}

/// The list of actions.
package struct Palette: Equatable, Sendable {
  package var query = ""
  /// The index of the chosen one of the matches.
  package var index = 0
  /// The actions to choose from: those for the selected element first.
  package let choices: [Choice]

  /// An action with the element that it is for.
  package struct Choice: Equatable, Sendable, Identifiable {
    package let entry: ActionEntry
    /// The name of the element, such as `[3]`; nil for an action that asks for its id.
    package let element: String?

    package init(_ entry: ActionEntry, element: String? = nil) { (self.entry, self.element) = (entry, element) }

    package var id: String { "\(entry.name) \(element ?? "")" }
    /// The action with the element's id.
    package var name: String { element.map { entry.name.replacing("[]", with: $0) } ?? entry.name }
  }

  package init(_ choices: [Choice]) { self.choices = choices }

  /// The choices that match the query, the best first.
  /// - Complexity: O(actions × length of their names).
  package var matches: [Choice] { FuzzyMatch.sorted(choices, by: query) { "\($0.entry.name) \($0.entry.title)" } }
}

/// A form for the values of an action.
package struct ActionForm: Equatable, Sendable {
  package var draft: Draft
  /// The mistake that was found when it was submitted.
  package var error: FieldError?
  /// The number of the sent action; the form stays until the hub has answered.
  package var pending: Int?
  /// The presented state whose action the form is for; nil for any other action.
  var presentation: Presentation?

  package init(_ draft: Draft) { self.draft = draft }
}

/// A path that is being written.
package struct PathEntry: Equatable, Sendable {
  package var text: String
  package var completions: [String] = []
  package var error: String?

  package init(_ text: String) { self.text = text }
}

/// An action that was sent.
package struct SentAction: Equatable, Sendable, Identifiable {
  package let action: CBORValue
  /// The action with its values, as people read it.
  package let text: String

  package var id: String { text }
}

/// A line for the user.
package struct Notice: Equatable, Sendable {
  package let text: String
  package let isBad: Bool

  package init(_ text: String, isBad: Bool = false) { (self.text, self.isBad) = (text, isBad) }
}
