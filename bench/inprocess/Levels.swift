import ComposableCore

// A feature in a feature, ten times: written out, as features are, since generic ones would be slower.

@Reducer
struct Level1 {
  struct State: Sendable { var taps = 0, child = Counter.State() }
  enum Action: Sendable { case child(Counter.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Counter() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level2 {
  struct State: Sendable { var taps = 0, child = Level1.State() }
  enum Action: Sendable { case child(Level1.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level1() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level3 {
  struct State: Sendable { var taps = 0, child = Level2.State() }
  enum Action: Sendable { case child(Level2.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level2() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level4 {
  struct State: Sendable { var taps = 0, child = Level3.State() }
  enum Action: Sendable { case child(Level3.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level3() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level5 {
  struct State: Sendable { var taps = 0, child = Level4.State() }
  enum Action: Sendable { case child(Level4.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level4() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level6 {
  struct State: Sendable { var taps = 0, child = Level5.State() }
  enum Action: Sendable { case child(Level5.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level5() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level7 {
  struct State: Sendable { var taps = 0, child = Level6.State() }
  enum Action: Sendable { case child(Level6.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level6() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level8 {
  struct State: Sendable { var taps = 0, child = Level7.State() }
  enum Action: Sendable { case child(Level7.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level7() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level9 {
  struct State: Sendable { var taps = 0, child = Level8.State() }
  enum Action: Sendable { case child(Level8.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level8() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}

@Reducer
struct Level10 {
  struct State: Sendable { var taps = 0, child = Level9.State() }
  enum Action: Sendable { case child(Level9.Action), tapped }
  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Level9() }
    Reduce { state, action in
      if case .tapped = action { state.taps += 1 }
      return .none
    }
  }
}
