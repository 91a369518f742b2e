package import EventLoop
internal import Glibc
internal import TerminalUI

/// Reads the hub's journal for the screen of all actions, while it is open.
package final class ActivityReader {
  /// The number of times that it looks for an action whose change was received already.
  private static let attemptLimit = 5

  private let model: TerminalModel
  private var log: ActivityLog?
  private var timer: Timer?
  private var attempts = 0
  private var revision: UInt64 = 0

  /// Creates a reader of a journal that is not open yet.
  package init(for model: TerminalModel, on loop: EventLoop) throws {
    self.model = model
    timer = try Timer(on: loop) { [weak self] in self?.update() }
  }

  /// Opens the journal in a state directory, if none is open. The screen appears.
  package func open(_ directory: String) throws {
    guard log == nil else { return }
    let log = try ActivityLog(directory)
    self.log = log
    let activity = ActivityModel()
    activity.onFilter = { [weak self] in self?.update() }
    activity.onDetails = { [weak activity] id in
      do {
        activity?.details = try log.details(of: id)
      } catch {
        activity?.message = StatusMessage("\(error)", isBad: true)
      }
    }
    model.activity = activity
  }

  /// Notes that the hub's state has changed.
  package func changed(revision: UInt64) {
    guard revision > self.revision else { return }
    self.revision = revision
    if model.screen == .activity { update() }
  }

  /// Reads the new actions. A hub may store an action slightly later than it sends the change.
  package func update() {
    guard let log, let activity = model.activity, model.screen == .activity else { return }
    let last = log.revision
    do {
      try log.update(activity.filter)
    } catch {
      return activity.message = StatusMessage("\(error)", isBad: true)
    }
    activity.now = Int64(time(nil)) * 1000
    if activity.entries != log.entries { activity.entries = log.entries }
    (activity.examinedCount, activity.isLoading) = (log.examinedCount, log.hasOlder)
    // Some of the older ones at a time, so that keys are handled meanwhile.
    if log.hasOlder { return timer?.start(after: .milliseconds(1)) ?? () }
    if last != log.revision { attempts = 0 }
    guard log.revision < revision, attempts < Self.attemptLimit else { return }
    attempts += 1
    timer?.start(after: .milliseconds(200))
  }
}
