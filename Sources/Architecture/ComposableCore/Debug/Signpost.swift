public import FeatureCore
internal import Glibc

extension Reducer {
  /// Records actions and effects in a trace, for Perfetto, `chrome://tracing` or Speedscope.
  ///
  /// The trace is written to the file named by the environment variable `STOREHUB_TRACE`, as Chrome trace events: one
  /// JSON object per line, in an array that may lack its closing bracket. Without the variable, nothing is measured.
  ///
  /// - Parameters:
  ///   - prefix: Precedes the names, to distinguish features.
  ///   - log: The trace; by default the file of `STOREHUB_TRACE`.
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
    _compile().function(&state, action)
  }

  public func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let (base, prefix) = (base._compile(), prefix)
    guard let log else { return base }
    return CompiledReducer { state, action in
      let name = "\(prefix)\(DebugLabels.of(action))"
      log.write(.begin, name, category: "Action")
      let effect = base(&state, action)
      log.write(.end, name, category: "Action")
      return effect.traced(as: name, log: log)
    }
  }
}

extension Effect {
  /// The effect, traced from begin to end.
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
    return EffectOperation(
      name: name, priority: priority, place: place, site: site, subscription: subscription
    ) { send in
      let id = log.nextID()
      let name = "Effect of \(action)"
      log.write(.asyncBegin, name, category: "Effect", id: id)
      await run(
        Send { action in
          log.write(.instant, "Output \(DebugLabels.of(action))", category: "Effect", id: id)
          send(action)
        })
      if Task.isCancelled { log.write(.instant, "Cancelled", category: "Effect", id: id) }
      // With the name of the begin event: viewers match the two.
      log.write(.asyncEnd, name, category: "Effect", id: id)
    }
  }
}
