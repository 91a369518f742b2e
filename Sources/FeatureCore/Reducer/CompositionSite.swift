package import IssueReporting

/// The source location of a composition, for reports of its misuse.
@usableFromInline
package struct CompositionSite: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  package let line: UInt
  let column: UInt

  @usableFromInline
  package init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
  }

  /// The file, as `MODULE/FILE`.
  package var file: String { "\(fileID)" }

  /// The location for an issue.
  package var location: IssueLocation {
    IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reports an action for a missing child.
  ///
  /// - Parameters:
  ///   - composition: The operator's name, in quotes.
  ///   - what: The kind of the action, and what was missing.
  ///   - action: The action.
  ///   - state: The state, if its case matters.
  ///   - causes: Possible causes, one paragraph each.
  func report(_ composition: String, _ what: String, action: Any, state: Any? = nil, causes: [String]) {
    let list = causes.map { "• \($0)" }.joined(separator: "\n\n")
    report(
      """
      \(composition) at "\(fileID):\(line)" \(what). …

        Action:
          \(describe(action))\(state.map { "\n  State:\n    \(describe($0))" } ?? "")

      This is generally considered an application logic error, and can happen for a few reasons:

      \(list)
      """)
  }

  /// Reports an issue of the composition.
  func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The labels of a value's cases, without payloads.
  private func describe(_ value: Any) -> String { DebugLabels.of(value) }
}

extension CompositionSite {
  /// Reports an action for a child that `ifLet` finds absent.
  @usableFromInline
  func reportAbsentChild(action: Any) {
    report(
      "An \"ifLet\"", "received a child action when child state was \"nil\"", action: action,
      causes: [
        """
        A parent reducer set child state to "nil" before this reducer ran. This reducer must run before any other \
        reducer sets child state to "nil". This ensures that child reducers can handle their actions while their state \
        is still available.
        """,
        """
        An in-flight effect emitted this action when child state was "nil". While it may be perfectly reasonable to \
        ignore this action, consider canceling the associated effect before child state becomes "nil".
        """,
        """
        This action was sent to the store while state was "nil". Make sure that actions for this reducer can only be \
        sent from a store when state is non-"nil".
        """,
      ])
  }
}
