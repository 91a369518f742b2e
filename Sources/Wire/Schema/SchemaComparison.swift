/// A parallel walk over two schemas, in the order in which a reader encounters their types.
///
/// Pending places are kept in a list and not on the stack, because a schema comes from a peer.
struct SchemaComparison {
  let here: Schema
  let there: Schema
  /// The words for the sides in sentences: "only here".
  let sides: SchemaSides
  /// True if a name has different keys, or a key different names.
  private(set) var keysDiffer = false
  /// The compared pairs.
  private var seen: Set<Visit> = []
  /// The pending tasks; the last one is next.
  private var tasks: [Task] = []

  private struct Visit: Hashable {
    let mine, theirs: Int
    let isKey, isOpaque: Bool
  }

  /// The place in a schema where two types correspond.
  private struct Context {
    /// Inside the key that distinguishes the elements of a collection.
    var isKey = false
    /// The name of an enclosing type whose bytes only its own code can read, so that its parts cannot be mapped.
    var opaque: String?
  }

  private enum Task {
    case compare(SchemaType, SchemaType, place: String, Context)
    case fail(String)
  }

  init(here: Schema, there: Schema, sides: SchemaSides = .peers) {
    (self.here, self.there, self.sides) = (here, there, sides)
  }

  /// The first relevant difference between these types, as a sentence.
  mutating func difference(_ roots: [(mine: SchemaType, theirs: SchemaType, place: String)]) -> String? {
    tasks = roots.reversed().map { .compare($0.mine, $0.theirs, place: $0.place, Context()) }
    while let task = tasks.popLast() {
      switch task {
      case .fail(let sentence): return sentence
      case .compare(let mine, let theirs, let place, let context): compare(mine, theirs, at: place, context)
      }
    }
    return nil
  }

  private mutating func compare(_ mine: SchemaType, _ theirs: SchemaType, at place: String, _ context: Context) {
    switch (mine, theirs) {
    case (.named(let name, let parts), .named(let otherName, let otherParts))
    where name == otherName && parts.count == otherParts.count:
      let layout = NamedLayout(name, parts.count)
      for index in parts.indices.reversed() {
        var inside = context
        if layout?.isKey(index) ?? false { inside.isKey = true }
        if layout == nil, context.opaque == nil { inside.opaque = "\(place) is of type \(name)" }
        tasks.append(.compare(parts[index], otherParts[index], place: place, inside))
      }
      if layout == .identified, let sentence = idDifference(parts[1], otherParts[1], at: place) {
        tasks.append(.fail(sentence))
      }
    case (.definition(let index), .definition(let otherIndex)):
      let visit = Visit(
        mine: index, theirs: otherIndex, isKey: context.isKey, isOpaque: context.opaque != nil)
      guard seen.insert(visit).inserted else { return }
      compare(here.definitions[index], there.definitions[otherIndex], at: place, context)
    default:
      tasks.append(
        .fail("\(place) is of type \(here.name(of: mine)) \(sides.here) and \(there.name(of: theirs)) \(sides.there)"))
    }
  }

  /// The sentence for elements with ids at different places, if both sides know where.
  private func idDifference(_ mine: SchemaType, _ theirs: SchemaType, at place: String) -> String? {
    guard let mine = here.idFields(of: mine), let theirs = there.idFields(of: theirs), !mine.corresponds(to: theirs)
    else { return nil }
    let (name, other) = (mine.name, theirs.name)
    return "the elements of \(place) are told apart by '\(name)' \(sides.here) and by '\(other)' \(sides.there)"
  }

  private mutating func compare(
    _ mine: Schema.Definition, _ theirs: Schema.Definition, at place: String, _ context: Context
  ) {
    let found: [Task]
    switch (mine.content, theirs.content) {
    case (.fields(let fields), .fields(let others)):
      let members = CorrespondingMembers(fields, others)
      found =
        check(members, fields, others, mine.name, context) + compare(members, fields, others, mine.name, context)
    case (.cases(let cases), .cases(let others)):
      let members = CorrespondingMembers(cases, others)
      found = check(members, cases, others, mine.name, context) + compare(members, cases, others, mine.name, context)
    case (.fields, .cases):
      found = [.fail("\(place) is the struct \(mine.name) \(sides.here) and the enum \(theirs.name) \(sides.there)")]
    case (.cases, .fields):
      found = [.fail("\(place) is the enum \(mine.name) \(sides.here) and the struct \(theirs.name) \(sides.there)")]
    }
    tasks += found.reversed()
  }

  private func compare(
    _ members: CorrespondingMembers, _ fields: [Schema.Field], _ others: [Schema.Field], _ type: String,
    _ context: Context
  ) -> [Task] {
    var found: [Task] = []
    func only(_ side: String, _ field: Schema.Field) {
      let place = "the field '\(field.name)' of \(type) is only \(side)"
      if !field.hasDefault { found.append(.fail("\(place) and has no default\(sides.remedy(side, field.name))")) }
      if context.isKey { found.append(.fail("\(place), but \(type) tells the elements of a collection apart")) }
    }
    for (field, partner) in zip(fields, members.partners) {
      if let partner {
        let place = "the field '\(field.name)' of \(type)"
        found.append(.compare(field.type, others[partner].type, place: place, context))
      } else {
        only(sides.here, field)
      }
    }
    for other in members.others { only(sides.there, others[other]) }
    return found
  }

  private func compare(
    _ members: CorrespondingMembers, _ cases: [Schema.Case], _ others: [Schema.Case], _ type: String,
    _ context: Context
  ) -> [Task] {
    var found: [Task] = []
    for (element, partner) in zip(cases, members.partners) {
      guard let other = partner.map({ others[$0] }) else { continue }
      let place = "the case '\(element.name)' of \(type)"
      guard element.payload.map(\.label) == other.payload.map(\.label) else {
        found.append(
          .fail(
            "\(place) has other payload labels \(sides.here) (\(labels(element))) than \(sides.there) (\(labels(other)))"
          ))
        continue
      }
      for (value, otherValue) in zip(element.payload, other.payload) {
        found.append(.compare(value.type, otherValue.type, place: "the payload of \(place)", context))
      }
    }
    return found
  }

  private func labels(_ element: Schema.Case) -> String {
    element.payload.map { $0.label.isEmpty ? "_" : $0.label }.joined(separator: ", ")
  }

  /// Reports former names that fit two members. Records whether keys differ, and reports it where they must not.
  private mutating func check<Member: SchemaMember>(
    _ members: CorrespondingMembers, _ mine: [Member], _ theirs: [Member], _ type: String, _ context: Context
  ) -> [Task] {
    if let (name, isHere, candidates) = members.ambiguity {
      let (side, other) = isHere ? (sides.here, sides.there) : (sides.there, sides.here)
      let list = candidates.map { "'\($0)'" }.joined(separator: " and ")
      return [
        .fail("'\(name)' of \(type) \(side) may be \(list) \(other) by former names: remove one of the former names")
      ]
    }
    let positions = Dictionary(theirs.enumerated().map { ($0.element.key, $0.offset) }) { first, _ in first }
    let differing = mine.indices.first { index in
      // A field that has no partner must not be read as another one.
      if let position = positions[mine[index].key] { return position != members.partners[index] }
      return members.partners[index] != nil
    }
    guard let differing else { return [] }
    keysDiffer = true
    guard let opaque = context.opaque else { return [] }
    return [
      .fail(
        "\(opaque), inside of which nothing can be mapped, and '\(mine[differing].name)' of \(type) has another key \(sides.there)"
      )
    ]
  }
}

/// The words for the two sides of a comparison of schemas.
public enum SchemaSides: Hashable, Sendable {
  /// This program and another one.
  case peers
  /// A journal, and the program that continues it.
  case journalAndProgram

  var here: String { self == .peers ? "here" : "in the journal" }
  var there: String { self == .peers ? "there" : "in the program" }

  /// The end of the sentence about a field that only one side has.
  func remedy(_ side: String, _ field: String) -> String {
    guard self == .journalAndProgram, side == there else { return "" }
    return ": give it one ('var \(field) = …') or make it optional"
  }
}

extension Schema {
  /// The fields that lead to the id of an element of this type; nil if the schema has none.
  fileprivate func idFields(of element: SchemaType) -> IDPath? {
    var (type, path) = (element, IDPath())
    guard case .definition(let index) = type else { return nil }
    for key in definitions[index].id {
      guard case .definition(let index) = type, case .fields(let fields) = definitions[index].content,
        let position = fields.firstIndex(where: { $0.key == key })
      else { return nil }
      path.steps.append((fields, position))
      type = fields[position].type
    }
    return path.steps.isEmpty ? nil : path
  }
}

/// The way to an element's id: at each step the fields of a struct, and the position of one of them.
private struct IDPath {
  var steps: [(fields: [Schema.Field], position: Int)] = []

  /// The names of the fields, such as `contact.number`.
  var name: String { steps.map { $0.fields[$0.position].name }.joined(separator: ".") }

  func corresponds(to other: IDPath) -> Bool {
    steps.count == other.steps.count
      && zip(steps, other.steps).allSatisfy {
        CorrespondingMembers($0.fields, $1.fields).partners[$0.position] == $1.position
      }
  }
}
