internal import CustomDump
package import IssueReporting
internal import Synchronization

/// Reports a binding action that no `BindingReducer` has handled, when its last copy is released.
package final class BindingHandling: Sendable {
  private let isHandled = Atomic(false)
  private let action: String
  private let location: IssueLocation

  /// Begins to observe the action of a store's binding.
  ///
  /// - Parameter location: The line of the binding or of its store, for the report.
  package init<Action, Value>(of action: Action.Type, value: Value, at location: IssueLocation) {
    // The action may be released by a task that does not know its test.
    self.location = .ofContext ?? location
    var dump = ""
    customDump(value, to: &dump, maxDepth: 0)
    self.action = "\(DebugLabels.typeName(action)).binding(.set(_, \(dump)))"
  }

  func setHandled() { isHandled.store(true, ordering: .relaxed) }

  deinit {
    guard !isHandled.load(ordering: .relaxed) else { return }
    reportIssue(
      """
      A binding action sent from a store was not handled. …

        Action:
          \(action)

      To fix this, invoke "BindingReducer()" from your feature reducer's "body".
      """, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }
}
