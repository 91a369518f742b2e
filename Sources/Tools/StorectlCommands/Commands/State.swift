internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import SchemaNames
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let state = Self(
    "state", "print the state, or the part at a path", arguments: [.path],
    options: [
      .hub, .init("at", argument: "REV|TIME", "the state at this point, from the journal"),
      .init(
        "state-dir", argument: "DIR", "the hub's state directory; default: STOREHUB_STATE_DIR, or that of the hub",
        value: .file,
        if: .option("at")),
    ],
    details: [.text("Prints nothing and exits with 7 if the path has no value.")])

  nonisolated static let verify = Self(
    "verify", "compare the hash of the received state with the hub's",
    arguments: [.init("PATH", .anyNumber, value: .path)],
    details: [
      .text(
        """
        Reads the state, or the parts at the paths, and compares its hash with the hub's. Without a path, also compares \
        the hub's own state. Exits with 8 if a hash differs, which is a bug of the hub or of this program.
        """)
    ])
}

extension Tool {
  func state() async throws(ToolFailure) {
    let hub = try await connect()
    let name = options.arguments.first ?? ""
    let (root, path) = try await place(name, on: hub)
    let scope = try await scope(of: path, in: root, on: hub)
    guard let part = scope.part(path.rest) else { throw ToolFailure(.absent, "nothing is at '\(name)'") }
    if isJSON { return print(SchemaJSON(path.schema).json(of: part.value, as: part.type)) }
    print(ValueText(path.schema, palette, width: width).lines(part.value, part.type))
  }

  func verify() async throws(ToolFailure) {
    let hub = try await connect()
    var places: [(name: String, root: StateRoot)] = options.arguments.map { ($0, .feature) }
    if places.isEmpty { places = [("", .feature), ("", .hub)] }
    var differing = 0
    var reason = "a bug of the hub or of storectl"
    for (name, root) in places {
      // The hub's own state is compared only for users who may read it.
      let scope =
        root == .feature
        ? try await hashedPart(name, on: hub)
        : try await hub.subscribeIfPermitted(to: root)
      guard let scope else { continue }
      guard let found = try await hub.verify(scope) else {
        throw ToolFailure(.absent, "nothing is at '\(name)'")
      }
      let isSame = found.here == found.there
      if !isSame { differing += 1 }
      if !isSame, root == .hub { reason = "a bug, unless the hub and storectl are of different releases" }
      if isJSON {
        print([
          "root": root == .hub ? "hub" : "feature", "path": .string(name), "revision": .integer(found.revision),
          "hash": .string("\(found.here)"), "hubHash": .string("\(found.there)"), "same": .bool(isSame),
        ])
      } else {
        let what = root == .hub ? "the hub's own state" : name.isEmpty ? "the state" : name
        let outcome =
          isSame ? palette.good("same") : palette.bad("DIFFERENT") + ": here \(found.here), at the hub \(found.there)"
        print(["\(what) at revision \(found.revision): \(outcome) \(isSame ? palette.faint("\(found.here)") : "")"])
      }
    }
    if differing > 0 {
      let count = differing == 1 ? "1 of the states" : "\(differing) of the states"
      throw ToolFailure(.diverged, "\(count) differs from the hub's, which is \(reason)")
    }
  }

  /// Subscribes to a part of which the hub can say the hash.
  private func hashedPart(_ name: String, on hub: HubConnection) async throws(ToolFailure) -> HubConnection.Scope? {
    let (root, path) = try await place(name, on: hub)
    guard path.rest.isEmpty else {
      throw ToolFailure(.unknownName, "'\(name)' is within a part that the hub hashes as a whole; verify that one")
    }
    return try await scope(of: path, in: root, on: hub)
  }
}
