/// Writes values as text, and records the objects that it encounters.
struct Dumper {
  private(set) var text = ""
  private var names = TypeNames()
  private var objects = Objects()
  /// True if shared references have their values before a change.
  var isBefore = false

  /// Writes a part of a value with its indentation and its label.
  mutating func writeLine(_ child: Child, indent: Int, depth: Int, isRoot: Bool = false) {
    text += spaces(indent)
    writeLabel(child.label, indent: indent)
    text += child.mark
    write(child.value, indent: indent, depth: depth, isRoot: isRoot, isLabelled: !child.label.isNone)
  }

  /// Returns the text so far and starts a new one.
  mutating func take() -> String {
    defer { text = "" }
    return text
  }

  /// The text that `operation` writes. The objects that it encounters are not recorded.
  mutating func aside(_ operation: (inout Self) -> Void) -> String {
    var copy = self
    copy.text = ""
    operation(&copy)
    names = copy.names
    return copy.text
  }

  mutating func reflect(_ value: Any, isRoot: Bool) -> Reflection {
    Reflection(value, isRoot: isRoot, isBefore: isBefore, names: &names)
  }

  /// A type's name in dumps.
  mutating func name(of type: Any.Type) -> String { names[type] }

  /// Writes the beginning of a group.
  ///
  /// - Returns: True if the group is an object that was written before.
  @discardableResult
  mutating func writePrefix(of group: Group) -> Bool {
    let isKnown = group.object.map { writeNumber(of: $0) } ?? false
    text += group.prefix
    return isKnown
  }

  mutating func writeLabel(_ label: Label, indent: Int) {
    switch label {
    case .none: return
    case .name(let name): text += name
    case .index(let index): text += "[\(index)]"
    case .key(let key): write(key, indent: indent, depth: .max, isRoot: false, isLabelled: false)
    }
    text += ": "
  }

  mutating func write(_ text: String) { self.text += text }

  private mutating func write(_ value: Any, indent: Int, depth: Int, isRoot: Bool, isLabelled: Bool) {
    if let reference = value as? any DumpedReference {
      text += mark(of: reference)
      guard objects.enter(reference.dumpedObject) else {
        text += "↩︎"
        return
      }
      defer { objects.leave(reference.dumpedObject) }
      let value = isBefore ? reference.dumpedValueBefore : reference.dumpedValue
      return write(value, indent: indent, depth: depth, isRoot: isRoot, isLabelled: isLabelled)
    }
    switch reflect(value, isRoot: isRoot).node {
    case .leaf(let leaf):
      text += leaf.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + spaces(indent))
    case .string(let string):
      write(string, indent: isLabelled ? indent + 2 : indent, depth: depth)
    case .group(let group):
      write(group, indent: indent, depth: depth)
    }
  }

  private mutating func write(_ string: String, indent: Int, depth: Int) {
    guard string.hasLines else {
      text += quoted(string)
      return
    }
    guard depth > 0 else {
      text += "\"…\""
      return
    }
    let hashes = hashes(for: string)
    text += hashes + "\"\"\"\n"
    for line in lines(of: string) { text += spaces(indent) + line + "\n" }
    text += spaces(indent) + "\"\"\"" + hashes
  }

  private mutating func write(_ group: Group, indent: Int, depth: Int) {
    if writePrefix(of: group) {
      text += "↩︎" + group.suffix
    } else if group.children.isEmpty {
      text += group.emptyMark + group.suffix
    } else if isInline(group) {
      writeLabel(group.children[0].label, indent: indent)
      write(
        group.children[0].value, indent: indent, depth: depth - 1, isRoot: false,
        isLabelled: !group.children[0].label.isNone)
      text += group.suffix
    } else if depth <= 0 {
      text += "…" + group.suffix
    } else {
      let children = sorted(group.children, as: group.style)
      for (position, child) in children.enumerated() {
        text += position == 0 ? "\n" : ",\n"
        writeLine(child, indent: indent + 2, depth: depth - 1)
      }
      text += "\n" + spaces(indent) + group.suffix
    }
  }

  /// Returns true if a group fits on one line: it has one field, which is a text. Hidden fields count as well, as in
  /// the original library.
  mutating func isInline(_ group: Group) -> Bool {
    guard group.style == .fields, group.children.count == 1, group.hiddenCount == 0,
      !isPresentOptional(group.children[0].value)
    else { return false }
    return switch reflect(group.children[0].value, isRoot: false).node {
    case .leaf(let leaf): !leaf.hasLines
    case .string(let string): !string.hasLines
    case .group(let group): group.children.isEmpty
    }
  }

  /// Sorts unordered parts by their dumps, so that equal values have equal dumps.
  private mutating func sorted(_ children: [Child], as style: Group.Style) -> [Child] {
    guard style == .set || style == .unorderedKeyed else { return children }
    return children.map { (dump(ofKey: $0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// The text that orders an element or an entry.
  mutating func dump(ofKey child: Child) -> String {
    let key = if case .key(let key) = child.label { key } else { child.value }
    return aside { $0.write(key, indent: 0, depth: .max, isRoot: false, isLabelled: false) }
  }

  /// A shared reference's number among those of its type, including the first one.
  mutating func mark(of reference: any DumpedReference) -> String {
    "#\(objects.meet(reference.dumpedObject).number + 1) "
  }

  /// Writes an object's number among those of its type, except for the first one.
  private mutating func writeNumber(of object: AnyObject) -> Bool {
    let (number, isKnown) = objects.meet(object)
    if number > 0 { text += "#\(number) " }
    return isKnown
  }
}

/// The objects of a dump, numbered within their types.
private struct Objects {
  /// They are retained: a mirror may create temporary objects, and an address must not be reused for another one.
  private var known: [ObjectIdentifier: (object: AnyObject, number: Int)] = [:]
  private var counts: [ObjectIdentifier: Int] = [:]
  /// The references whose values are being written.
  private var entered: Set<ObjectIdentifier> = []

  mutating func meet(_ object: AnyObject) -> (number: Int, isKnown: Bool) {
    if let known = known[ObjectIdentifier(object)] { return (known.number, true) }
    let number = counts[ObjectIdentifier(type(of: object)), default: 0]
    known[ObjectIdentifier(object)] = (object, number)
    counts[ObjectIdentifier(type(of: object))] = number + 1
    return (number, false)
  }

  /// Begins a reference's value; returns false if it is being written already, to prevent endless recursion.
  mutating func enter(_ object: AnyObject) -> Bool { entered.insert(ObjectIdentifier(object)).inserted }

  mutating func leave(_ object: AnyObject) { entered.remove(ObjectIdentifier(object)) }
}
