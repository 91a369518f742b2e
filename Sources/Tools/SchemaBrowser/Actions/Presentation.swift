internal import SchemaNames
package import Wire

/// A place of the state that holds what a feature presents, such as a sheet, with the actions for it.
package struct PresentationPlace: Equatable, Sendable {
  /// The path of the optional part in users' notation.
  package let path: String
  /// The cases that lead to the actions of what is presented.
  let actionPath: [PathStep]
  /// The type of these actions.
  let actionType: SchemaType
  /// The action that dismisses it.
  package let dismissal: [PathStep]

  /// The case of `PresentationAction` without what follows: all actions of the place begin with it.
  var allActions: [PathStep] { Array(actionPath.dropLast()) }
}

/// A presented state: the value of an optional, or of one of the destinations of an enum.
package struct Presentation: Equatable, Sendable, Identifiable {
  /// Another one is presented if this is another: the path, the destination, and the id of what has one.
  package let id: String
  package let place: PresentationPlace
  /// The destination, if the part is an enum of several.
  let destination: Schema.Case?
  let part: FoundPart

  /// Reads a presentation; nil if nothing is presented, or an alert or a dialog.
  init?(_ found: FoundPart, at place: PresentationPlace, in schema: Schema) {
    guard let content = Self.content(found), !PromptPlace.holds(content.type) else { return nil }
    var (part, destination, id): (FoundPart, Schema.Case?, String) = (content, nil, place.path)
    if let cases = schema.cases(of: content.type) {
      guard let (item, value) = Self.destination(content.value, cases) else { return nil }
      destination = item
      id += ".\(item.name)"
      if item.payload.count == 1, let value {
        guard !PromptPlace.holds(item.payload[0].type) else { return nil }
        part = FoundPart(value: value, type: item.payload[0].type)
      }
    }
    if case .map(let pairs) = part.value, case .definition(let index) = part.type,
      let key = schema.definitions[index].id.first, let own = pairs.first(where: { $0.key == .unsigned(key) })
    {
      id += " \(own.value.encoded())"
    }
    (self.id, self.place, self.destination, self.part) = (id, place, destination, part)
  }

  /// The value in optionals; nil if there is none.
  private static func content(_ found: FoundPart) -> FoundPart? {
    var (value, type) = (found.value, found.type)
    while case .named(let name, let parts) = type, NamedLayout(name, parts.count) == .optional {
      guard case .array(let items) = value, items.count == 1 else { return nil }
      (value, type) = (items[0], parts[0])
    }
    return FoundPart(value: value, type: type)
  }

  /// The case of a value, with its only value if it has one.
  private static func destination(_ value: CBORValue, _ cases: [Schema.Case]) -> (Schema.Case, CBORValue?)? {
    switch value {
    case .unsigned(let key): cases.first { $0.key == key }.map { ($0, nil) }
    case .array(let items):
      if case .unsigned(let key)? = items.first, let item = cases.first(where: { $0.key == key }) {
        (item, items.count == 2 ? items[1] : nil)
      } else {
        nil
      }
    default: nil
    }
  }

  /// The name that the schema gives it.
  package var title: String {
    let name = destination?.name ?? place.path.split(separator: ".").last.map(String.init) ?? place.path
    return ReadableValue.safe(Wording.title(name))
  }

  /// The path of the part with all of it.
  package var path: String {
    guard let destination, destination.payload.count == 1 else { return place.path }
    return "\(place.path).\(NameText.name(destination.name))"
  }

  /// Its fields with their values, of collections the numbers of items.
  /// - Complexity: O(fields).
  package func rows(_ readable: ReadableValue) -> [PageRow] {
    let parts = readable.values.parts(of: part.value, as: part.type)
    guard readable.values.elementCount(of: part.value, as: part.type) == nil, let parts else {
      guard destination == nil || destination?.payload.count == 1 else { return [] }
      return [PageRow(title, [title, readable.text(part.value, part.type)])]
    }
    return parts.filter { !PromptPlace.holds($0.type) }.map { PageRow($0, readable) }
  }

  /// The cases that lead to its own actions; nil if it has none.
  func ownActions(in schema: Schema) -> [PathStep]? {
    guard let destination else { return place.actionPath }
    let item = schema.cases(of: place.actionType)?.first { $0.name == destination.name }
    return item.map { place.actionPath + [.key($0.key)] }
  }
}

extension Schema {
  /// The places of what features present, other than alerts and dialogs, that a fixed path leads to, with the actions of
  /// the same names.
  var presentationPlaces: [PresentationPlace] {
    var found: [PresentationPlace] = []
    visitPlaces { path, _, _, type in
      guard !path.isEmpty, !PromptPlace.holds(type), let part = try? part(named: path),
        FieldRank.unwrapped(part.type) != part.type, let actions = actionPlace(of: path),
        // What is inside has a longer path than the action that dismisses it.
        let dismissal = actions.dismissal, dismissal.count == actions.path.count
      else { return }
      found.append(
        PresentationPlace(path: path, actionPath: actions.path, actionType: actions.type, dismissal: dismissal))
    }
    return found
  }
}
