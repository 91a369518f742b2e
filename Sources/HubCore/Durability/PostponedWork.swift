import FeatureCore
import TurnLog
import Wire

/// Work of the hub's own program: actions that no client has sent, and the ends of effects, which may lead to actions.
enum OwnWork {
  /// An event, whose actions the feature decides when it is handled.
  case event(HubEvent)
  /// An action of the program.
  case action(AnyAction, from: Interruption.Source)
  /// The restart of an effect of the previous process.
  case restart(UnfinishedEffect)
  /// An action of an effect; nil for an effect that has ended.
  case effectAction(AnyAction, from: EffectID?)
  /// The end of an effect.
  case end(EffectID)
  /// A request of an effect to cancel others.
  case cancellation(CancelID, within: EffectPath)
  /// A request of an effect to dismiss a presented child.
  case dismissal(EffectPath)
  /// A request of a client to cancel the effects of one of its actions.
  case clientCancellation(cascade: UInt64)
  /// The end of a session, of which an action holds shared effects.
  case release(cascade: UInt64)

  /// True if its actions have been sent by effects.
  var isOfEffect: Bool {
    switch self {
    case .event, .action, .restart: false
    case .effectAction, .end, .cancellation, .dismissal, .clientCancellation, .release: true
    }
  }
}

/// The hub's own work that arrived while the log was behind, in order.
struct PostponedWork {
  private var items: [OwnWork] = []
  /// The index of the first item that is not taken.
  private var first = 0

  var isEmpty: Bool { first == items.count }
  var count: Int { items.count - first }

  mutating func append(_ work: OwnWork) { items.append(work) }

  /// Takes the oldest item.
  mutating func next() -> OwnWork? {
    guard first < items.count else { return nil }
    defer {
      first += 1
      if first == items.count {
        removeAll()
      } else if first > 1024, first > items.count / 2 {
        items.removeFirst(first)
        first = 0
      }
    }
    return items[first]
  }

  mutating func removeAll() { (items, first) = ([], 0) }
}
