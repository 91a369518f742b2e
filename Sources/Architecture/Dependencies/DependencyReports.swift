package import IssueReporting

// The types of keys and values are arguments and not generic parameters, so that the texts are compiled once and not
// for each key.

/// Reports that a test uses a dependency whose key has no test value.
func reportNoTestValue(_ key: Any.Type, value: Any.Type) {
  WithheldReports.make {
    report(noTestValue(key, value: value))
  }
}

private func noTestValue(_ key: Any.Type, value: Any.Type) -> String {
  """
  \(accessedDependency) has no test implementation, but was accessed from a test context:

  \(details(of: key, value: value))

  A dependency does not use its live implementation while tests run, unless the test asks for it.

  To fix, override \(shortName(of: key)) for this test, by “withDependencies” around the code under test or in a store's \
  trailing closure, or by the trait “.dependency(…)”. To give every test a default, implement “testValue” in the key's \
  conformance to “DependencyKey”.
  """
}

/// Reports that a program uses a dependency whose key has no live value.
func reportNoLiveValue(_ key: Any.Type, value: Any.Type) {
  WithheldReports.make {
    report(noLiveValue(key, value: value))
  }
}

private func noLiveValue(_ key: Any.Type, value: Any.Type) -> String {
  """
  "\(dependency(key))" has no live implementation, but was accessed from a live context.

  \(details(of: key, value: value))

  To fix, conform “\(key)” to “DependencyKey” with a “liveValue”, and link the module that does so; or override \
  \(shortName(of: key)) by “withDependencies” or “prepareDependencies”.
  """
}

/// Reports that a test uses one of this library's dependencies without overriding it.
package func reportUnimplemented(_ name: String) {
  WithheldReports.make { report(unimplemented(name, call: "")) }
}

/// A report of each use of one of this library's dependencies that a test has not overridden.
package typealias UnimplementedReport = @Sendable (_ call: String, _ place: IssueLocation?) -> Void

/// Creates the report of a dependency: at the given place, otherwise at the property that read the dependency first.
package func unimplementedReport(of name: String) -> UnimplementedReport {
  let declaration = DependencyValues.access.place
  return { call, place in
    guard case .reading = DependencyValues.phase else { return }
    report(unimplemented(name, call: call), at: place ?? DependencyValues.access.place ?? declaration)
  }
}

private func unimplemented(_ name: String, call: String) -> String {
  """
  Unimplemented: @Dependency(\\.\(name))\(call.isEmpty ? "" : ".\(call)") …

  A test used the dependency “\(name)” without overriding it. To fix, override it by “withDependencies” or by the trait \
  “.dependency(\\.\(name), …)”.
  """
}

/// Reports a preparation after the first use, which has no effect.
func reportPreparedTooLate(_ key: Any.Type, value: Any.Type, name: StaticString) {
  report(
    """
    @Dependency(\\.\(name)) has already been accessed or prepared:

    \(details(of: key, value: value))

    A dependency can be prepared once, before anyone reads it; this preparation has no effect. To fix, prepare it at the \
    start of the program, or override it for some code by “withDependencies”.
    """)
}

/// Reports that the reducer of a hub in a test reads a dependency that is not known to be reproducible.
func reportIrreproducible(_ key: Any.Type, value: Any.Type) {
  report(
    """
    A hub's reducer reads \(dependency(key)), which is not reproducible:

    \(details(of: key, value: value))

    Replays of the journal and predictions of clients run the reducer again, and may read another value.

    To fix, read it in the body of an effect, which sends an action with what it found. If its live value is the same \
    everywhere, or only effects use what is read here, declare “static let isReproducible = true” in the key.
    """)
}

/// The same, in one line for the log of a hub.
func irreproducibleRead(of key: Any.Type) -> String {
  let place = DependencyValues.access.place.map { " (\($0.fileID):\($0.line))" } ?? ""
  return """
    the reducer reads \(dependency(key))\(place), which is not reproducible: replays and predictions may differ; read \
    it in the body of an effect, or, if its value is the same everywhere or only effects use it, declare “static let \
    isReproducible = true” in \(key)
    """
}

private func report(_ message: String, at place: IssueLocation? = DependencyValues.access.place) {
  let place = place ?? IssueLocation()
  reportIssue(
    message, fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}

private func dependency(_ key: Any.Type) -> String {
  let name = "\(DependencyValues.access.name)"
  return name.isEmpty ? "@Dependency(\(key).self)" : "@Dependency(\\.\(name))"
}

/// The name of the property that is read, if it has one.
private var accessedDependency: String {
  let name = "\(DependencyValues.access.name)"
  return name.isEmpty ? "A dependency" : "@Dependency(\\.\(name))"
}

private func shortName(of key: Any.Type) -> String {
  let name = "\(DependencyValues.access.name)"
  return "“\(name.isEmpty ? "\(key)" : name)”"
}

/// The location of the dependency's declaration, and the types of its key and value.
private func details(of key: Any.Type, value: Any.Type) -> String {
  var lines: [String] = []
  if let place = DependencyValues.access.place {
    lines += ["  Location:", "    \(place.fileID):\(place.line)"]
  }
  lines += ["  Key:", "    \(key)"]
  if key != value { lines += ["  Value:", "    \(value)"] }
  return lines.joined(separator: "\n")
}
