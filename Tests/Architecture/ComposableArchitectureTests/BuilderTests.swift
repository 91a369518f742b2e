import ComposableArchitecture
import Testing

/// A reducer that records that it has run.
private func note(_ text: String) -> Reduce<[String], Int> {
  Reduce { state, action in
    state.append("\(text)\(action)")
    return .none
  }
}

@MainActor @Suite struct BuilderTests {
  private struct Branches: Reducer {
    typealias State = [String]
    typealias Action = Int
    var isFirst = true
    var extra: Int?
    var repetitions = 0

    var body: some Reducer<[String], Int> {
      if isFirst {
        note("if")
      } else if extra == nil {
        note("else if")
      } else {
        note("else")
      }
      if let extra {
        note("extra \(extra) of ")
      }
      switch repetitions {
      case 0: note("zero")
      case 1: note("one")
      default: EmptyReducer()
      }
      for index in 0..<repetitions {
        note("loop \(index) of ")
      }
      if #available(macOS 99, *) {
        note("available")
      }
      let last = "last"
      note(last)
    }
  }

  private func log(of reducer: some Reducer<[String], Int>, _ action: Int = 1) -> [String] {
    let store = Store(initialState: [String]()) { reducer }
    store.send(action)
    return store.state
  }

  @Test func controlFlowDecidesWhichReducersThereAre() {
    #expect(log(of: Branches()) == ["if1", "zero1", "available1", "last1"])
    #expect(log(of: Branches(isFirst: false)) == ["else if1", "zero1", "available1", "last1"])
    #expect(
      log(of: Branches(isFirst: false, extra: 7, repetitions: 1)) == [
        "else1", "extra 7 of 1", "one1", "loop 0 of 1", "available1", "last1",
      ])
    #expect(
      log(of: Branches(repetitions: 2)) == ["if1", "loop 0 of 1", "loop 1 of 1", "available1", "last1"])
  }

  @Test func theSameWithoutAStore() {
    var state: [String] = []
    _ = Branches(extra: 3, repetitions: 2).reduce(into: &state, action: 5)
    #expect(state == ["if5", "extra 3 of 5", "loop 0 of 5", "loop 1 of 5", "available5", "last5"])
  }

  @Test func anEmptyBodyDoesNothing() {
    struct Nothing: Reducer {
      var body: some Reducer<[String], Int> {}
    }
    #expect(log(of: Nothing()) == [])
    #expect(log(of: EmptyReducer()) == [])
  }

  @Test func combinedReducersCanBeModifiedAsOne() {
    struct Combined: Reducer {
      var body: some Reducer<[String], Int> {
        CombineReducers {
          note("a")
          note("b")
        }
        .onChange(of: \.count) { old, new in note("\(old)→\(new) by ") }
      }
    }
    #expect(log(of: Combined()) == ["a1", "b1", "0→2 by 1"])
  }

  @Test func aReducerCanHideItsType() {
    let erased: Reduce<[String], Int> = Reduce(Branches())
    #expect(log(of: erased) == ["if1", "zero1", "available1", "last1"])
  }

  @Test func aReducerMayImplementReduceItself() {
    struct ByHand: Reducer {
      func reduce(into state: inout [String], action: Int) -> Effect<Int> {
        state.append("\(action)")
        return action > 0 ? .send(action - 1) : .none
      }
    }
    #expect(log(of: ByHand(), 2) == ["2", "1", "0"])
  }

  @Test func effectsOfAllReducersAreMergedInOrder() {
    struct Sending: Reducer {
      var body: some Reducer<[String], Int> {
        note("")
        for value in [10, 20] {
          Reduce { _, action in action == 1 ? .send(value) : .none }
        }
        Reduce { _, action in action == 1 ? .send(30) : .none }
      }
    }
    #expect(log(of: Sending()) == ["1", "10", "20", "30"])
  }

  @Test func aReducerOfALongBodyRunsAllOfIt() {
    struct Long: Reducer {
      var body: some Reducer<[String], Int> {
        note("a")
        note("b")
        note("c")
        note("d")
        note("e")
        note("f")
        note("g")
        note("h")
        note("i")
        note("j")
        note("k")
        note("l")
      }
    }
    #expect(log(of: Long()).joined() == "a1b1c1d1e1f1g1h1i1j1k1l1")
  }

  @Test func aGenericReducerTakesAnotherOne() {
    struct Counted<Base: Reducer>: Reducer where Base.State == [String], Base.Action == Int {
      let base: Base
      var body: some Reducer<[String], Int> {
        base
        note("counted ")
      }
    }
    #expect(log(of: Counted(base: note("base "))) == ["base 1", "counted 1"])
  }
}
