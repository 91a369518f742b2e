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
    for (known, part) in parts {
      guard let steps = (try? schema.part(named: known))?.steps, wanted.steps.starts(with: steps),
        steps.count >= best?.steps.count ?? 0
      else { continue }
      best = (steps, part)
    }
    guard let best, best.part.isKnown else {
      let isRefused = refusedParts.contains { path == $0 || path.hasPrefix("\($0).") || path.hasPrefix("\($0)[") }
      return isRefused ? .absent("this user may not read \(path)") : .loading
    }
    guard let value = best.part.value, let type = try? schema.type(at: best.steps),
      let part = Self.part(at: Array(wanted.all.dropFirst(best.steps.count)), of: value, type, schema)
    else { return .absent(path.isEmpty ? "the hub has no state" : "there is no \(path) now") }
    return .found(part)
  }

  private static func part(
    at steps: [PartPath.Step], of value: CBORValue, _ type: SchemaType, _ schema: Schema
  ) -> FoundPart? {
    SchemaValues(schema).part(at: steps, of: value, as: type).map { FoundPart(value: $0.value, type: $0.type) }
  }

  /// The paths of the parts to which this client must subscribe for the open screen and the dialogs of the state. A part
  /// inside another one of these is not among them.
  ///
  /// A page that was opened from another one shares its part, so that going up shows it at once.
  package var scopes: [String] {
    guard let hub else { return [] }
    var wanted = hub.prompts.map(\.path)
    if past == nil, let pages = stacks[tab.id], let open = pages.last, tab.path != nil {
      // The part of the first visited page on the way contains the others.
      let first = pages.first { $0.isVisited } ?? open
      wanted.append(contentsOf: subscribable(first.path, hub.schema))
    }
    var kept: [(path: String, steps: [PathStep])] = []
    let all = wanted.compactMap { path in (try? hub.schema.part(named: path)).map { (path: path, steps: $0.steps) } }
    for one in all.sorted(by: { $0.steps.count < $1.steps.count })
    where !kept.contains(where: { one.steps.starts(with: $0.steps) }) {
      kept.append(one)
    }
    return kept.map(\.path).filter { !refusedParts.contains($0) }
  }

  /// The parts that the page at a path needs: the one to which a hub knows the path, which contains the rest; or for the
  /// root, if it is shown without its parts, the leaves.
  private func subscribable(_ path: String, _ schema: Schema) -> [String] {
    guard path.isEmpty, case .definition(let index) = schema.state,
      case .fields(let fields) = schema.definitions[index].content
    else { return [(try? schema.part(named: path)).flatMap { try? schema.name(of: $0.steps) } ?? path] }
    let leaves = fields.filter { !ReadableValue.isNested($0.type, schema) }
    return leaves.isEmpty ? [""] : leaves.map { NameText.name($0.name) }
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
  /// The value; nil if it does not exist.
  package var value: CBORValue?
  /// The revision up to which it is known.
  package var revision: UInt64

  package init(isKnown: Bool = true, value: CBORValue?, revision: UInt64) {
    (self.isKnown, self.value, self.revision) = (isKnown, value, revision)
  }
}
