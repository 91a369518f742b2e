internal import Observation
package import TerminalUI
package import TurnLog

/// One terminal's own view of the activity: the actions in the hub's journal that match its filter.
@Observable
package final class ActivityModel {
  /// The matching actions, oldest first.
  package var entries: [Activity] = []
  /// The number of actions among which the filter has found the entries.
  package var examinedCount = 0
  /// True if older actions are still being read.
  package var isLoading = false
  /// The current time, in milliseconds since 1970; earlier days are shown with their dates.
  package var now: Int64 = 0
  /// An action with all that is known about it.
  package var details: ActivityDetails?
  package var message: StatusMessage?
  /// The filter, as the user has written it.
  package internal(set) var filterText = "" { didSet { if filterText != oldValue { onFilter?() } } }
  /// True while the user writes the filter.
  var isWriting = false
  /// Called when the filter has changed.
  @ObservationIgnored package var onFilter: (() -> Void)?
  /// Called when the user wants the details of an action.
  @ObservationIgnored package var onDetails: ((Activity.ID) -> Void)?

  /// Creates a view of all actions.
  package init() {}

  package var filter: ActionFilter { ActionFilter(filterText) }

  /// Hides the actions with the name of one.
  func exclude(_ id: Activity.ID) {
    guard let name = entries.last(where: { $0.id == id })?.name, !name.isEmpty else { return }
    filterText += (filterText.isEmpty ? "-" : " -") + (name.contains(where: \.isWhitespace) ? "\"\(name)\"" : name)
  }

  /// What the list shows.
  var summary: String {
    if filter.isEmpty {
      if entries.isEmpty { return isLoading ? "reading the journal …" : "nothing was done yet" }
      return entries.count == 1 ? "1 action" : "the last \(entries.count) actions"
    }
    let all = examinedCount > 0 ? " of the last \(examinedCount) actions" : ""
    return "\(entries.count)\(all)" + (isLoading ? " …" : "")
  }

  /// The text of an empty list.
  var emptyText: String { filter.isEmpty ? "" : isLoading ? "searching …" : "no action matches" }
}
