import ComposableArchitecture
import Foundation
import IdentifiedCollections
import TestSupport
import Testing
import Wire

/// Compares the deltas in `Tests/Golden/deltas.txt` and the changes in `changes.txt`, which serve implementations in other
/// languages.
@Suite struct GoldenDeltaTests {
  private struct Golden {
    enum Form: String {
      case delta, change
    }

    let form: Form
    private(set) var text: String

    init(_ form: Form, section: String) {
      self.form = form
      text = """
        # \(form == .delta ? "Deltas" : "Changes that merge,") of every kind of container, each with the value before and \
        the value after
        #
        # Every section begins with the schema of the values' type, which is the schema's state (PROTOCOL.md, 11).
        # Written by STOREHUB_GOLDEN=write swift test --filter GoldenDeltaTests; docs/PROTOCOL.md, \(section), explains it.

        """
    }

    mutating func section<Value: Replicated>(_ type: Value.Type, _ steps: [Value]) throws {
      text += "\n# \(type)\n\n@ schema\n"
      line("schema", Schema(state: type, action: Bool.self).encoded(), notation: true)
      for (old, new) in zip(steps, steps.dropFirst()) {
        let bytes = form == .delta ? new.delta(from: old) : new.change(from: old)
        #expect(try (form == .delta ? old.applying(bytes) : old.merging(bytes)).encoded() == new.encoded())
        text += "\n@ \(form.rawValue)\n"
        line("old", old.encoded())
        line("new", new.encoded())
        line(form.rawValue, bytes, notation: true)
      }
    }

    private mutating func line(_ name: String, _ bytes: [UInt8], notation: Bool = false) {
      text += "  \(name): \(bytes.hexadecimal)\n"
      if notation, let value = try? CBORValue(decoding: bytes.span.bytes) { text += "  notation: \(value)\n" }
    }
  }

  @Test func deltas() throws {
    var golden = Golden(.delta, section: "10")
    try golden.section(Item.self, [Item(id: 1), Item(id: 1, title: "a"), Item(id: 2, title: "a", isDone: true)])
    try golden.section(Item?.self, [nil, Item(id: 1), Item(id: 1, title: "a"), nil])
    try golden.section(Int??.self, [nil, .some(nil), 3, 4])
    try golden.section(
      Position.self,
      [.nowhere, .at(x: 1, y: 2), .at(x: 1, y: 3), .inside(Item(id: 1)), .inside(Item(id: 1, title: "a"))])
    try golden.section(Tree.self, [.leaf(0), .node(.leaf(1), .leaf(2)), .node(.leaf(1), .leaf(3))])
    try golden.section(
      Result<Item, Refusal>.self, [.failure(.never), .success(Item(id: 1)), .success(Item(id: 1, title: "a"))])
    let numbers = Array(0..<12)
    try golden.section(
      [Int].self,
      [numbers, numbers + [7], [9] + numbers, Array(numbers.dropFirst(2)), [1, 2], [], [5, 1, 2, 8], [5, 6, 7, 8]])
    try golden.section(Set<Int>.self, [Set(0..<9), Set(1..<10), Set(1..<9), [1]])
    let names = Dictionary(uniqueKeysWithValues: (0..<9).map { ("\($0)", Item(id: $0)) })
    var changed = names
    changed["3"]?.title = "c"
    changed["4"] = nil
    changed["ten"] = Item(id: 10)
    try golden.section([String: Item].self, [names, changed, ["a": Item(id: 1)], [:]])
    let items = IdentifiedArrayOf<Item>(uniqueElements: (0..<12).map { Item(id: $0) })
    var rows = items
    rows[id: 8]?.title = "a"
    rows.remove(id: 5)
    rows.move(fromOffsets: [7], toOffset: 2)
    rows.insert(Item(id: 99), at: 4)
    try golden.section(IdentifiedArrayOf<Item>.self, [items, rows, rows, [Item(id: 1)], []])
    try golden.section(Parent.State.self, parents())
    var shaper = Shaper(seed: 11)
    var worlds = [shaper.world()]
    for _ in 0..<12 { worlds.append(shaper.changed(worlds[worlds.count - 1])) }
    try golden.section(World.self, worlds)
    try check(golden.text, "deltas.txt")
  }

  @Test func changes() throws {
    var golden = Golden(.change, section: "10.3")
    try golden.section(Int.self, [1, 2])
    try golden.section(Item.self, [Item(id: 1), Item(id: 1, title: "a"), Item(id: 1, title: "a", tags: ["b"])])
    try golden.section(Item?.self, [nil, Item(id: 1), Item(id: 1, title: "a"), nil])
    try golden.section(
      Position.self,
      [.nowhere, .at(x: 1, y: 2), .at(x: 1, y: 3), .inside(Item(id: 1)), .inside(Item(id: 1, title: "a"))])
    try golden.section(
      Result<Item, Refusal>.self, [.failure(.never), .success(Item(id: 1)), .success(Item(id: 1, title: "a"))])
    try golden.section([Int].self, [[1], [1, 2, 3], [1, 2], [0, 1, 2], []])
    try golden.section(Set<Int>.self, [[1, 2, 3], [2, 3, 4], [], [1]])
    try golden.section([String: Int].self, [["a": 1, "b": 2], ["b": 3, "c": 4], [:]])
    try golden.section(SharedCounter.self, [1, 4, -2])
    try golden.section([String: SharedCounter].self, [["a": 1], ["a": 4, "b": 1]])
    let items = IdentifiedArrayOf<Item>(uniqueElements: (0..<6).map { Item(id: $0) })
    var rows = items
    rows[id: 4]?.title = "a"
    rows.remove(id: 5)
    rows.move(fromOffsets: [3], toOffset: 0)
    rows.insert(Item(id: 98), at: 3)
    rows.insert(Item(id: 99), at: 4)
    rows.append(Item(id: 100))
    try golden.section(IdentifiedArrayOf<Item>.self, [items, rows, [], [Item(id: 1)], [Item(id: 2), Item(id: 1)]])
    try golden.section(Parent.State.self, parents())
    try check(golden.text, "changes.txt")
  }

  private func parents() -> [Parent.State] {
    var states = [Parent.State(title: "a")]
    func next(_ change: (inout Parent.State) -> Void) {
      states.append(states[states.count - 1])
      change(&states[states.count - 1])
    }
    next { $0.destination = .child(Child.State(id: 7)) }
    next { $0.destination = .child(Child.State(id: 7, name: "child")) }
    next { $0.path.append(Child.State(id: 1)) }
    next { $0.path.append(Child.State(id: 2)) }
    next { $0.path.append(Child.State(id: 3)) }
    next { $0.path[0].name = "first" }
    next { _ = $0.path.popLast() }
    next { $0.rows = [Child.State(id: 1), Child.State(id: 2)] }
    next { $0.rows[id: 2]?.clicks = 3 }
    next { $0.destination = nil }
    return states
  }

  private func check(_ text: String, _ name: String) throws {
    let file = RepositoryFiles.url("Tests/Golden/\(name)")
    if ProcessInfo.processInfo.environment["STOREHUB_GOLDEN"] == "write" {
      return try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let golden = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let lines = text.components(separatedBy: "\n")
    let difference = zip(golden, lines).enumerated().first { $1.0 != $1.1 }
    #expect(
      golden.count == lines.count && difference == nil,
      """
      \(name) is not what this code writes, from line \(difference.map { $0.offset + 1 } ?? 0) on. A change here breaks \
      clients. If it is meant, run with STOREHUB_GOLDEN=write and change docs/PROTOCOL.md.
      """)
  }
}
