/// The place where a part of a difference is printed.
struct Place {
  var indent: Int
  /// The end of the part: a comma, unless it is the last one.
  var comma: String
  var isRoot = false
}

/// Writes the difference of two values.
struct Differ {
  let format: DiffFormat
  private(set) var text = ""
  var dumper = Dumper()

  init(format: DiffFormat) { self.format = format }

  /// Writes the difference of two unequal parts: within them if they have the same form, otherwise one after the other.
  mutating func compare(_ lhs: Child, _ rhs: Child, at place: Place) {
    let references = (lhs.value as? any DumpedReference, rhs.value as? any DumpedReference)
    if case (let first?, let second?) = references, first.dumpedObject === second.dumpedObject {
      let mark = dumper.mark(of: second)
      return compare(
        Child(label: lhs.label, mark: lhs.mark + mark, value: first.dumpedValueBefore),
        Child(label: rhs.label, mark: rhs.mark + mark, value: second.dumpedValue), at: place)
    } else if references.0 != nil || references.1 != nil {
      return replace(lhs, rhs, types: nil, at: place)
    }
    let left = reflectBefore(lhs.value, isRoot: place.isRoot)
    let right = dumper.reflect(rhs.value, isRoot: place.isRoot)
    if haveSameLabel(lhs, rhs), left.type == right.type {
      switch (left.node, right.node) {
      case (.string(let first), .string(let second)) where first.hasLines || second.hasLines:
        return compareLines(first, second, under: rhs, at: place)
      case (.group(let first), .group(let second)) where first.hasForm(of: second):
        return compare(first, second, of: (lhs, rhs), at: place)
      default:
        break
      }
    }
    replace(lhs, rhs, types: (left.type, right.type), at: place)
  }

  private mutating func compare(_ first: Group, _ second: Group, of whole: (lhs: Child, rhs: Child), at place: Place) {
    let parts = parts(first, second)
    guard parts.contains(where: \.isChange) else { return writeNoDifference(whole.lhs, whole.rhs, at: place) }
    // A line for the whole shows both the change and its place.
    guard !dumper.isInline(first), !dumper.isInline(second) else {
      return replace(whole.lhs, whole.rhs, types: nil, at: place)
    }
    write(format.both, at: Place(indent: place.indent, comma: "")) {
      $0.writeLabel(whole.rhs.label, indent: place.indent)
      $0.write(whole.rhs.mark)
      $0.writePrefix(of: second)
    }
    // Each value has its own last part.
    let (lastInFirst, lastInSecond) = (parts.lastIndex(where: \.isInFirst), parts.lastIndex(where: \.isInSecond))
    for (position, part) in parts.enumerated() {
      let isLast =
        switch part {
        case .removed: position == lastInFirst
        case .equal, .unchanged, .inserted: position == lastInSecond
        case .changed, .replaced: position == lastInFirst && position == lastInSecond
        }
      write(part, at: Place(indent: place.indent + 2, comma: isLast ? "" : ","))
    }
    write(format.both, spaces(place.indent) + second.suffix + place.comma)
  }

  private mutating func write(_ part: Part, at place: Place) {
    switch part {
    case .equal(let child): write(format.both, child, depth: 0, at: place)
    case .unchanged(let count): write(format.both, "\(spaces(place.indent))… (\(count) unchanged)\(place.comma)")
    case .removed(let child): writeFirst(child, at: place)
    case .inserted(let child): write(format.second, child, at: place)
    case .changed(let lhs, let rhs): compare(lhs, rhs, at: place)
    case .replaced(let lhs, let rhs): replace(lhs, rhs, types: nil, at: place)
    }
  }

  /// Writes both parts in full.
  private mutating func replace(_ lhs: Child, _ rhs: Child, types: (Any.Type, Any.Type)?, at place: Place) {
    var (lhsPlace, rhsPlace) = (place, place)
    if let types, types.0 != types.1 {
      let first = dumper.aside {
        $0.isBefore = true
        $0.writeLine(lhs, indent: 0, depth: .max, isRoot: place.isRoot)
      }
      let second = dumper.aside { $0.writeLine(rhs, indent: 0, depth: .max, isRoot: place.isRoot) }
      // Only the types distinguish these.
      if first == second {
        lhsPlace.comma = " as \(dumper.name(of: types.0))" + place.comma
        rhsPlace.comma = " as \(dumper.name(of: types.1))" + place.comma
      }
    }
    writeFirst(lhs, at: lhsPlace)
    write(format.second, rhs, at: rhsPlace)
  }

  /// Writes two parts whose difference their fields do not show.
  private mutating func writeNoDifference(_ lhs: Child, _ rhs: Child, at place: Place) {
    write(format.both, spaces(place.indent) + "// Not equal but no difference detected:")
    for (mark, child) in [(format.first, lhs), (format.second, rhs)] {
      let line = dumper.aside { $0.writeLine(child, indent: place.indent, depth: 0, isRoot: place.isRoot) }
      write(mark, line + place.comma)
    }
  }

  private mutating func compareLines(_ first: String, _ second: String, under child: Child, at place: Place) {
    let hashes = hashes(for: first, second)
    write(format.both, at: Place(indent: place.indent, comma: "")) {
      $0.writeLabel(child.label, indent: place.indent)
      $0.write(child.mark + hashes + "\"\"\"")
    }
    let indent = spaces(child.label.isNone ? place.indent : place.indent + 2)
    let (old, new) = (first.isEmpty ? [] : lines(of: first), second.isEmpty ? [] : lines(of: second))
    for step in EditScript(from: old, to: new).steps {
      switch step {
      case .keep(_, let index): write(format.both, indent + new[index])
      case .replace(let from, let to):
        write(format.first, indent + old[from])
        write(format.second, indent + new[to])
      case .remove(let index): write(format.first, indent + old[index])
      case .insert(let index): write(format.second, indent + new[index])
      }
    }
    write(format.both, indent + "\"\"\"" + hashes + place.comma)
  }

  /// Writes a part of the first value, in which shared references have their values before a change.
  private mutating func writeFirst(_ child: Child, at place: Place) {
    dumper.isBefore = true
    write(format.first, child, at: place)
    dumper.isBefore = false
  }

  private mutating func reflectBefore(_ value: Any, isRoot: Bool) -> Reflection {
    dumper.isBefore = true
    defer { dumper.isBefore = false }
    return dumper.reflect(value, isRoot: isRoot)
  }

  private mutating func write(_ mark: String, _ child: Child, depth: Int = .max, at place: Place) {
    dumper.writeLine(child, indent: place.indent, depth: depth, isRoot: place.isRoot)
    write(mark, dumper.take() + place.comma)
  }

  private mutating func write(_ mark: String, at place: Place, _ line: (inout Dumper) -> Void) {
    line(&dumper)
    write(mark, spaces(place.indent) + dumper.take() + place.comma)
  }

  /// Writes lines with a mark at the beginning of each.
  private mutating func write(_ mark: String, _ lines: String) {
    if !text.isEmpty { text += "\n" }
    text += mark + " " + lines.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\(mark) ")
  }

  private func haveSameLabel(_ lhs: Child, _ rhs: Child) -> Bool {
    switch (lhs.label, rhs.label) {
    case (.none, .none): true
    case (.name(let first), .name(let second)): first == second
    case (.index(let first), .index(let second)): first == second
    case (.key(let first), .key(let second)): areEqual(first, second)
    default: false
    }
  }
}

extension Group {
  /// Returns true if the difference to another group can be shown within it.
  fileprivate func hasForm(of other: Group) -> Bool {
    // Two objects are different, regardless of their contents.
    prefix == other.prefix && style == other.style && object === other.object
  }
}
