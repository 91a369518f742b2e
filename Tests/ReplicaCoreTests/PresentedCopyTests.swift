import ComposableArchitecture
import HubCore
import TestSupport
import Testing
import Wire

@testable import ReplicaCore

/// A child without an identity is the same one after a changed copy of it was assigned, however it is declared.
@Suite struct PresentedCopyTests {
  @Reducer
  struct Sheet {
    @Replicated
    struct State: Equatable, Sendable { var count = 0 }

    @Replicated
    enum Action: Equatable, Sendable { case set(Int) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .set(let count) = action { state.count = count }
        return .none
      }
    }
  }

  protocol Presenting {
    init()
    var sheet: Sheet.State? { get set }
  }

  @Replicated
  struct Wrapped: Presenting, Equatable, Sendable {
    @PresentationState var sheet: Sheet.State?
  }

  @Replicated @ObservableState
  struct Observed: Presenting, Equatable, Sendable {
    @Presents var sheet: Sheet.State?
  }

  @CasePathable @Replicated
  enum SheetsAction: Equatable, Sendable {
    case show
    case copy
    case sheet(PresentationAction<Sheet.Action>)
  }

  struct Sheets<State: Presenting>: Reducer {
    let presentation: WritableKeyPath<State, PresentationState<Sheet.State>>

    var body: some Reducer<State, SheetsAction> {
      Reduce { state, action in
        switch action {
        case .show: state.sheet = Sheet.State()
        case .copy:
          guard var sheet = state.sheet else { break }
          sheet.count += 1
          state.sheet = sheet
        case .sheet: break
        }
        return .none
      }
      .ifLet(presentation, action: \.sheet) { Sheet() }
    }
  }

  private func checkCopies<State: Presenting & Replicated & Equatable>(
    of presentation: WritableKeyPath<State, PresentationState<Sheet.State>>
  ) throws {
    let engine = FeatureEngine(initialState: State(), reducer: Sheets(presentation: presentation))
    let world = World(seed: 1, clientCount: 2, engine: engine) { _, _ in .copy }
    let (first, second) = (world.clients[0], world.clients[1])
    try world.settle()
    try world.send(.show, from: first)
    try world.settle()
    try world.send(.copy, from: second)
    second.isBlocked = true
    try world.turn()
    world.deliver(second, atMost: .max)
    try world.turn()
    first.isBlocked = true
    try world.send(.sheet(.presented(.set(7))), from: first)
    try world.settle()
    #expect(first.failed.isEmpty && engine.state.sheet?.count == 7)
  }

  @Test func aChangedCopyIsTheSameChild() throws {
    try checkCopies(of: \Wrapped.$sheet)
    try checkCopies(of: \Observed.$sheet)
  }
}
