internal import ConcurrencyExtras
internal import EffectStreams
internal import FeatureCore

extension Effect {
  /// Returns an effect with transformed values.
  public func map<T>(_ transform: @escaping (Output) -> T) -> Effect<T, Failure> {
    switch work {
    case .none: return .none
    case .tree(let tree):
      let transform = UncheckedSendable(transform)
      let mapped = FeatureCore.Effect(tree: tree).map { transform.value($0) }
      return Effect<T, Failure>(mapped.tree.map(Effect<T, Failure>.Work.tree) ?? .none)
    case .stream(let stream): return Effect<T, Failure>(.stream(stream.map(transform)))
    }
  }

  /// Runs all effects concurrently. The first error ends all of them.
  public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

  /// Runs all effects concurrently. The first error ends all of them.
  public static func merge<S: Sequence>(_ effects: S) -> Effect where S.Element == Effect {
    joined(effects, trees: { FeatureCore.Effect<Output>.merge($0) }, streams: { .merging($0) })
  }

  /// Runs this effect and another concurrently.
  public func merge(with other: Effect) -> Effect { .merge(self, other) }

  /// Runs the effects in sequence. The first error ends the sequence.
  public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

  /// Runs the effects in sequence. The first error ends the sequence.
  public static func concatenate<C: Collection>(_ effects: C) -> Effect where C.Element == Effect {
    joined(effects, trees: { FeatureCore.Effect<Output>.concatenate($0) }) { streams in
      streams.dropFirst().reduce(streams[0]) { $0.append($1) }
    }
  }

  /// Runs another effect when this one has finished.
  public func concatenate(with other: Effect) -> Effect { .concatenate(self, other) }

  private static func joined(
    _ effects: some Sequence<Effect>, trees: ([FeatureCore.Effect<Output>]) -> FeatureCore.Effect<Output>,
    streams: ([AnyPublisher<Output, Failure>]) -> AnyPublisher<Output, Failure>
  ) -> Effect {
    let effects = effects.filter { !$0.isNone }
    guard effects.count > 1 else { return effects.first ?? .none }
    guard effects.allSatisfy(\.isTree) else {
      return Effect(.stream(streams(effects.map { $0.eraseToAnyPublisher() })))
    }
    return trees(effects.map { FeatureCore.Effect(tree: $0.tree) }).tree.map { Effect(.tree($0)) } ?? .none
  }
}
