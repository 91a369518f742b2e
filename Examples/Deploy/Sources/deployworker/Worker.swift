import Deploy
import Foundation
import StoreClient

/// Takes jobs, one at a time, and does them by a script.
final class Worker {
  private let store: StoreOf<Deploy>
  private let client: StoreClient<Deploy.State, Deploy.Action>
  private let script: String
  private var isBusy = false

  init(_ store: StoreOf<Deploy>, of client: StoreClient<Deploy.State, Deploy.Action>, script: String) {
    (self.store, self.client, self.script) = (store, client, script)
  }

  /// Takes the oldest queued job, if there is one and the worker is idle. Call it whenever the jobs have changed.
  func lookForWork() {
    guard let job = store.jobs.first(where: { $0.stage == .queued }), !isBusy else { return }
    isBusy = true
    Task {
      let wasRefused = await !work(on: job.id)
      // A refusal of a job that is still queued would come again at once, for example for lack of rights.
      if wasRefused, store.jobs[id: job.id]?.stage == .queued { try? await Task.sleep(for: .seconds(1)) }
      isBusy = false
      lookForWork()
    }
  }

  /// Takes a job and does it; returns false if the hub has refused that.
  private func work(on id: Job.ID) async -> Bool {
    do {
      try await store.send(.taken(id)).taken()
    } catch {
      note("job \(id): \(error)")
      return false
    }
    // The state with the lease has arrived before the outcome of the action.
    guard let job = store.jobs[id: id], let lease = job.lease, lease.session == client.identity?.session else {
      return true
    }
    do {
      let script = try Script([script, job.service, job.version, "\(job.environment)"])
      try await finish(job, lease, status: await run(script, job, lease))
    } catch {
      note("job \(id): \(error)")
    }
    return true
  }

  /// Renews the lease while the script runs, and stops the script if the hub refuses that.
  private func run(_ script: Script, _ job: Job, _ lease: Lease) async -> Int32 {
    var report = Report()
    let store = store
    func renew() async throws {
      try await store.send(.progressed(job.id, lease: lease.id, percent: report.percent, note: report.note)).taken()
    }
    let renewal = Task {
      do {
        while true {
          try await Task.sleep(for: lease.time / 3)
          try await renew()
        }
      } catch is CancellationError {
      } catch {
        note("job \(job.id): \(error)")
        script.stop()
      }
    }
    let status = await script.run { line in
      report.hear(line)
      store.send(.progressed(job.id, lease: lease.id, percent: report.percent, note: report.note))
    }
    renewal.cancel()
    return status
  }

  private func finish(_ job: Job, _ lease: Lease, status: Int32) async throws {
    let outcome: Deploy.Action =
      status == 0
      ? .succeeded(job.id, lease: lease.id)
      : .failed(job.id, lease: lease.id, reason: "the script ended with status \(status)")
    try await store.send(outcome).taken()
    note("job \(job.id): \(status == 0 ? "done" : "failed with status \(status)")")
  }
}

/// What a script has said so far: a line such as `40%` or `40% copied` tells its progress, any other is a note.
private struct Report {
  var percent = 0
  var note = ""

  mutating func hear(_ line: String) {
    guard let sign = line.firstIndex(of: "%"), let percent = Int(line[..<sign]) else { return note = line }
    self.percent = percent
    let rest = line[line.index(after: sign)...].drop { $0 == " " }
    if !rest.isEmpty { note = String(rest) }
  }
}

private func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
