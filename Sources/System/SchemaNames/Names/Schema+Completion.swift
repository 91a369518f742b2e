public import Wire

/// A possible continuation of a path or an action.
public struct NameCompletion: Hashable, Sendable {
  /// The whole text including the addition.
  public let text: String
  /// True if nothing can follow.
  public let isWhole: Bool

  /// Creates a completion.
  public init(text: String, isWhole: Bool) {
    (self.text, self.isWhole) = (text, isWhole)
  }
}

extension Schema {
  /// The paths of the state that begin with a text, up to the next point or bracket.
  ///
  /// - Parameters:
  ///   - text: The text so far.
  ///   - ids: The ids of the elements at a path, such as `[3]`, if the caller knows the state.
  /// - Complexity: O(parts × fields).
  public func pathCompletions(_ text: String, ids: ([PathStep]) -> [String] = { _ in [] }) -> [NameCompletion] {
    let (stem, rest, isID) = Self.split(text)
    var walk = NameWalk(self, stem, leadsIntoValues: true)
    guard let tokens = try? NameScanner.tokens(of: stem) else { return [] }
    for token in tokens { guard (try? walk.take(token)) != nil else { return [] } }
    var place = walk.place
    var steps = walk.steps
    guard let count = try? place.unwrapAll() else { return [] }
    steps += Array(repeating: .key(0), count: count)
    if isID {
      guard place.idType != nil || place.elementsWithoutIDs != nil, walk.rest.isEmpty else { return [] }
      return ids(steps).filter { $0.hasPrefix(rest) }.map { NameCompletion(text: stem + $0, isWhole: false) }
    }
    // After "]" or "?", a point must come first.
    if !stem.isEmpty, !stem.hasSuffix("."), rest.isEmpty { return [] }
    if place.isCollection, "count".hasPrefix(rest) { return [NameCompletion(text: stem + "count", isWhole: true)] }
    return place.parts.compactMap { part in
      let name = NameText.name(part.name)
      var next = place
      guard name.lowercased().hasPrefix(rest.lowercased()), (try? next.take(part.step)) != nil else { return nil }
      let isOptional = next.layout == .optional
      guard (try? next.unwrapAll()) != nil else { return nil }
      if next.idType != nil || next.elementsWithoutIDs != nil {
        return NameCompletion(text: stem + name + "[", isWhole: false)
      }
      if !next.parts.isEmpty { return NameCompletion(text: stem + name + ".", isWhole: false) }
      return NameCompletion(text: stem + name, isWhole: !isOptional)
    }
  }

  /// The actions that begin with a text, up to the next point or bracket.
  ///
  /// - Parameters:
  ///   - text: The text so far.
  ///   - ids: The ids of the elements that may follow an action's path, such as `[3]`.
  /// - Complexity: O(parts × cases).
  public func actionCompletions(_ text: String, ids: ([PathStep]) -> [String] = { _ in [] }) -> [NameCompletion] {
    let (stem, rest, isID) = Self.split(text)
    guard let steps = try? actionPath(named: stem) else { return [] }
    var place = ActionPlace(action)
    for step in steps { _ = place.take(step, in: self) }
    if isID {
      guard let type = place.type, elementCase(of: type) != nil else { return [] }
      return ids(steps).filter { $0.hasPrefix(rest) }.map { NameCompletion(text: stem + $0, isWhole: false) }
    }
    if !stem.isEmpty, !stem.hasSuffix("."), rest.isEmpty { return [] }
    return (place.type.flatMap { cases(of: $0) } ?? []).flatMap { element -> [NameCompletion] in
      let name = NameText.name(element.name)
      guard name.lowercased().hasPrefix(rest.lowercased()) else { return [] }
      guard element.payload.count == 1, cases(of: element.payload[0].type) != nil else {
        return [NameCompletion(text: stem + name, isWhole: true)]
      }
      let further = NameCompletion(text: stem + name + ".", isWhole: false)
      guard elementCase(of: element.payload[0].type) != nil else { return [further] }
      return [NameCompletion(text: stem + name + "[", isWhole: false), further]
    }
  }

  /// The text up to the last point or bracket, and the rest; an id keeps its bracket.
  private static func split(_ text: String) -> (stem: String, rest: String, isID: Bool) {
    if let bracket = text.lastIndex(of: "["), !text[bracket...].contains("]") {
      return (String(text[..<bracket]), String(text[bracket...]), true)
    }
    guard let last = text.lastIndex(where: { ".]?".contains($0) }) else { return ("", text, false) }
    let next = text.index(after: last)
    return (String(text[..<next]), String(text[next...]), false)
  }
}
