internal import SchemaNames
package import Wire

extension Browser.State {
  /// The result of looking for a part.
  package enum Lookup: Equatable {
    case loading
    /// The part does not exist, for this reason.
    case absent(String)
    case found(FoundPart)
  }

  /// The part at a path, in the state that is shown.
  /// - Complexity: O(steps × fields).
  package func found(at path: String) -> Lookup {
    guard let schema = past?.schema ?? hub?.schema else { return .loading }
    let wanted: PartPath
    do throws(SchemaNameError) { wanted = try schema.part(named: path) } catch { return .absent("\(error)") }
    if let past {
      return Self.part(at: wanted.all, of: past.value, schema.state, schema).map { .found($0) }
        ?? .absent("it did not exist then")
    }
    var best: (steps: [PathStep], part: ReceivedPart)?
    for (known, part) in parts where part.window == nil {
      guard let steps = (try? schema.part(named: known))?.steps, wanted.steps.starts(with: steps),
        steps.count >= best?.steps.count ?? 0
      else { continue }
      best = (steps, part)
    }
    guard let best, best.part.isKnown else {
      return foundInWindows(wanted, schema) ?? refusal(of: path).map { .absent($0) } ?? .loading
    }
    guard let value = best.part.value, let type = try? schema.type(at: best.steps),
      let part = Self.part(at: Array(wanted.all.dropFirst(best.steps.count)), of: value, type, schema)
    else { return .absent(path.isEmpty ? "the hub has no state" : "there is no \(path) now") }
    return .found(part)
  }

  /// The reason why the hub does not send a part.
  private func refusal(of path: String) -> String? {
    func contains(_ outer: String) -> Bool {
      path == outer || path.hasPrefix("\(outer).") || path.hasPrefix("\(outer)[")
    }
    if let refused = refusedParts.first(where: { contains($0.key) }) {
      return refused.value ?? "this user may not read \(path)"
    }
    if let waiting = partsWithoutRoom.first(where: { contains(WindowPath($0.key)?.collection ?? $0.key) }) {
      return waiting.value
    }
    guard let hub, hub.rights?.permitAttaching(named: path, in: hub.schema) == false else { return nil }
    return "this user may not read \(path.isEmpty ? "the whole state" : path)"
  }

  static func part(
    at steps: [PartPath.Step], of value: CBORValue, _ type: SchemaType, _ schema: Schema
  ) -> FoundPart? {
    SchemaValues(schema).part(at: steps, of: value, as: type).map { FoundPart(value: $0.value, type: $0.type) }
  }

  /// The paths of the parts to which this client must subscribe for the open screen and the dialogs of the state. A part
  /// inside another one of these is not among them.
  ///
  /// The parts of the pages above stay subscribed, so that going up shows them at once. Of a large collection it is a
  /// window of the elements around those on the screen. If these are more than a hub permits, the open page comes first,
  /// then the dialogs, those of the open tab before others, and the pages above.
  package var scopes: [String] {
    guard let hub else { return [] }
    var wanted: [String] = []
    let pages = past == nil && tab.path != nil ? stacks[tab.id] ?? [] : []
    let prompts = promptPaths(hub)
    if let open = pages.last { wanted += needs(of: open, hub.schema).prefix(Self.pagePartLimit) }
    wanted += prompts
    for page in pages.dropLast().reversed() where page.isVisited { wanted += needs(of: page, hub.schema) }
    let all = wanted.compactMap { path -> (path: String, steps: [PathStep])? in
      guard refusedParts[WindowPath(path)?.collection ?? path] == nil,
        hub.rights?.permitAttaching(named: path, in: hub.schema) ?? true
      else { return nil }
      return (try? hub.schema.part(named: path, allowsWindow: true)).map { (path, $0.steps) }
    }
    let outer = all.indices.filter { index in
      !all.indices.contains { other in
        other != index && Self.isInside(all[index].steps, all[other].steps)
          // Of two equal ones, the first.
          && (all[index].steps != all[other].steps || other < index)
      }
    }
    let kept = Set(withinLimits(outer.map { all[$0].path }))
    func rank(_ part: (path: String, steps: [PathStep])) -> (Int, Int) {
      (part.steps.count, prompts.contains(part.path) ? 0 : 1)
    }
    return outer.map { all[$0] }.filter { kept.contains($0.path) }.sorted { rank($0) < rank($1) }.map(\.path)
  }

  /// The places of dialogs, those of the open tab first; as many as there is room for.
  private func promptPaths(_ hub: HubDescription) -> [String] {
    guard hub.prompts.count > Self.partLimit, let own = tab.path, !own.isEmpty else {
      return hub.prompts.prefix(Self.partLimit).map(\.path)
    }
    let isOfTab = { (path: String) in path == own || path.hasPrefix("\(own).") }
    let paths = hub.prompts.map(\.path)
    return Array((paths.filter(isOfTab) + paths.filter { !isOfTab($0) }).prefix(Self.partLimit))
  }

  /// True for a part inside another one. A window and its whole collection are needed together while one replaces the
  /// other.
  private static func isInside(_ inner: [PathStep], _ outer: [PathStep]) -> Bool {
    inner.starts(with: outer) && !(inner.count == outer.count + 1 && inner.last?.isWindow == true)
  }

  /// The parts that the page at a path needs: the one to which a hub knows the path, which contains the rest; or for the
  /// root, the leaves.
  func subscribable(_ path: String, _ schema: Schema) -> [String] {
    guard path.isEmpty, case .definition(let index) = schema.state,
      case .fields(let fields) = schema.definitions[index].content
    else {
      guard let part = try? schema.part(named: path), let known = try? schema.name(of: part.steps) else {
        return [path]
      }
      // Of an array it is the window with the element.
      if case .index(let position)? = part.rest.first, windowedType(known) != nil {
        let start = min(position, .max - 1)
        return [WindowPath(known, start..<start + 1).text]
      }
      return [known]
    }
    let leaves = fields.filter { !ReadableValue.isNested($0.type, schema) }
    return fields.isEmpty ? [""] : leaves.map { NameText.name($0.name) }
  }
}

extension PartPath {
  /// All steps, from the root.
  var all: [Step] { steps.map { .part($0) } + rest }
}

/// A part of the state that the hub has sent.
package struct ReceivedPart: Equatable, Sendable {
  /// True once the hub has sent it, or that it does not exist.
  package var isKnown: Bool
  /// The value, of a window the elements in it; nil if it does not exist.
  package var value: CBORValue?
  /// The place of a window's elements in their collection; nil for any other part.
  package var window: Window?
  /// The revision up to which it is known.
  package var revision: UInt64

  /// The place of a window's elements.
  package struct Window: Equatable, Sendable {
    /// The number of the collection's elements.
    package let count: Int
    /// The position of the window's first element; at most `count`.
    package let start: Int
    /// No hub has memory for more elements. A hub may write any number, and sums of positions must not overflow.
    private static let countLimit = 1 << 40

    package init(count: Int, start: Int) {
      self.count = min(max(count, 0), Self.countLimit)
      self.start = min(max(start, 0), self.count)
    }
  }

  package init(isKnown: Bool = true, value: CBORValue?, window: Window? = nil, revision: UInt64) {
    (self.isKnown, self.value, self.window, self.revision) = (isKnown, value, window, revision)
  }
}
