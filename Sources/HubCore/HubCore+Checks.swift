import Wire

// Actions whose result may have to be taken back: near the limit of the state's size, and if the type of the state has
// values that cannot be read back from their bytes.

extension HubCore {
  /// The outcome of one action whose result was checked.
  enum CheckedOutcome {
    case applied(ActionBatch.Outcome)
    case takenBack(RejectionCode, reason: String)
  }

  /// Applies the next action of a sequence, and takes it back if the state would be too large or unreadable.
  mutating func applyChecked(_ payload: RawSpan, from offset: Int, isNearLimit: Bool) -> CheckedOutcome {
    // The growth by earlier actions is not that of this one.
    if isNearLimit, size.isOutdated { lookAtSize() }
    let checkpoint = engine.checkpoint()
    let outcome = applyBatch(payload, offset, 1)
    guard outcome.count > 0 else { return .applied(outcome) }
    mark?.beginExamination()
    do throws(WireError) { try engine.readBack() } catch {
      engine.rollBack(to: checkpoint)
      return .takenBack(.unreadable, reason: Self.unreadable(error))
    }
    if isNearLimit, !size.lookClosely(at: engine.currentVersion(), engine.revision) {
      engine.rollBack(to: checkpoint)
      let reason = "the state would exceed the \(size.limit) bytes that this hub allows; delete something first"
      return .takenBack(.stateTooLarge, reason: reason)
    }
    return .applied(outcome)
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
    guard isNearLimit || readsBack else { return apply(engine) }
    let checkpoint = engine.checkpoint()
    guard apply(engine) else { return false }
    do throws(WireError) { try engine.readBack() } catch {
      engine.rollBack(to: checkpoint)
      report(.unreadable(reason: Self.unreadable(error)))
      return false
    }
    if isNearLimit, !size.lookClosely(at: engine.currentVersion(), engine.revision) {
      engine.rollBack(to: checkpoint)
      report(.stateTooLarge(limit: size.limit))
      return false
    }
    return true
  }

  /// Changes the engine's effects, which may apply actions: the next steps of their sequences. If the state would be
  /// unreadable after these, they are not applied.
  mutating func reacting<Result>(_ change: (any Engine) -> Result) -> Result {
    let engine = engine
    let revision = engine.revision
    let checkpoint = readsBack ? engine.checkpoint() : nil
    // Named in the log of the next process. It cannot be skipped: the effect has ended.
    mark?.begin(.nextStep, RawSpan())
    defer { mark?.end() }
    let result = change(engine)
    guard engine.revision != revision else { return result }
    if let checkpoint {
      do throws(WireError) { try engine.readBack() } catch {
        engine.rollBack(to: checkpoint)
        report(.unreadable(reason: Self.unreadable(error)))
        engine.discardsSentActions = true
        defer { engine.discardsSentActions = false }
        return change(engine)
      }
    }
    noteUnrefusable()
    return result
  }

  /// The reason why an action was taken back, for people.
  private static func unreadable(_ error: WireError) -> String {
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
