package import FoundationEssentials
internal import IssueReporting

// The results of unimplemented functions without a placeholder.

extension Date: DefaultPlaceholder {
  /// The current date.
  package static var generatedPlaceholder: Date { Date() }
}

extension URL: DefaultPlaceholder {
  /// The root folder.
  package static var generatedPlaceholder: URL { URL(filePath: "/") }
}

extension UUID: DefaultPlaceholder {
  /// A random identifier.
  package static var generatedPlaceholder: UUID { UUID() }
}
