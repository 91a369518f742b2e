import ComposableCore
import HubCore
import IdentifiedCollections
import Wire

@Replicated
private struct Line: Identifiable, Sendable {
  let id: Int
  var title: String
  var count = 0
}

/// Ten counters to follow, and a table of any size.
@Replicated
private struct Sheet: Sendable {
  var a = 0
  var b = 0
  var c = 0
  var d = 0
  var e = 0
  var f = 0
  var g = 0
  var h = 0
  var i = 0
  var j = 0
  var rows: IdentifiedArrayOf<Line> = []

  init(rowCount: Int) {
    rows = IdentifiedArray(uniqueElements: (0..<rowCount).map { Line(id: $0, title: "row number \($0)") })
  }
}

@Replicated
private enum SheetAction: Sendable {
  case addToAll
  case countRow(Int)
}

private func reduce(_ state: inout Sheet, _ action: SheetAction) -> Effect<SheetAction> {
  switch action {
  case .addToAll:
    state.a += 1
    state.b += 1
    state.c += 1
    state.d += 1
    state.e += 1
    state.f += 1
    state.g += 1
    state.h += 1
    state.i += 1
    state.j += 1
  case .countRow(let id): state.rows[id: id]?.count += 1
  }
  return .none
}

extension Sockets {
  fileprivate static func ofSheet(rowCount: Int) -> Sockets {
    Sockets(FeatureEngine(initialState: Sheet(rowCount: rowCount), reducer: Reduce(reduce)))
  }
}

@MainActor
func measureReplication(_ bench: Bench) {
  bench.section("deltas of a state of identified elements")
  for size in [1000, 1_000_000] { measureDelta(bench, size) }
  bench.ratio(
    "1,000,000 to 1,000 elements", "change, delta of 1 in 1000000", to: "change, delta of 1 in 1000", goal: "≤ 2")
  measureScopes(bench)
  measureSnapshot(bench)
}

@MainActor
private func measureDelta(_ bench: Bench, _ size: Int) {
  var sheet = Sheet(rowCount: size)
  var encoder = CBOREncoder()
  var published = sheet
  bench.measure("change, delta of 1 in \(size)") {
    for n in 0..<$0 {
      sheet.rows[n &* 7919 % size].count += 1
      encoder.removeAll()
      sheet.encodeDelta(from: published, to: &encoder)
      published = sheet
    }
  }
  bench.note("bytes of that delta, in \(size)", "\(encoder.count), goal ≤ 40")
}

/// Ten scopes, each of which changes in every turn, and more or fewer who follow them.
///
/// The mean of a second and not the least of many batches: what many followers are told comes once in a while.
@MainActor
private func measureScopes(_ bench: Bench) {
  guard bench.isWanted("clients in 10 scopes") else { return }
  bench.section("turns of 64 actions, the mean of each action; sockets not included")
  var means: [Double] = []
  for clients in [0, 10, 100, 1000] {
    let sockets = Sockets.ofSheet(rowCount: 0)
    for client in 0..<clients { sockets.follow([.key(UInt64(client % 10))]) }
    sockets.end()
    let clock = ContinuousClock()
    let began = clock.now
    var turns = 0
    while clock.now - began < .seconds(1) {
      for _ in 0..<10 { sockets.turn(64, SheetAction.addToAll) }
      turns += 10
    }
    means.append((clock.now - began) / .nanoseconds(1) / Double(turns * 64))
    bench.note("\(clients) clients in 10 scopes", "\(Int(means[means.count - 1])) ns")
  }
  bench.note("1,000 clients to 10 clients in 10 scopes", "\(Int(100 * means[3] / means[1])) %, goal < 200 %")
}

/// The longest time for which the hub does nothing else while a large state goes out to one who has come late.
@MainActor
private func measureSnapshot(_ bench: Bench) {
  guard bench.isWanted("snapshot of 1000000") else { return }
  bench.section("a snapshot of 1,000,000 elements while others act")
  let sockets = Sockets.ofSheet(rowCount: 1_000_000)
  sockets.turn(1, SheetAction.addToAll)
  let clock = ContinuousClock()
  var (longest, turns) = (Duration.zero, 0)
  let start = clock.now
  let before = sockets.written
  sockets.follow([])
  repeat {
    let began = clock.now
    sockets.turn(1, SheetAction.countRow(turns))
    longest = max(longest, clock.now - began)
    turns += 1
  } while sockets.hasMoreToWrite
  let whole = clock.now - start
  bench.note("snapshot of 1000000, bytes", "\(sockets.written - before)")
  bench.note("snapshot of 1000000, turns with an action each that is acknowledged", "\(turns)")
  bench.note("snapshot of 1000000, all of it", "\(whole / .milliseconds(1)) ms")
  bench.note("snapshot of 1000000, the longest turn", "\(longest / .microseconds(1)) µs, goal ≤ 5000")
}
