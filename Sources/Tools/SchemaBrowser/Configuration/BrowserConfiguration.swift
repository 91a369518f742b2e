internal import INIText

/// How a terminal shows one feature: titles, tabs, columns, formats, keys and hidden actions.
///
/// ```ini
/// [screen]
/// title = Kitchen
/// tabs = orders, clients
///
/// [table orders]
/// columns = id, dish, stage
/// sort = table
///
/// [keys]
/// c = cookStarted
///
/// [actions]
/// hidden = hubStarted, cookingEnded
/// ```
package struct BrowserConfiguration: Equatable, Sendable {
  /// The settings of one table.
  package struct Table: Equatable, Sendable {
    /// The names of the shown columns in their order; nil for all.
    package var columns: [String]?
    /// Titles by the names of columns.
    package var titles: [String: String] = [:]
    /// The sorting at the start.
    package var sort: ElementOrder.Sort?

    /// Creates the settings of a table with these columns; nil for all.
    package init(columns: [String]? = nil) { self.columns = columns }
  }

  /// The title of the screen; nil for the hub's name.
  package var title: String?
  /// The names of the shown tabs in their order; nil for all.
  package var tabs: [String]?
  /// Titles by the names of tabs.
  package var tabTitles: [String: String] = [:]
  /// The tables by the paths of their collections.
  package var tables: [String: Table] = [:]
  /// The forms of values.
  package var format = ValueFormat()
  /// The names of actions by the characters of their keys.
  package var keys: [Character: String] = [:]
  /// The names of actions that are not offered. A name also hides the actions below it.
  package var hiddenActions: [String] = []

  /// Creates a configuration that shows everything.
  package init() {}

  /// True if an action is not offered.
  package func isHidden(_ action: String) -> Bool {
    hiddenActions.contains { action == $0 || action.hasPrefix("\($0).") || action.hasPrefix("\($0)[") }
  }

  func tabs(_ all: [BrowserTab]) -> [BrowserTab] {
    let shown = tabs.map { names in names.compactMap { name in all.first { $0.id == name } } } ?? all
    // A file for another version of the feature must not leave a screen without tabs.
    return (shown.isEmpty ? all : shown).map { tab in
      var tab = tab
      if let title = tabTitles[tab.id] { tab.title = title }
      return tab
    }
  }

  func columns(_ all: [PageColumn], at path: String) -> [PageColumn] {
    guard let table = tables[path] else { return all }
    let shown = table.columns.map { names in names.compactMap { name in all.first { $0.name == name } } } ?? all
    return (shown.isEmpty ? all : shown).map { column in
      var column = column
      if let title = table.titles[column.name] { column.title = title }
      return column
    }
  }

  func sort(at path: String) -> ElementOrder.Sort? { tables[path]?.sort }
}
