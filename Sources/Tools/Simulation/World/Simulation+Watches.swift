import HubCore
internal import RandomNumbers
import ReplicaCore

// Effects without an end, which clients start, hold and cancel.

/// An action of a client that starts or holds an effect without an end.
struct SentWatch {
  let client: ClientProcess
  let ticket: ActionTicket
  var isCancelled = false
}

extension Simulation {
  /// Starts or holds an effect, or cancels what an earlier action has started.
  func changeWatches(of client: ClientProcess, speaking spoken: SimulatedProgram) {
    let own = watches.filter { $0.value.client === client }.sorted { $0.key < $1.key }
    let running = own.filter { !$0.value.isCancelled }
    switch cancellations.number(0...9) {
    case 0...4:
      client.sentCount += 1
      let tag = Tag.make(process: client.number, number: client.sentCount)
      let change: Change = cancellations.hits(500) ? .watch : .hold(cancellations.number(0...1))
      guard let ticket = send(spoken.encode(tag, change), .change, tag: tag, from: client) else { return }
      watches[tag] = SentWatch(client: client, ticket: ticket)
      // Before it is sent.
      if cancellations.hits(200) { cancel(tag) }
    case 9:
      // A second time.
      if !own.isEmpty { cancel(cancellations.pick(own).key) }
    default:
      if !running.isEmpty { cancel(cancellations.pick(running).key) }
    }
  }

  private func cancel(_ tag: UInt64) {
    guard let watch = watches[tag], watch.client.replica.cancelEffects(of: watch.ticket) else { return }
    trace.note(now, "cancel", Int(watch.client.number), Int(Tag.number(tag)))
    report.cancellations += 1
    watches[tag]?.isCancelled = true
  }

  /// Checks, at rest, that the effects run which somebody needs, and no others.
  func checkWatches(in hub: HubProcess) throws {
    for client in clients where client.replica.cancellationCount > 0 {
      throw Violation(.notAtRest, "a cancellation of client \(client.number) is not confirmed")
    }
    let started = hub.recorder.watches.sorted { $0.key < $1.key }
    for (tag, watch) in started where watch == .own {
      guard let sent = watches[tag] else { continue }
      let runs = hub.effects.contains { $0.effect.watch == .own && $0.effect.cause == tag }
      if !sent.isCancelled, !runs {
        throw Violation(.effectLost, "nobody has cancelled the effect of \(Tag.text(tag)), and it has ended")
      }
      // A client that is gone, or that has another session, cannot repeat what was lost.
      if sent.isCancelled, runs, isHeld(sent) {
        throw Violation(.effectLost, "the effect of \(Tag.text(tag)) was cancelled, and it runs")
      }
    }
    for number in 0...1 {
      let holder = started.first { tag, watch in
        guard watch == .shared(number), let sent = watches[tag] else { return false }
        return !sent.isCancelled && isHeld(sent)
      }
      let runs = hub.effects.contains { $0.effect.watch == .shared(number) }
      if let holder, !runs {
        throw Violation(.effectLost, "\(Tag.text(holder.key)) holds the shared effect \(number), which has ended")
      }
      if holder == nil, runs { throw Violation(.effectLost, "nobody holds the shared effect \(number), and it runs") }
    }
  }

  /// True if the hub holds for a client what its action has started.
  private func isHeld(_ sent: SentWatch) -> Bool {
    sent.client.isAlive && sent.client.replica.releasedTicket.map { sent.ticket > $0 } ?? true
  }
}
