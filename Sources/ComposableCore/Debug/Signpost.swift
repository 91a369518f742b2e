internal import Glibc
public import Reducers

extension Reducer {
  /// Marks actions and effects in the trace of a run, so that Perfetto, `chrome://tracing` or Speedscope draw them.
  ///
  /// The trace is written to the file that the environment variable `STOREHUB_TRACE` names, as Chrome trace events
  /// (one JSON object a line, in an array that may stay open). Without the variable nothing is measured.
  ///
  /// - Parameters:
  ///   - prefix: Stands before the names, to tell features apart.
  ///   - log: What is traced to; the file of `STOREHUB_TRACE` unless said otherwise.
  public func signpost(_ prefix: String = "", log: TraceLog? = .environment) -> _SignpostReducer<Self> {
    _SignpostReducer(base: self, prefix: prefix.isEmpty ? "" : "[\(prefix)] ", log: log)
  }
}

/// A reducer whose actions and effects are traced.
public struct _SignpostReducer<Base: Reducer>: Reducer {
  let base: Base
  let prefix: String
  let log: TraceLog?

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile()(&state, action)
  }

  public func _compile() -> (inout Base.State, Base.Action) -> Effect<Base.Action> {
    let (base, prefix) = (base._compile(), prefix)
    guard let log else { return base }
    return { state, action in
      let name = "\(prefix)\(DebugLabels.of(action))"
      log.write(.begin, name, category: "Action")
      let effect = base(&state, action)
      log.write(.end, name, category: "Action")
      return effect.traced(as: name, log: log)
    }
  }
}

extension Effect {
  /// The effect, its running traced from begin to end.
  fileprivate func traced(as name: String, log: TraceLog) -> Effect {
    guard let tree else { return self }
    return Effect(tree: tree.wrappingOperations { $0.traced(as: name, log: log) })
  }
}

extension EffectOperation {
  fileprivate func traced(as action: String, log: TraceLog) -> EffectOperation {
    let run = run
    let subscription = subscription?.observed {
      let id = log.nextID()
      let name = "Effect of \(action)"
      log.write(.asyncBegin, name, category: "Effect", id: id)
      return (
        { log.write(.instant, "Output \(DebugLabels.of($0))", category: "Effect", id: id) },
        { isCancelled in
          if isCancelled { log.write(.instant, "Cancelled", category: "Effect", id: id) }
          log.write(.asyncEnd, name, category: "Effect", id: id)
        }
      )
    }
    return EffectOperation(name: name, priority: priority, subscription: subscription) { send in
      let id = log.nextID()
      let name = "Effect of \(action)"
      log.write(.asyncBegin, name, category: "Effect", id: id)
      await run(
        Send { action in
          log.write(.instant, "Output \(DebugLabels.of(action))", category: "Effect", id: id)
          send(action)
        })
      if Task.isCancelled { log.write(.instant, "Cancelled", category: "Effect", id: id) }
      // By the name it began with: viewers match the two.
      log.write(.asyncEnd, name, category: "Effect", id: id)
    }
  }
}
