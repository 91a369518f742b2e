/// A value that describes itself in the output of `debug()`.
public protocol CustomDebugOutputConvertible {
  /// The description.
  var debugOutput: String { get }
}

/// Returns a value as `debug()` prints it, in the format of the versions before CustomDump: one field per line.
///
/// - Complexity: O(size of the value).
public func debugOutput(_ value: Any, indent: Int = 0) -> String {
  var output = DebugOutput()
  return output.text(of: value).indented(by: indent)
}

/// Returns the differing lines of two outputs, marked `-` for the first and `+` for the second; nil if they are equal.
public func debugDiff<T>(_ before: T, _ after: T, printer: (T) -> String = { debugOutput($0) }) -> String? {
  let (old, new) = (lines(of: printer(before)), lines(of: printer(after)))
  guard old != new else { return nil }
  var (removed, inserted): ([Int: Substring], [Int: Substring]) = ([:], [:])
  for change in new.difference(from: old) {
    switch change {
    case .remove(let offset, let line, _): removed[offset] = line
    case .insert(let offset, let line, _): inserted[offset] = line
    }
  }
  var (result, oldIndex, newIndex): ([String], Int, Int) = ([], 0, 0)
  while oldIndex < old.count || newIndex < new.count {
    if let line = removed[oldIndex] {
      result.append("- \(line)")
      oldIndex += 1
    } else if let line = inserted[newIndex] {
      result.append("+ \(line)")
      newIndex += 1
    } else {
      result.append("  \(old[oldIndex])")
      oldIndex += 1
      newIndex += 1
    }
  }
  return result.joined(separator: "\n")
}

private func lines(of text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

extension String {
  /// Returns the text with indented lines.
  func indented(by count: Int) -> String {
    let space = String(repeating: " ", count: count)
    return lines(of: self).map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n")
  }
}

/// Prints values by reflection.
private struct DebugOutput {
  /// The objects that contain the value, which are not printed again.
  private var visited: Set<ObjectIdentifier> = []

  mutating func text(of value: Any) -> String {
    if let value = value as? any CustomDebugOutputConvertible { return value.debugOutput }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { text(of: $0.value) } ?? "nil"
    case .collection: return list(mirror.children.map { text(of: $0.value) }, "[", "]")
    case .set: return list(mirror.children.map { text(of: $0.value) }.sorted(), "Set([", "])")
    case .dictionary: return list(mirror.children.map { pair($0.value) }.sorted(), "[", "]")
    case .enum: return enumText(value, mirror)
    case .tuple: return fields(mirror, name: "")
    case .struct where isPlain(value) && !mirror.children.isEmpty: return fields(mirror, name: name(mirror))
    case .class where isPlain(value): return object(value, mirror)
    default: return description(value, mirror)
    }
  }

  /// Returns true if a value does not provide a description.
  private func isPlain(_ value: Any) -> Bool {
    !(value is any CustomDebugStringConvertible) && !(value is any CustomStringConvertible)
  }

  private func name(_ mirror: Mirror) -> String { "\(mirror.subjectType)" }

  private mutating func pair(_ value: Any) -> String {
    let parts = Mirror(reflecting: value).children.map { text(of: $0.value) }
    return parts.joined(separator: ": ")
  }

  private func list(_ items: [String], _ start: String, _ end: String) -> String {
    "\(start)\n\(items.map { "\($0),\n".indented(by: 2) }.joined())\(end)"
  }

  private mutating func fields(_ mirror: Mirror, name: String) -> String {
    let fields = mirror.children.map { child in
      let label = child.label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
      return "\(label)\(text(of: child.value))".indented(by: 2)
    }
    return fields.isEmpty ? "\(name)()" : "\(name)(\n\(fields.joined(separator: ",\n"))\n)"
  }

  private mutating func enumText(_ value: Any, _ mirror: Mirror) -> String {
    guard let child = mirror.children.first else { return "\(name(mirror)).\(value)" }
    let payload = Mirror(reflecting: child.value)
    let caseName = "\(name(mirror)).\(child.label ?? "")"
    guard payload.displayStyle == .tuple else { return "\(caseName)(\n\(text(of: child.value).indented(by: 2))\n)" }
    return fields(payload, name: caseName)
  }

  private mutating func object(_ value: Any, _ mirror: Mirror) -> String {
    let id = ObjectIdentifier(value as AnyObject)
    guard visited.insert(id).inserted else { return "\(name(mirror))(↩︎)" }
    defer { visited.remove(id) }
    return fields(mirror, name: name(mirror))
  }

  private func description(_ value: Any, _ mirror: Mirror) -> String {
    if value is String || value is Substring { return String(reflecting: value) }
    if let value = value as? any CustomStringConvertible { return value.description }
    if let value = value as? any CustomDebugStringConvertible { return value.debugDescription }
    return "\(name(mirror))()"
  }
}
