internal import JSONText
package import Wire

extension Attendee {
  /// The process, or `-` if only the kernel of another machine knows it.
  package var processText: String { process > 0 ? "\(process)" : "-" }

  /// The names of the attached parts, such as `counter, todos and 3 more`; `-` if there are none.
  package var partsText: String {
    guard scopes > 0 else { return "-" }
    let rest = scopes - min(scopes, UInt64(parts.count))
    let names = parts.map { StateRoot(rawValue: $0.root).name(ofPart: $0.path) }.joined(separator: ", ")
    return rest == 0 ? names : "\(names) and \(rest) more"
  }
}

extension StateRoot {
  /// A part as users call it.
  package func name(ofPart path: String) -> String {
    switch self {
    case .feature: path.isEmpty ? "the whole state" : path.printable
    case .hub: "the clients"
    case .metrics: "the metrics"
    case .views: RootedPath.viewPrefix + path.printable
    default: "?"
    }
  }
}
