import Foundation
import IdentifiedCollections
import Synchronization
import TestSupport
import Testing
import Wire

@testable import HubCore

/// A change of one element of 1,000,000 costs a view about what it costs with 1,000, except for the depth of the trees.
///
/// The tests count operations, not time: hashes and comparisons of ids, comparisons of elements, calls of the view's
/// functions, and the bytes of the change.
@Suite(.computing, .serialized) struct ElementGrowthTests {
  private static let operations = Atomic(0)

  /// `STOREHUB_GROWTH=print` prints the table of docs/PERFORMANCE.md, for which all views have 1,000,000 elements.
  private static let printsTable = ProcessInfo.processInfo.environment["STOREHUB_GROWTH"] == "print"
  /// The long collection of views whose first value takes long without optimization.
  private static let long = printsTable ? 1_000_000 : 100_000

  private static func note() { operations.add(1, ordering: .relaxed) }

  /// The operations of a function.
  private static func count(_ body: () -> Void) -> Int {
    let before = operations.load(ordering: .relaxed)
    body()
    return operations.load(ordering: .relaxed) - before
  }

  struct RowID: Hashable, Comparable, Replicated {
    let number: Int

    init(_ number: Int) { self.number = number }

    init(from decoder: inout CBORDecoder) throws(WireError) { number = try Int(from: &decoder) }

    func encode(to encoder: inout CBOREncoder) { number.encode(to: &encoder) }

    static func == (lhs: Self, rhs: Self) -> Bool {
      note()
      return lhs.number == rhs.number
    }

    static func < (lhs: Self, rhs: Self) -> Bool {
      note()
      return lhs.number < rhs.number
    }

    func differs(from base: Self) -> Bool { number != base.number }

    func hash(into hasher: inout Hasher) {
      note()
      hasher.combine(number)
    }
  }

  struct Row: Identifiable, Replicated {
    let id: RowID
    var rank: Int

    init(_ number: Int) { (id, rank) = (RowID(number), number) }

    init(_ row: Row, rank: Int) { (id, self.rank) = (row.id, rank) }

    init(from decoder: inout CBORDecoder) throws(WireError) {
      try decoder.tuple(2)
      (id, rank) = (try RowID(from: &decoder), try Int(from: &decoder))
    }

    func encode(to encoder: inout CBOREncoder) {
      encoder.arrayHeader(count: 2)
      id.encode(to: &encoder)
      rank.encode(to: &encoder)
    }

    func differs(from base: Self) -> Bool {
      note()
      return id.number != base.id.number || rank != base.rank
    }
  }

  private struct Table {
    var rows: IdentifiedArrayOf<Row>
    var owners: IdentifiedArrayOf<Row>

    init(_ count: Int) {
      rows = IdentifiedArray(uniqueElements: (0..<count).map(Row.init))
      owners = IdentifiedArray(uniqueElements: (0..<500).map(Row.init))
    }
  }

  /// What the most expensive of some changes costs.
  private struct Cost: CustomStringConvertible {
    var operations = 0
    /// The bytes of the longest change of the view.
    var bytes = 0

    var description: String { "\(operations) operations, \(bytes) bytes" }
  }

  /// The cost of changes of one row each.
  private static func cost<Element>(of elements: Elements<Table, Element>, _ table: Table) -> Cost {
    var (random, table) = (SplitMix(seed: 7), table)
    let next = elements.begin()
    var result = next(table)
    var cost = Cost()
    for step in 0..<24 {
      // Near the start, where the windows are, and anywhere.
      let limit = step % 8 < 4 ? 600 : table.rows.count
      let position = Int.random(in: 300..<limit, using: &random)
      switch step % 4 {
      case 0: table.rows[position].rank = .random(in: 0..<limit / 10, using: &random)
      case 1: table.rows.remove(at: position)
      case 2: table.rows.insert(Row(table.rows.count + 1_000 + step), at: position)
      default: table.rows.insert(table.rows.remove(at: position), at: position / 2)
      }
      var encoder = CBOREncoder()
      let operations = count {
        let new = next(table)
        if new.differs(from: result) { new.encodeDelta(from: result, to: &encoder) }
        result = new
      }
      cost.operations = max(cost.operations, operations)
      cost.bytes = max(cost.bytes, encoder.count)
    }
    return cost
  }

  private static func counted<Value>(_ function: @escaping (Row) -> Value) -> (Row) -> Value {
    {
      note()
      return function($0)
    }
  }

  private struct Measurement {
    let name: String
    /// The number of elements in a long collection. The first value of some views takes long without optimization.
    let long: Int
    let cost: (Table) -> Cost

    init<Element>(_ name: String, _ elements: Elements<Table, Element>, long: Int = 1_000_000) {
      (self.name, self.long, cost) = (name, long, { ElementGrowthTests.cost(of: elements, $0) })
    }
  }

  @Test func aChangeOfOneElementCostsTheSameInAnyNumber() {
    let rows = Elements<Table, Row>(\.rows)
    let isChosen = Self.counted { $0.rank % 100 != 0 }
    let rank = Self.counted(\.rank)
    let joined = rows.joined(with: Elements(\.owners), on: { RowID($0.rank % 1_000) }) { row, _ in row }
    let measurements = [
      Measurement("filter", rows.filter(isChosen)),
      Measurement("map", rows.map(Self.counted(\.self)), long: Self.long),
      Measurement("sorted", rows.sorted(by: rank)),
      Measurement("window", rows.window(400, 50)),
      Measurement("grouped", rows.grouped(by: Self.counted { $0.rank % 500 }), long: Self.long),
      Measurement("joined", joined, long: Self.long),
      Measurement("filter, sorted, window", rows.filter(isChosen).sorted(by: rank).window(0, 50), long: Self.long),
    ]
    let tables = [1_000, 100_000, 1_000_000].reduce(into: [:]) { $0[$1] = Table($1) }
    // What a view costs that is computed anew is counted too.
    #expect(Self.count { _ = tables[100_000]?.rows.filter(isChosen) } >= 100_000)
    for measurement in measurements {
      guard let short = tables[1_000], let long = tables[measurement.long] else { preconditionFailure("no such table") }
      let (few, many) = (measurement.cost(short), measurement.cost(long))
      if Self.printsTable {
        let ratio = Double(many.operations) / Double(few.operations)
        print(
          "| \(measurement.name) | \(few.operations) | \(many.operations) | \((ratio * 100).rounded() / 100) "
            + "| \(few.bytes) | \(many.bytes) |")
      }
      #expect(many.operations <= few.operations * 3 / 2, "\(measurement.name): \(few), \(many)")
      #expect(many.bytes <= few.bytes + 20, "\(measurement.name): \(few), \(many)")
    }
  }

  // MARK: First values

  /// The steps of a turn, and the operations that they may be: a step is some of them.
  private static let (steps, limit) = (4_096, 8 * 4_096)

  /// The operations of the longest piece of a first value.
  ///
  /// - Parameter change: Changes the table after some pieces.
  private static func longestPiece<Element>(
    of elements: Elements<Table, Element>, _ table: Table, _ change: (inout Table) -> Void = { _ in }
  ) -> Int {
    var (table, longest, pieces, isComplete) = (table, 0, 0, false)
    let next = elements.follow()
    while !isComplete {
      if pieces == 2 { change(&table) }
      var budget = WorkBudget(steps: steps)
      longest = max(longest, count { isComplete = next(table, &budget) != nil })
      pieces += 1
    }
    #expect(pieces > 2)
    return longest
  }

  /// Indices and groups grow in steps too, whether many of them grow at the same time or one becomes large.
  @Test(arguments: [1, 500, 50_000])
  func noPieceOfAFirstValueIsLong(_ groupCount: Int) {
    let (table, rows) = (Table(50_000), Elements<Table, Row>(\.rows))
    let group = Self.counted { RowID($0.rank % groupCount) }
    let joined = rows.joined(with: Elements(\.owners), on: group) { row, _ in row }
    #expect(Self.longestPiece(of: joined, table) < Self.limit)
    #expect(Self.longestPiece(of: rows.grouped(by: group), table) < Self.limit)
    if groupCount > 1 { return }
    #expect(Self.longestPiece(of: rows.filter(Self.counted { $0.rank % 2 == 0 }), table) < Self.limit)
    #expect(Self.longestPiece(of: rows.sorted(by: group), table) < Self.limit)
  }

  /// Changes during the computation of a first value are applied in pieces: those of many elements, and that of an
  /// element to which all others refer.
  @Test func noPieceOfChangesMeanwhileIsLong() {
    let (table, rows) = (Table(50_000), Elements<Table, Row>(\.rows))
    let joined = rows.joined(with: Elements(\.owners), on: Self.counted { RowID($0.rank % 2) }) { row, owner in
      Row(row, rank: owner?.rank ?? 0)
    }
    let changed = Self.longestPiece(of: joined, table) { table in
      for position in 0..<3_000 { table.rows[position].rank += 1 }
    }
    #expect(changed < Self.limit)
    #expect(Self.longestPiece(of: joined, table) { $0.owners[0].rank += 1 } < Self.limit)
  }
}
