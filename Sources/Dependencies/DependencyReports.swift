internal import IssueReporting

// The types of keys and values are arguments here, not generic parameters: the texts are compiled once, not for each key.

/// Tells of a test that uses a dependency whose key has no value for tests.
func reportNoTestValue(_ key: Any.Type, value: Any.Type) {
  guard case .reading = DependencyValues.phase else { return }
  report(
    """
    \(dependency(key)) has no test implementation, but was accessed from a test context:

    \(details(of: key, value: value))

    A dependency does not use its live implementation while tests run, unless the test asks for it.

    To fix, override \(shortName(of: key)) for this test, by “withDependencies” around the code under test or in a store's \
    trailing closure, or by the trait “.dependency(…)”. To give every test a default, implement “testValue” in the key's \
    conformance to “DependencyKey”.
    """)
}

/// Tells of a program that uses a dependency whose key has no live value.
func reportNoLiveValue(_ key: Any.Type, value: Any.Type) {
  guard case .reading = DependencyValues.phase else { return }
  report(
    """
    \(dependency(key)) has no live implementation, but was accessed from a live context:

    \(details(of: key, value: value))

    To fix, conform “\(key)” to “DependencyKey” with a “liveValue”, and link the module that does so; or override \
    \(shortName(of: key)) by “withDependencies” or “prepareDependencies”.
    """)
}

/// Tells of a dependency of this library's that a test used without overriding it.
package func reportUnimplemented(_ name: String, call: String = "") {
  guard case .reading = DependencyValues.phase else { return }
  report(
    """
    Unimplemented: @Dependency(\\.\(name))\(call.isEmpty ? "" : ".\(call)") …

    A test used the dependency “\(name)” without overriding it. To fix, override it by “withDependencies” or by the trait \
    “.dependency(\\.\(name), …)”.
    """)
}

/// Tells of a preparation that came after the first use, which has no effect.
func reportPreparedTooLate(_ key: Any.Type, value: Any.Type, name: StaticString) {
  report(
    """
    @Dependency(\\.\(name)) has already been accessed or prepared:

    \(details(of: key, value: value))

    A dependency can be prepared once, before anyone reads it; this preparation has no effect. To fix, prepare it at the \
    start of the program, or override it for some code by “withDependencies”.
    """)
}

private func report(_ message: String) {
  let place = DependencyValues.access.place ?? IssueLocation()
  reportIssue(
    message, fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}

private func dependency(_ key: Any.Type) -> String {
  let name = "\(DependencyValues.access.name)"
  return name.isEmpty ? "@Dependency(\(key).self)" : "@Dependency(\\.\(name))"
}

private func shortName(of key: Any.Type) -> String {
  let name = "\(DependencyValues.access.name)"
  return "“\(name.isEmpty ? "\(key)" : name)”"
}

/// Where the dependency was declared, and the types of its key and value.
private func details(of key: Any.Type, value: Any.Type) -> String {
  var lines: [String] = []
  if let place = DependencyValues.access.place {
    lines += ["  Location:", "    \(place.fileID):\(place.line)"]
  }
  lines += ["  Key:", "    \(key)"]
  if key != value { lines += ["  Value:", "    \(value)"] }
  return lines.joined(separator: "\n")
}
