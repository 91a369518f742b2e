import ComposableArchitecture
import Foundation
import IdentifiedCollections
import TestSupport
import Testing
import Wire

/// Compares the hashes in `Tests/Golden/hashes.txt`, which serve implementations in other languages.
@Suite struct GoldenHashTests {
  private struct Golden {
    var text = """
      # Hashes of states, with the bytes of the state and those of its summary
      #
      # Every section begins with the schema of the values' type, which is the schema's state (PROTOCOL.md, 11).
      # Written by STOREHUB_GOLDEN=write swift test --filter GoldenHashTests; docs/PROTOCOL.md, "State hash", explains it.

      """

    mutating func section<Value: WireValue>(_ type: Value.Type, _ values: [Value]) {
      text += "\n# \(type)\n\n@ schema\n"
      line("schema", Schema(state: type, action: Bool.self).encoded(), notation: true)
      for value in values {
        text += "\n@ hash\n"
        line("value", value.encoded())
        line("summary", value.summary(), notation: true)
        text += "  hash: \(value.stateHash())\n"
      }
    }

    private mutating func line(_ name: String, _ bytes: [UInt8], notation: Bool = false) {
      text += "  \(name): \(bytes.hexadecimal)\n"
      if notation, let value = try? CBORValue(decoding: bytes.span.bytes) { text += "  notation: \(value)\n" }
    }
  }

  @Test func hashes() throws {
    var golden = Golden()
    golden.section(Bool.self, [true])
    golden.section(
      String.self, ["", String(repeating: "more than 16 bytes, ", count: 2), String(repeating: "x", count: 1000)])
    let items = IdentifiedArrayOf<Item>(uniqueElements: (0..<3).map { Item(id: $0) })
    var turned = items
    turned.reverse()
    golden.section(IdentifiedArrayOf<Item>.self, [[], [Item(id: 0)], items, turned])
    golden.section([String: [Shelf]?].self, [["a": nil, "b": [], "c": [Shelf(id: 1), Shelf(id: 2, books: items)]]])
    golden.section(Set<IdentifiedArrayOf<Item>>.self, [[items, []]])
    golden.section(
      Library.self,
      [
        Library(),
        Library(name: "a", shelves: [Shelf(id: 1, books: items), Shelf(id: 2, books: turned)], boxes: [Shelf(id: 3)]),
      ])
    var parent = Parent.State(title: "a")
    parent.destination = .child(Child.State(id: 7))
    parent.path.append(Child.State(id: 1))
    parent.path.append(Child.State(id: 2))
    parent.rows = [Child.State(id: 1), Child.State(id: 2)]
    golden.section(Parent.State.self, [parent])
    try check(golden.text)
  }

  private func check(_ text: String) throws {
    let file = RepositoryFiles.url("Tests/Golden/hashes.txt")
    if ProcessInfo.processInfo.environment["STOREHUB_GOLDEN"] == "write" {
      return try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let golden = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let lines = text.components(separatedBy: "\n")
    let difference = zip(golden, lines).enumerated().first { $1.0 != $1.1 }
    #expect(
      golden.count == lines.count && difference == nil,
      """
      hashes.txt is not what this code writes, from line \(difference.map { $0.offset + 1 } ?? 0) on. A change here breaks \
      clients. If it is meant, run with STOREHUB_GOLDEN=write and change docs/PROTOCOL.md.
      """)
  }
}
