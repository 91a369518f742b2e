import FeatureCore
import Wire

// Actions whose result may have to be taken back: because the reducer refuses them, near the limit of the state's size,
// and if the type of the state has values that cannot be read back from their bytes.

extension HubCore {
  /// The outcome of one action whose result was checked.
  enum CheckedOutcome {
    case applied(ActionBatch.Outcome)
    case takenBack(Objection)
  }

  /// The reason to take back what was just applied.
  enum Objection {
    /// The feature refuses it.
    case refused(Refusal)
    /// The state after it could not be read back from its bytes.
    case unreadable(WireError)
    /// The state would be too large.
    case tooLarge(limit: Int)

    /// The reason, for the client that has sent the action.
    var rejection: (code: RejectionCode, reason: String) {
      switch self {
      case .refused(let refusal): (refusal.code, refusal.reason)
      case .unreadable(let error): (.unreadable, HubCore.unreadable(error))
      case .tooLarge(let limit):
        (.stateTooLarge, "the state would exceed the \(limit) bytes that this hub allows; delete something first")
      }
    }

    /// The report of an action of the hub's own.
    var report: HubReport {
      switch self {
      case .refused(let refusal): .refused(reason: refusal.reason)
      case .unreadable(let error): .unreadable(reason: HubCore.unreadable(error))
      case .tooLarge(let limit): .stateTooLarge(limit: limit)
      }
    }
  }

  /// The reason to take back what the engine has applied since a checkpoint; nil to keep it.
  ///
  /// - Parameter isNearLimit: True if it is taken back if it has made the state too large.
  private mutating func objection(isNearLimit: Bool) -> Objection? {
    if let refusal = engine.takeRefusal() { return .refused(refusal) }
    do throws(WireError) { try engine.readBack() } catch { return .unreadable(error) }
    guard isNearLimit, !size.lookClosely(at: engine.currentVersion(), engine.revision) else { return nil }
    return .tooLarge(limit: size.limit)
  }

  /// Applies the next action of a sequence, and takes it back if there is an objection.
  mutating func applyChecked(
    _ payload: RawSpan, from offset: Int, of sender: SendingClient, isNearLimit: Bool
  ) -> CheckedOutcome {
    // The growth by earlier actions is not that of this one.
    if isNearLimit, size.isOutdated { lookAtSize() }
    let checkpoint = engine.checkpoint()
    let outcome = applyBatch(payload, offset, 1, sender)
    switch outcome.end {
    case .refused: break
    default: guard outcome.count > 0 else { return .applied(outcome) }
    }
    mark?.beginExamination()
    guard let objection = objection(isNearLimit: isNearLimit) else { return .applied(outcome) }
    engine.rollBack(to: checkpoint)
    return .takenBack(objection)
  }

  /// Applies an action of the hub's own; false if it was taken back or did not take effect.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - isNearLimit: True if the action is taken back if it makes the state too large.
  ///   - apply: Applies the action; returns false if it has no effect.
  mutating func applyOwn(_ action: AnyAction, isNearLimit: Bool, _ apply: (any Engine) -> Bool) -> Bool {
    let engine = engine
    if isNearLimit, size.isOutdated { lookAtSize() }
    do throws(WireError) { try engine.readBack(action) } catch {
      report(.unreadable(reason: "it could not be read back: \(Self.cause(error))"))
      return false
    }
    guard isNearLimit || checksEach else { return apply(engine) }
    let checkpoint = engine.checkpoint()
    guard apply(engine) else { return false }
    guard let objection = objection(isNearLimit: isNearLimit) else { return true }
    engine.rollBack(to: checkpoint)
    report(objection.report)
    return false
  }

  /// Changes the engine's effects, which may apply actions: the next steps of their sequences. If one of these is
  /// refused, or the state would be unreadable after them, they are not applied.
  mutating func reacting<Result>(_ change: (any Engine) -> Result) -> Result {
    let engine = engine
    let revision = engine.revision
    let checkpoint = checksEach ? engine.checkpoint() : nil
    // Named in the log of the next process. It cannot be skipped: the effect has ended.
    mark?.begin(.nextStep, RawSpan())
    defer { mark?.end() }
    let result = change(engine)
    guard engine.revision != revision else { return result }
    let steps = turns == nil ? nil : engine.takeSteps()
    if let checkpoint, let objection = objection(isNearLimit: false) {
      engine.rollBack(to: checkpoint)
      report(objection.report)
      engine.discardsSentActions = true
      defer { engine.discardsSentActions = false }
      return change(engine)
    }
    noteUnrefusable()
    if let steps, steps.count > 0 { noteSteps(steps.actions, count: steps.count) }
    return result
  }

  /// The reason why an action was taken back, for people.
  fileprivate static func unreadable(_ error: WireError) -> String {
    "the state after it could not be read back: \(cause(error))"
  }

  private static func cause(_ error: WireError) -> String {
    switch error.problem {
    case .tooDeep(let limit): "values would be nested deeper than \(limit)"
    case .repeatedKey, .repeatedID, .doesNotFit:
      "two keys, members or ids would have the same bytes, for example because they differ only in an omitted field"
    default: error.problem.description
    }
  }
}

extension Refusal {
  /// The code with which the action is rejected.
  var code: RejectionCode { isLate ? .late : .refused }
}
