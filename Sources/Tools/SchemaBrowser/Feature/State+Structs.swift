internal import SchemaNames
internal import Wire

// Structs with large collections: their fields are subscribed one by one, the collections as windows of a few elements.

extension Browser.State {
  /// The number of elements that show a short list in one line.
  private static let previewSize = 6

  /// The fields of a struct that are subscribed one by one, because it has large collections; nil for any other part.
  func separateFields(_ path: String) -> [Schema.Field]? {
    guard past == nil, let hub, hub.windowLimit >= Self.smallestWindowSize, !path.isEmpty,
      let part = try? hub.schema.part(named: path), part.rest.isEmpty, case .definition(let index) = part.type,
      case .fields(let fields) = hub.schema.definitions[index].content,
      fields.contains(where: { hub.schema.holdsCollections($0.type) })
    else { return nil }
    return fields
  }

  /// The rows of such a struct, once all of them are here; nil if the open page shows something else.
  var separateRows: PageContent? {
    guard let page, let readable, let fields = separateFields(page.path) else { return nil }
    var rows: [PageRow] = []
    var (isThere, absence): (Bool, String?) = (false, nil)
    lazy var requested = Set(scopes)
    for field in fields {
      let (name, title) = (NameText.name(field.name), Wording.title(field.name))
      let path = page.path(of: name)
      let type = windowedType(path)
      if let type, let window = received(path, for: nil) {
        isThere = true
        rows.append(row(name, title, window, type, readable))
      } else if type == nil, readable.values.schema.holdsCollections(field.type) {
        rows.append(.ofOwnScreen(name))
      } else {
        switch found(at: path) {
        case .found(let part):
          isThere = true
          rows.append(PageRow(.init(name: name, type: part.type, value: part.value), readable))
        case .absent(let reason):
          absence = reason
          rows.append(PageRow(name, [title, reason]))
        case .loading where type != nil && hasNoCollection(path): rows.append(PageRow(name, [title, "–"]))
        // A hub limits the parts of a client, and the elements of its windows.
        case .loading where !requested.contains(type == nil ? path : previewPath(path)):
          rows.append(.ofOwnScreen(name))
        case .loading: return .loading
        }
      }
    }
    // Without the struct, no field exists.
    return absence.map { isThere ? .form(rows) : .absent($0) } ?? .form(rows)
  }

  /// The path of the window that shows a short list in one line.
  func previewPath(_ collection: String) -> String { WindowPath(collection, 0..<Self.previewSize).text }

  private func row(
    _ name: String, _ title: String, _ window: CollectionWindow, _ type: SchemaType, _ readable: ReadableValue
  ) -> PageRow {
    let items = window.positions.compactMap { window.element(at: $0)?.value }
    // A short list is shown as everywhere else.
    if window.isWhole, case .named(let layout, let parts) = type, NamedLayout(layout, parts.count) == .array {
      return PageRow(.init(name: name, type: type, value: .array(items)), readable)
    }
    return PageRow(name, [title, Wording.count(window.count)], opens: window.count > 0)
  }
}

extension Schema {
  /// True for a collection of elements with parts, and for a struct with one: such elements may be many.
  func holdsCollections(_ type: SchemaType) -> Bool {
    var visited: Set<Int> = []
    func holds(_ type: SchemaType) -> Bool {
      switch type {
      case .definition(let index):
        guard case .fields(let fields) = definitions[index].content, visited.insert(index).inserted else {
          return false
        }
        return fields.contains { holds($0.type) }
      case .named(let name, let parts):
        switch NamedLayout(name, parts.count) {
        case .identified, .stack: return true
        case .array: return ReadableValue.isNested(parts[0], self)
        case .optional: return isOrdered(FieldRank.unwrapped(type)) && holds(parts[0])
        default: return name == "raw" && parts.count == 2 && holds(parts[1])
        }
      }
    }
    return holds(type)
  }
}
