internal import SchemaNames
internal import Wire

// Large collections: the client subscribes to a window of the elements around those on the screen, and to all of them
// only while the user sorts, filters or searches.

extension Browser.State {
  /// The number of elements of a window: several screenfuls, so that most keys need no further one.
  private static let windowSize = 256
  /// A hub that permits less is used like one without windows.
  static let smallestWindowSize = 64

  /// The number of elements of a window that has a number of rows on the screen.
  private func windowSize(rows: Int) -> Int { min(max(Self.windowSize, rows * 3), hub?.windowLimit ?? 0) }

  /// The type, without optionals around it, of a collection of which the hub serves windows; nil for any other part.
  func windowedType(_ path: String) -> SchemaType? {
    guard past == nil, let hub, hub.windowLimit >= Self.smallestWindowSize,
      let part = try? hub.schema.part(named: path), part.rest.isEmpty
    else { return nil }
    let type = FieldRank.unwrapped(part.type)
    return hub.schema.isOrdered(type) ? type : nil
  }

  /// The window of a page of a collection.
  private func window(of page: Page) -> WindowPath {
    WindowPath(page.path, page.windowStart..<page.windowStart + windowSize(rows: page.shownRows))
  }

  /// The elements of a collection that are here: those of the page's window, or of an older one until it has arrived.
  func received(_ path: String, for page: Page?) -> CollectionWindow? {
    guard let schema = hub?.schema, let type = windowedType(path) else { return nil }
    let wanted = page.map { window(of: $0).text }
    if let part = wanted.flatMap({ parts[$0] }) {
      return CollectionWindow(part, type, expected: page?.expected, in: schema)
    }
    let windows = parts.filter { WindowPath($0.key)?.collection == path }
    return windows.compactMap { CollectionWindow($0.value, type, expected: page?.expected, in: schema) }
      .max { $0.positions.count < $1.positions.count }
  }

  /// True if the hub has sent that there is no collection at a path.
  func hasNoCollection(_ path: String) -> Bool {
    parts.contains { WindowPath($0.key)?.collection == path && $0.value.isKnown && $0.value.value == nil }
  }

  /// The elements of the collection of the open page; nil for any other page, and before they have arrived.
  var source: (any ElementSource & Sendable)? {
    guard let page, tab.path != nil else { return nil }
    if case .found(let part) = found(at: page.path), let schema = past?.schema ?? hub?.schema {
      return WholeCollection(part.value, part.type, in: schema)
    }
    return received(page.path, for: page)
  }

  /// The elements of a collection that are here, for completions.
  func elements(at path: String, limit: Int) -> [SchemaValues.Part] {
    guard let schema = hub?.schema else { return [] }
    if case .found(let part) = found(at: path) {
      return SchemaValues(schema).elements(of: part.value, as: part.type, in: 0..<limit)
    }
    guard let window = received(path, for: nil) else { return [] }
    return window.positions.prefix(limit).compactMap { window.element(at: $0) }
  }

  // MARK: Subscriptions

  /// True if a page needs all elements of its collection, and these are few enough.
  func needsWhole(_ page: Page) -> Bool {
    guard !page.order.isPlain || page.isSearched else { return false }
    if let part = parts[page.path], part.isKnown, let value = part.value, let type = windowedType(page.path),
      let schema = hub?.schema
    {
      return SchemaValues(schema).elementCount(of: value, as: type) ?? 0 <= ElementOrder.limit
    }
    guard let window = received(page.path, for: page) else { return false }
    return !window.isWhole && window.count <= ElementOrder.limit
  }

  /// The parts that a page needs. A window is kept until the whole has arrived, and the whole until a window has.
  func needs(of page: Page, _ schema: Schema) -> [String] {
    if windowedType(page.path) != nil {
      let (window, isWhole) = (window(of: page).text, parts[page.path]?.isKnown == true)
      if needsWhole(page) { return isWhole ? [page.path] : [page.path, window] }
      return isWhole && parts[window] == nil ? [page.path, window] : [window]
    }
    if let fields = separateFields(page.path) {
      // The values that are parts of their own before the numbers of large collections.
      let paths = fields.map { (field: $0, path: page.path(of: NameText.name($0.name))) }
      let previews = paths.filter { windowedType($0.path) != nil }.map { previewPath($0.path) }
      return paths.filter { windowedType($0.path) == nil && !schema.holdsCollections($0.field.type) }.map(\.path)
        + previews
    }
    return subscribable(page.path, schema)
  }

  /// The maximum number of parts; hubs permit a client 64 by default.
  static let partLimit = 48
  /// The maximum number of those of the open page, which leaves room for dialogs.
  static let pagePartLimit = 40

  /// Leaves out what would exceed the limits of the hub, the last ones first.
  func withinLimits(_ paths: [String]) -> [String] {
    var rest = hub?.windowLimit ?? 0
    return paths.filter { path in
      guard let window = WindowPath(path) else { return true }
      guard window.positions.count <= rest else { return false }
      rest -= window.positions.count
      return true
    }.prefix(Self.partLimit).map { $0 }
  }

  // MARK: Parts in windows

  /// A part inside an element of a window that is here; nil if no window has it.
  func foundInWindows(_ wanted: PartPath, _ schema: Schema) -> Lookup? {
    for (known, part) in parts {
      guard let window = WindowPath(known), let place = part.window, let value = part.value,
        let collection = try? schema.part(named: window.collection), wanted.steps.starts(with: collection.steps),
        let source = CollectionWindow(part, FieldRank.unwrapped(collection.type), in: schema)
      else { continue }
      var steps = Array(wanted.all.dropFirst(collection.steps.count))
      switch steps.first {
      case nil: continue
      case .count where steps.count == 1:
        return .found(FoundPart(value: .unsigned(UInt64(place.count)), type: .named("Int")))
      case .index(let index):
        guard index < source.count else { return .absent("there is no such part now") }
        guard source.positions.contains(index) else { continue }
        steps[0] = .index(index - place.start)
      default: break
      }
      if let found = Self.part(at: steps, of: value, FieldRank.unwrapped(collection.type), schema) {
        return .found(found)
      }
      if source.isWhole { return .absent("there is no such part now") }
    }
    return nil
  }

  // MARK: Changes

  /// Takes a window, and keeps the selection at its element.
  mutating func receivedWindow(_ part: ReceivedPart, at path: String) {
    guard let window = WindowPath(path) else { return }
    let isOpen = page?.path == window.collection
    // Another window is one that the user has moved to, with the selection.
    let before = isOpen && parts[path] != nil ? page.flatMap { received($0.path, for: $0) } : nil
    parts[path] = part
    let scopes = scopes
    for known in parts.keys where known != path && WindowPath(known)?.collection == window.collection {
      if !scopes.contains(known) { parts[known] = nil }
    }
    if isOpen { followSelection(from: before) }
  }

  /// Forgets a part that is no longer subscribed. Elements of a window stay until another window replaces them.
  mutating func released(_ path: String) {
    partsWithoutRoom[path] = nil
    if let window = WindowPath(path) {
      let successors = scopes.filter { WindowPath($0)?.collection == window.collection }
      if !successors.isEmpty, successors.allSatisfy({ parts[$0] == nil }) { return }
      // Nor do the elements that waited for this window.
      if successors.isEmpty { parts = parts.filter { WindowPath($0.key)?.collection != window.collection } }
    }
    parts[path] = nil
  }

  /// Selects the element that has arrived for a row that was selected by its position.
  mutating func nameSelection() {
    guard let position = page?.selected.flatMap({ CollectionWindow.position(ofPlaceholder: $0) }),
      let name = source?.element(at: position)?.name
    else { return }
    change { $0.selected = name }
  }

  private mutating func followSelection(from before: CollectionWindow?) {
    guard let page, let now = received(page.path, for: page) else { return }
    if now.positions.isEmpty, now.count > 0 { return moveWindow(to: now.count - 1) }
    guard let selected = page.selected, CollectionWindow.position(ofPlaceholder: selected) == nil else { return }
    if let expected = page.expected {
      if expected.name != selected || now.contains(selected) || now.positions.contains(expected.position) {
        change { $0.expected = nil }
      }
      return
    }
    guard !now.contains(selected), let before, let position = before.index(of: selected, hint: 0) else { return }
    // What many insertions before it have moved out of the window is as many positions further.
    let moved = position + now.count - before.count
    guard 0..<now.count ~= moved, !now.positions.contains(moved) else { return }
    change { $0.expected = .init(name: selected, position: moved) }
    moveWindow(to: moved)
  }

  private mutating func moveWindow(to row: Int) {
    let size = windowSize(rows: page?.shownRows ?? 0)
    change { $0.windowStart = max(row - size / 2, 0) }
  }

  /// Moves the window to the rows on the screen, before they reach its ends.
  mutating func show(rows: Range<Int>) {
    guard let page else { return }
    if rows != page.visibleRows { change { $0.visibleRows = rows } }
    guard !rows.isEmpty, windowedType(page.path) != nil else { return }
    if rows.count > page.shownRows { change { $0.shownRows = rows.count } }
    // After the past, nothing is here.
    let count = source?.count ?? .max
    let size = windowSize(rows: max(page.shownRows, rows.count))
    let window = page.windowStart..<page.windowStart + size
    let margin = max((size - rows.count) / 4, 0)
    let isTooLow = rows.lowerBound < window.lowerBound + margin && window.lowerBound > 0
    let isTooHigh = rows.upperBound > window.upperBound - margin && window.upperBound < count
    guard isTooLow || isTooHigh else { return }
    moveWindow(to: rows.lowerBound + rows.count / 2)
  }

  /// Moves the window to the rows on the screen, of which the client had all elements without one.
  mutating func showVisibleRows() { if let page { show(rows: page.visibleRows) } }

  /// Moves the window to the selected element, which is elsewhere in the order of the collection, when it takes the
  /// place of all elements.
  mutating func windowFollowsSelection() {
    guard let page, let type = windowedType(page.path), !needsWhole(page), let value = parts[page.path]?.value,
      let schema = hub?.schema, let selected = page.selected,
      let row = WholeCollection(value, type, in: schema)?.index(of: selected, hint: 0),
      !window(of: page).positions.contains(row)
    else { return }
    moveWindow(to: row)
  }

  /// Requests all elements for a search, unless they are too many.
  mutating func beginSearch() {
    guard case .table(let table) = content, table.isPartial, canBeOrdered(table) else { return }
    change { $0.isSearched = true }
  }

  /// The number of elements that have been received of a collection that is being loaded as a whole, estimated by the
  /// size of those that are here; nil if nothing is being loaded.
  package var loading: (count: Int, total: Int)? {
    guard let page, needsWhole(page), parts[page.path] == nil, let window = received(page.path, for: page),
      !window.positions.isEmpty
    else { return nil }
    let count = loadedByteCount * window.positions.count / max(window.byteCount, 1)
    return (min(count, window.count), window.count)
  }

  /// The text of a page whose part has not arrived, with how much has if it is large.
  package var loadingText: String {
    loadedByteCount < 100_000 ? "loading …" : "loading …, \(Self.bytes(UInt64(loadedByteCount))) so far"
  }
}

extension Schema {
  /// True for the type of a collection with an order, of which there are windows.
  func isOrdered(_ type: SchemaType) -> Bool {
    guard case .named(let name, let parts) = type else { return false }
    switch NamedLayout(name, parts.count) {
    case .array, .identified, .stack: return true
    default: return false
    }
  }
}
