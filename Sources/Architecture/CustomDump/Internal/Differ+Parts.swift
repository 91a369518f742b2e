/// A line, or a nested difference, between a group's brackets.
enum Part {
  case equal(Child)
  /// A run of equal parts, which are only counted.
  case unchanged(Int)
  case removed(Child)
  case inserted(Child)
  case changed(Child, Child)
  /// A part that replaces another one and is not a change of it.
  case replaced(Child, Child)

  var isChange: Bool {
    switch self {
    case .equal, .unchanged: false
    case .removed, .inserted, .changed, .replaced: true
    }
  }

  /// True if the first value has the part.
  var isInFirst: Bool {
    if case .inserted = self { false } else { true }
  }

  /// True if the second value has the part.
  var isInSecond: Bool {
    if case .removed = self { false } else { true }
  }
}

extension Differ {
  /// The common and different parts of two groups of the same form, in the order in which they are printed.
  mutating func parts(_ first: Group, _ second: Group) -> [Part] {
    switch first.style {
    case .fields: fields(first.children, second.children)
    case .sequence, .keyed: sequence(first.children, second.children)
    case .unorderedKeyed: entries(first.children, second.children)
    case .set: members(first.children, second.children)
    }
  }

  private func fields(_ old: [Child], _ new: [Child]) -> [Part] {
    let shared = zip(old, new).map { areEqual($0.value, $1.value) ? Part.equal($1) : .changed($0, $1) }
    return shared + old.dropFirst(new.count).map(Part.removed) + new.dropFirst(old.count).map(Part.inserted)
  }

  private mutating func sequence(_ old: [Child], _ new: [Child]) -> [Part] {
    // Most sequences change in one place, and equal elements at both ends need no keys.
    let prefix = zip(old, new).prefix { isEqual($0, $1) }.count
    let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed())
      .prefix { isEqual($0, $1) }.count
    let (oldMiddle, newMiddle) = (old[prefix..<(old.count - suffix)], new[prefix..<(new.count - suffix)])
    let script = script(oldMiddle, newMiddle)

    var parts = Runs()
    new[..<prefix].forEach { parts.add(equal: $0) }
    for step in script.steps {
      switch step {
      case .keep(let from, let to):
        let (lhs, rhs) = (old[prefix + from], new[prefix + to])
        if areEqual(lhs.value, rhs.value) {
          parts.add(equal: rhs)
        } else {
          // An element with the same id and other contents, at any position.
          parts.add(.changed(Child(label: rhs.label, value: lhs.value), rhs))
        }
      case .replace(let from, let to) where areReplaceable(old[prefix + from], new[prefix + to]):
        parts.add(.changed(old[prefix + from], new[prefix + to]))
      case .replace(let from, let to):
        parts.add(.replaced(old[prefix + from], new[prefix + to]))
      case .remove(let index): parts.add(.removed(old[prefix + index]))
      case .insert(let index): parts.add(.inserted(new[prefix + index]))
      }
    }
    new[(new.count - suffix)...].forEach { parts.add(equal: $0) }
    return parts.all
  }

  private mutating func script(_ old: ArraySlice<Child>, _ new: ArraySlice<Child>) -> EditScript {
    // There is only one script for these, and a key may cost a dump of an element's whole contents.
    if old.isEmpty || new.isEmpty || (old.count == 1 && new.count == 1) {
      return EditScript(from: old.map { _ in true }, to: new.map { _ in false })
    }
    return EditScript(from: old.map { key(of: $0) }, to: new.map { key(of: $0) })
  }

  private mutating func entries(_ old: [Child], _ new: [Child]) -> [Part] {
    var others = Dictionary(new.map { (entryKey(of: $0), $0) }) { first, _ in first }
    var changes: [(order: String, part: Part)] = []
    var unchanged = 0
    for child in old {
      guard let other = others.removeValue(forKey: entryKey(of: child)) else {
        changes.append((dumper.dump(ofKey: child), .removed(child)))
        continue
      }
      if areEqual(child.value, other.value) {
        unchanged += 1
      } else {
        changes.append((dumper.dump(ofKey: child), .changed(child, other)))
      }
    }
    for child in others.values { changes.append((dumper.dump(ofKey: child), .inserted(child))) }
    return ordered(changes, unchanged: unchanged)
  }

  private mutating func members(_ old: [Child], _ new: [Child]) -> [Part] {
    let oldKeys = Set(old.map { ElementKey($0.value, &dumper) })
    let newKeys = Set(new.map { ElementKey($0.value, &dumper) })
    let removed = old.filter { !newKeys.contains(ElementKey($0.value, &dumper)) }
    let inserted = new.filter { !oldKeys.contains(ElementKey($0.value, &dumper)) }

    var others = Dictionary(inserted.enumerated().map { (ElementKey(identity: $1.value, &dumper), $0) }) { first, _ in
      first
    }
    var changes: [(order: String, part: Part)] = []
    var matched: Set<Int> = []
    for child in removed {
      let other = others.removeValue(forKey: ElementKey(identity: child.value, &dumper))
      if let other { matched.insert(other) }
      changes.append((dumper.dump(ofKey: child), other.map { .changed(child, inserted[$0]) } ?? .removed(child)))
    }
    for (index, child) in inserted.enumerated() where !matched.contains(index) {
      changes.append((dumper.dump(ofKey: child), .inserted(child)))
    }
    return ordered(changes, unchanged: old.count - removed.count)
  }

  /// The changes in the order of their dumps, then the number of unchanged parts.
  private func ordered(_ changes: [(order: String, part: Part)], unchanged: Int) -> [Part] {
    var parts: [Part] = []
    for (_, part) in changes.sorted(by: { $0.order < $1.order }) {
      if case .inserted(let new) = part, case .removed(let old) = parts.last {
        parts[parts.count - 1] = .replaced(old, new)
      } else {
        parts.append(part)
      }
    }
    return parts + (unchanged > 0 ? [.unchanged(unchanged)] : [])
  }

  private func isEqual(_ lhs: Child, _ rhs: Child) -> Bool {
    if case .key(let first) = lhs.label, case .key(let second) = rhs.label, !areEqual(first, second) { return false }
    return areEqual(lhs.value, rhs.value)
  }

  /// Returns true if an element is a change of another one and not a different one.
  private func areReplaceable(_ lhs: Child, _ rhs: Child) -> Bool {
    if case .key(let first) = lhs.label, case .key(let second) = rhs.label { return areEqual(first, second) }
    guard case .index(let first) = lhs.label, case .index(let second) = rhs.label, first == second else { return false }
    guard let lhs = lhs.value as? any Identifiable, let rhs = rhs.value as? any Identifiable else { return true }
    return lhs.anyID == rhs.anyID
  }

  private mutating func key(of child: Child) -> ElementKey {
    if case .key(let key) = child.label { ElementKey(key, &dumper) } else { ElementKey(identity: child.value, &dumper) }
  }

  private mutating func entryKey(of child: Child) -> ElementKey {
    if case .key(let key) = child.label { ElementKey(key, &dumper) } else { ElementKey(child.value, &dumper) }
  }
}

/// Parts in which runs of two or more equal ones are only counted.
private struct Runs {
  private var parts: [Part] = []
  private var run: [Child] = []
  private var length = 0

  mutating func add(equal child: Child) {
    if length == 0 { run = [child] }
    length += 1
  }

  mutating func add(_ change: Part) {
    flush()
    parts.append(change)
  }

  var all: [Part] {
    var copy = self
    copy.flush()
    return copy.parts
  }

  private mutating func flush() {
    switch length {
    case 0: return
    case 1: parts += run.map(Part.equal)
    default: parts.append(.unchanged(length))
    }
    length = 0
  }
}
