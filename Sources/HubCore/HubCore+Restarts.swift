import FeatureCore
package import TurnLog
import Wire

// Effects that outlive the process (`Effect.restart(with:)`), and those that do not.

extension HubCore {
  /// The effects with a declared restart that are in flight after the last stored turn.
  package var effectsInFlight: EffectsInFlight { turns?.effects ?? EffectsInFlight() }

  /// Sends the actions that restart the effects which the previous process has not ended. Call it after the event of the
  /// hub's start.
  mutating func restartEffects() {
    guard let turns else { return }
    turns.lastStartedEffect = engine.lastEffect
    guard !turns.effects.isEmpty else { return }
    for effect in turns.effects.inOrder { performOrPostpone(.restart(effect)) }
  }

  /// Sends the action that restarts an effect of the previous process. The same turn records that it was sent, so it is
  /// sent again exactly if the turn is lost. If it is skipped or cannot be read, the effect stays in flight, and the next
  /// process tries it again.
  mutating func restart(_ effect: UnfinishedEffect) {
    let action: AnyAction
    do throws(WireError) { action = try engine.decode(effect.action.span.bytes) } catch {
      return report(.unreadable(reason: "the restart of an effect could not be read: \(error)"))
    }
    guard applyOwn(action, from: .effect) else { return }
    turns?.record.noteRestart(of: effect.number)
  }

  /// Reports the running effects without a declared restart, which end with the process, once for each place in the
  /// feature's code. Those that the hub's start has begun will be begun again. Call it when the hub stops. A hub without
  /// a log reports nothing: its state ends too.
  package mutating func reportLostEffects() {
    guard let turns, !turns.hasFailed else { return }
    var places: Set<String> = []
    for effect in engine.effectsWithoutRestart(after: turns.lastStartedEffect ?? engine.lastEffect) {
      let place = effect.site.map { "at \($0.file):\($0.line)" } ?? "at an unknown place"
      guard places.insert(place).inserted else { continue }
      report(.effectLost(effect.cause.flatMap { name(of: $0) }.map { "\(place), begun by \($0)" } ?? place))
    }
  }

  private func name(of action: AnyAction) -> String? {
    var encoder = CBOREncoder()
    engine.encode(action, to: &encoder)
    return name(ofActionIn: encoder.span)
  }
}
