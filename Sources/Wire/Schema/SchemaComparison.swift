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
    guard let mine = here.idName(of: mine), let theirs = there.idName(of: theirs), mine != theirs else { return nil }
    return "the elements of \(place) are told apart by '\(mine)' \(sides.here) and by '\(theirs)' \(sides.there)"
  }

  private mutating func compare(
    _ mine: Schema.Definition, _ theirs: Schema.Definition, at place: String, _ context: Context
  ) {
    let found: [Task]
    switch (mine.content, theirs.content) {
    case (.fields(let fields), .fields(let others)):
      found =
        keys(fields.map { ($0.key, $0.name) }, others.map { ($0.key, $0.name) }, mine.name, context)
        + compare(fields, others, mine.name, context)
    case (.cases(let cases), .cases(let others)):
      found =
        keys(cases.map { ($0.key, $0.name) }, others.map { ($0.key, $0.name) }, mine.name, context)
        + compare(cases, others, mine.name, context)
    case (.fields, .cases):
      found = [.fail("\(place) is the struct \(mine.name) \(sides.here) and the enum \(theirs.name) \(sides.there)")]
    case (.cases, .fields):
      found = [.fail("\(place) is the enum \(mine.name) \(sides.here) and the struct \(theirs.name) \(sides.there)")]
    }
    tasks += found.reversed()
  }

  private func compare(
    _ fields: [Schema.Field], _ others: [Schema.Field], _ type: String, _ context: Context
  ) -> [Task] {
    let named = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
    let names = Set(fields.map(\.name))
    var found: [Task] = []
    func only(_ side: String, _ field: Schema.Field) {
      let place = "the field '\(field.name)' of \(type) is only \(side)"
      if !field.hasDefault { found.append(.fail("\(place) and has no default\(sides.remedy(side, field.name))")) }
      if context.isKey { found.append(.fail("\(place), but \(type) tells the elements of a collection apart")) }
    }
    for field in fields {
      if let other = named[field.name] {
        found.append(.compare(field.type, other.type, place: "the field '\(field.name)' of \(type)", context))
      } else {
        only(sides.here, field)
      }
    }
    for other in others where !names.contains(other.name) { only(sides.there, other) }
    return found
  }

  private func compare(_ cases: [Schema.Case], _ others: [Schema.Case], _ type: String, _ context: Context) -> [Task] {
    let named = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
    var found: [Task] = []
    for element in cases {
      guard let other = named[element.name] else { continue }
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

  /// Records whether keys differ, and reports it where they must not.
  private mutating func keys(
    _ mine: [(key: UInt64, name: String)], _ theirs: [(key: UInt64, name: String)], _ type: String, _ context: Context
  ) -> [Task] {
    let names = Dictionary(theirs.map { ($0.key, $0.name) }) { first, _ in first }
    let keys = Dictionary(theirs.map { ($0.name, $0.key) }) { first, _ in first }
    guard let other = mine.first(where: { names[$0.key] ?? $0.name != $0.name || keys[$0.name] ?? $0.key != $0.key })
    else { return [] }
    keysDiffer = true
    guard let opaque = context.opaque else { return [] }
    return [
      .fail(
        "\(opaque), inside of which nothing can be mapped, and '\(other.name)' of \(type) has another key \(sides.there)"
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
  /// The fields that lead to the id of an element of this type, such as `contact.number`; nil if the schema has none.
  fileprivate func idName(of element: SchemaType) -> String? {
    var (type, names) = (element, [String]())
    guard case .definition(let index) = type else { return nil }
    for key in definitions[index].id {
      guard case .definition(let index) = type, case .fields(let fields) = definitions[index].content,
        let field = fields.first(where: { $0.key == key })
      else { return nil }
      names.append(field.name)
      type = field.type
    }
    return names.isEmpty ? nil : names.joined(separator: ".")
  }
}
