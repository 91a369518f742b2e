import IdentifiedCollections
import Wire

@Replicated
private struct Book: Identifiable {
  let id: Int
  var title: String
  var count = 0
  var isDone = false
}

@MainActor
func measureStateHashes(_ bench: Bench) {
  bench.section("the hash of a state of identified elements")
  for size in [1000, 1_000_000] { measure(bench, size) }
  bench.ratio(
    "1,000,000 to 1,000 elements", "hash after one change in 1000000", to: "hash after one change in 1000", goal: "≤ 2")
  bench.ratio(
    "the same, a kept version beside it", "hash after one change in 1000000, version kept",
    to: "hash after one change in 1000, version kept", goal: "≤ 2")
}

@MainActor
private func measure(_ bench: Bench, _ size: Int) {
  func rows() -> IdentifiedArray<Int, Book> {
    IdentifiedArray(uniqueElements: (0..<size).map { Book(id: $0, title: "row number \($0)") })
  }
  bench.measureOnce("first hash of \(size), each element", step: size, of: rows) { keep($0.stateHash()) }
  var array = rows()
  bench.measure("bytes of \(size), each element", step: size) { for _ in 0..<$0 / size { keep(array.encoded()) } }
  bench.measure("one change in \(size)") { for n in 0..<$0 { array[n &* 7919 % size].count += 1 } }
  bench.measure("hash after one change in \(size)") {
    for n in 0..<$0 {
      array[n &* 7919 % size].count += 1
      keep(array.stateHash())
    }
  }
  bench.measure("hash after one change in \(size), version kept") {
    for n in 0..<$0 {
      let kept = array
      array[n &* 7919 % size].count += 1
      keep(array.stateHash())
      keep(kept.count)
    }
  }
  bench.measure("hash after no change in \(size)") { for _ in 0..<$0 { keep(array.stateHash()) } }
}
