import ComposableCore

@ObservableState
struct ObservedFields: Sendable {
  var count = 0
  var name = "Blob"
  var items = Array(0..<100)
}

struct PlainFields: Sendable {
  var count = 0
  var name = "Blob"
  var items = Array(0..<100)
}

/// A state behind a reference, so that the optimizer leaves its changes where they are.
private final class Box<State> {
  var state: State

  init(_ state: State) { self.state = state }
}

@MainActor
func measureStates(_ bench: Bench) {
  bench.section("changing a field outside a store")
  let (plain, observed) = (Box(PlainFields()), Box(ObservedFields()))
  bench.measure("plain struct, count") {
    for _ in 0..<$0 {
      plain.state.count += 1
      keep(plain)
    }
  }
  bench.measure("@ObservableState, count") {
    for _ in 0..<$0 {
      observed.state.count += 1
      keep(observed)
    }
  }
  bench.measure("plain struct, item") {
    for index in 0..<$0 {
      plain.state.items[index % 100] += 1
      keep(plain)
    }
  }
  bench.measure("@ObservableState, item") {
    for index in 0..<$0 {
      observed.state.items[index % 100] += 1
      keep(observed)
    }
  }
}
