internal import TurnLog

/// A screen about one part of the state, with its selection.
package struct Page: Equatable, Sendable {
  /// The part's path in users' notation; empty for the whole state.
  package let path: String
  /// The name of the selected element or line; nil before there are rows.
  package var selected: String?
  /// The number of columns that have been scrolled out of the table.
  package var hiddenColumns = 0
  /// The sorting and the filter.
  package var order = ElementOrder()
  /// The filter as it was written.
  package var filterText = ""
  /// The indices of the elements in the order of the table; nil for the order of the collection.
  package var indices: [Int]?
  /// The position of the first element that the client requests, if it requests a window of the collection.
  var windowStart = 0
  /// The rows that the screen shows.
  var visibleRows = 0..<0
  /// The maximum number of rows that it has shown.
  var shownRows = 0
  /// The selected element while the window moves to where it probably is.
  var expected: CollectionWindow.Expected?
  /// True while all elements are requested for a search.
  package internal(set) var isSearched = false
  /// True once the page was shown, and not only passed on the way to one below it.
  package var isVisited: Bool

  /// Creates a page.
  package init(_ path: String, isVisited: Bool = true) { (self.path, self.isVisited) = (path, isVisited) }

  /// The path of a part on this page.
  package func path(of name: String) -> String {
    path.isEmpty ? name : name.hasPrefix("[") ? path + name : "\(path).\(name)"
  }
}
