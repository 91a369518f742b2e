import FeatureCore
import Features
import IdentifiedCollections
import Testing
import Wire

@testable import LoadTest

/// Lost, duplicated and wrong actions are detected.
@Suite struct VerificationTests {
  private static let scenario = """
    [action increment]
    send = counter.incrementButtonTapped
    counts = counter.count 1
    [action edit]
    send = todos.todos[{id}].textChanged "{run} {n}"
    ids = todos.todos
    sets = todos.todos[{id}].text "{run} {n}"
    [action add]
    send = todos.addButtonTapped "new {run} {n}"
    counts = todos.todos 1
    creates = todos.todos text "new {run} {n}"
    [action delete]
    send = todos.deleteButtonTapped {id}
    ids = todos.todos
    counts = todos.todos -1
    removes = yes
    """

  /// Applies 40 actions of each of two connections to a state, as a hub would, and verifies the state after a fault.
  private func verify(
    others: UInt64 = 0, acknowledged: Int = 40, isAlone: Bool = false, limit: Int = .max,
    fault: (inout AppFeature.State) -> Void = { _ in }
  ) throws -> Verification {
    let before = Hub.state(todos: 60, count: 7)
    let plan = try Hub.plan(Self.scenario, connections: 2)
    let source = try ActionSource(plan, schema: Hub.schema, state: before.encoded(), run: "RUN")
    var state = before
    for index in 0..<40 {
      for connection in 0..<2 {
        var encoder = CBOREncoder()
        _ = source.encode(index..<index + 1, of: connection, limit: .max, to: &encoder)
        let bytes = encoder.bytes
        reduce(&state, try AppFeature.Action(decoding: bytes.span.bytes))
      }
    }
    fault(&state)
    var verification = Verification(
      source: source, reader: StateReader(schema: Hub.schema),
      before: .init(bytes: before.encoded(), revision: 100),
      after: .init(bytes: state.encoded(), revision: 180 + others),
      answered: [0: 40, 1: acknowledged], refused: [:], isAlone: isAlone, limit: limit)
    try verification.run(named: [:])
    return verification
  }

  private func reduce(_ state: inout AppFeature.State, _ action: AppFeature.Action) {
    switch action {
    case .counter: state.counter.count += 1
    case .todos(.addButtonTapped(let text)):
      state.todos.todos.append(Todo.State(id: state.todos.nextID, text: text))
      state.todos.nextID += 1
    case .todos(.deleteButtonTapped(let id)): state.todos.todos.remove(id: id)
    case .todos(.todos(.element(id: let id, action: .textChanged(let text)))): state.todos.todos[id: id]?.text = text
    default: break
    }
  }

  @Test func aRightStateIsVerified() throws {
    let checks = try verify().checks.joined(separator: "\n")
    #expect(checks.contains("80 actions acknowledged") && !checks.contains("others"))
    #expect(checks.contains("20 created elements exist exactly once"))
    #expect(checks.contains("20 removed elements are gone"))
    #expect(checks.contains("20 parts of elements have the value of the last action for them"))
  }

  /// Elements beyond the limit are not checked, but all actions are counted.
  @Test func aRunBeyondTheLimitIsVerified() throws {
    let checks = try verify(limit: 16).checks.joined(separator: "\n")
    #expect(checks.contains("80 actions acknowledged") && checks.contains("8 created elements exist exactly once"))
    #expect(throws: LoadError.self) { try verify(limit: 16) { $0.counter.count -= 1 } }
  }

  @Test func aLostActionIsFound() {
    #expect(throws: LoadError.self) { try verify { $0.counter.count -= 1 } }
    #expect(throws: LoadError.self) { try verify { $0.todos.todos.removeLast() } }
    // One more acknowledgement than the revision counts.
    #expect(throws: LoadError.self) { try verify(acknowledged: 41) }
  }

  @Test func anActionThatTookEffectTwiceIsFound() {
    #expect(throws: LoadError.self) { try verify { $0.counter.count += 1 } }
    // Also while other clients act.
    let error = #expect(throws: LoadError.self) {
      try verify(others: 5) { state in
        guard let last = state.todos.todos.last else { return }
        state.todos.todos.append(Todo.State(id: 9999, text: last.text))
      }
    }
    #expect(error?.description.contains("more than once") == true)
  }

  /// It looks like one of another client, unless there is none.
  @Test func anActionThatTookEffectTwiceAndWasCountedTwiceIsFoundIfNobodyElseActs() throws {
    let fault: (inout AppFeature.State) -> Void = { $0.counter.count += 1 }
    let checks = try verify(others: 1, fault: fault).checks.joined(separator: "\n")
    #expect(checks.contains("by these and 1 more") && !checks.contains("counted once"))
    let error = #expect(throws: LoadError.self) { try verify(others: 1, isAlone: true, fault: fault) }
    #expect(error?.exitStatus == 8 && error?.description.contains("grew by 1 more") == true)
    #expect(try verify(isAlone: true).checks[0].contains("counted once"))
  }

  @Test func aWrongPartIsFound() {
    let fault: (inout AppFeature.State) -> Void = { state in
      guard let index = state.todos.todos.indices.first(where: { state.todos.todos[$0].text.hasPrefix("RUN") }) else {
        return
      }
      state.todos.todos[id: state.todos.todos[index].id]?.text = "another"
    }
    #expect(throws: LoadError.self) { try verify(fault: fault) }
    #expect(throws: Never.self) { try verify(others: 1, fault: fault) }
  }

  private func subscribers(
    deltas: Int, mirrors: Int = 0, behind: Int = 0, others: UInt64 = 0, isChangedByAll: Bool = true
  ) throws -> Verification {
    var verification = try verify(others: others)
    var figures = ThreadFigures()
    (figures.totals.deltas, figures.totals.mirrors, figures.totals.behind) = (deltas, mirrors, behind)
    figures.totals.hashes = mirrors
    figures.lastRevision = 180
    try verification.verifySubscribers(figures, of: 3, isChangedByAll: isChangedByAll)
    return verification
  }

  /// A subscriber without a copy and without changes proves nothing.
  @Test func onlyWhatSubscribersReceivedIsVerified() throws {
    #expect(try subscribers(deltas: 5).checks.contains("the other 3 subscribers reached revision 180"))
    #expect(try subscribers(deltas: 5, mirrors: 3).unchecked.isEmpty)
    let none = try subscribers(deltas: 0, isChangedByAll: false)
    #expect(!none.checks.contains { $0.contains("subscriber") } && none.unchecked.count == 2)
    let error = #expect(throws: LoadError.self) { try subscribers(deltas: 5, mirrors: 1, behind: 2) }
    #expect(error?.exitStatus == 8)
    // The revision may have grown by actions that do not change the part.
    #expect(try subscribers(deltas: 5, behind: 2, others: 1).unchecked.count == 1)
  }

  @Test func sharedElementsAreReportedAsNotVerified() throws {
    let state = Hub.state(todos: 3)
    let text =
      "[action edit]\nsend = todos.todos[{id}].textChanged x\nids = todos.todos\nsets = todos.todos[{id}].text \"x\""
    let source = try ActionSource(
      Hub.plan(text, connections: 5), schema: Hub.schema, state: state.encoded(), run: "RUN")
    let snapshot = ControlSession.Snapshot(bytes: state.encoded(), revision: 5)
    var verification = Verification(
      source: source, reader: StateReader(schema: Hub.schema), before: snapshot, after: snapshot, answered: [:],
      refused: [:])
    try verification.run(named: [:])
    #expect(verification.unchecked.joined().contains("5 connections share 3 elements"))
  }

  @Test func whatOthersDidIsAllowed() throws {
    let verification = try verify(others: 3) { $0.counter.count += 3 }
    #expect(verification.others == 3)
    #expect(throws: LoadError.self) { try verify(others: 3) { $0.counter.count += 4 } }
  }
}
