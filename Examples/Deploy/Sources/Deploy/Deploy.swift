import FoundationEssentials
import ReplicatedArchitecture

/// A queue of deployments: people submit and approve them, workers take them.
///
/// A worker holds a job by a lease, which ends unless the worker renews it in time. So a job whose worker was killed is
/// queued again, once, and what that worker may still send is refused.
@Reducer
public struct Deploy: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    /// The jobs that have not ended, the oldest first.
    public var jobs: IdentifiedArrayOf<Job> = []
    /// The jobs that have ended, the newest first; the last 200.
    public var history: IdentifiedArrayOf<Job> = []
    var nextJob = 1
    var nextLease = 1

    public init() {}
  }

  @Replicated
  public enum Action: Sendable {
    /// Somebody wants a version of a service in an environment.
    case submitted(service: String, version: String, environment: Job.Environment)
    /// Somebody has approved a job for production.
    case approved(Job.ID)
    /// Somebody does not want a job, also one that is running.
    case cancelled(Job.ID, reason: String)
    /// Somebody wants a job of the history again.
    case repeated(Job.ID)
    /// A worker wants a queued job. It is given a lease, or refused because another worker was first.
    case taken(Job.ID)
    /// A worker is at work; this also renews its lease.
    case progressed(Job.ID, lease: Lease.ID, percent: Int, note: String)
    /// A worker has done a job.
    case succeeded(Job.ID, lease: Lease.ID)
    /// A worker could not do a job.
    case failed(Job.ID, lease: Lease.ID, reason: String)
    /// The time of a lease is over.
    case leaseEnded(Job.ID, lease: Lease.ID)
    /// The hub was started again while there was a lease, whose time begins anew.
    case leaseResumed(Job.ID, lease: Lease.ID)
  }

  /// The number of workers that may lose a job before it fails.
  public static let attemptLimit = 3
  static let historyLimit = 200

  @Dependency(\.continuousClock) private var clock
  @Dependency(\.date.now) private var now
  @Dependency(\.sender) private var sender

  private let leaseTime: Duration

  /// Creates the feature.
  ///
  /// - Parameter leaseTime: The time after which a lease ends that is not renewed.
  public init(leaseTime: Duration = .seconds(10)) { self.leaseTime = leaseTime }

  public var body: some ReducerOf<Self> {
    Reduce { state, action throws(Refusal) in
      switch action {
      case .submitted(let service, let version, let environment):
        try submit(service, version, environment, &state)
        return .none

      case .approved(let id):
        guard try state.job(id).stage == .waiting else { throw Refusal("job \(id) waits for no approval") }
        state.jobs[id: id]?.stage = .queued
        state.jobs[id: id]?.approvedBy = sender.user?.description
        return .none

      case .cancelled(let id, let reason):
        _ = try state.job(id)
        return end(id, .cancelled, note: reason, &state)

      case .repeated(let id):
        guard let job = state.history[id: id] else { throw Refusal("there is no job \(id) in the history") }
        try submit(job.service, job.version, job.environment, &state)
        return .none

      case .taken(let id):
        return try take(id, &state)

      case .progressed(let id, let lease, let percent, let note):
        try check(lease, of: id, state)
        state.jobs[id: id]?.progress = min(max(percent, 0), 100)
        state.jobs[id: id]?.note = note
        return leaseTimer(id, lease)

      case .succeeded(let id, let lease):
        try check(lease, of: id, state)
        state.jobs[id: id]?.progress = 100
        return end(id, .succeeded, note: state.jobs[id: id]?.note ?? "", &state)

      case .failed(let id, let lease, let reason):
        try check(lease, of: id, state)
        return end(id, .failed, note: reason, &state)

      case .leaseEnded(let id, let lease):
        guard sender.client == nil else { throw Refusal("only the hub ends a lease") }
        guard let job = state.jobs[id: id], job.lease?.id == lease else { return .none }
        guard job.attempts < Self.attemptLimit else {
          return end(id, .failed, note: "\(job.attempts) workers have lost it", &state)
        }
        state.jobs[id: id]?.stage = .queued
        state.jobs[id: id]?.lease = nil
        state.jobs[id: id]?.progress = 0
        return .none

      case .leaseResumed(let id, let lease):
        return state.jobs[id: id]?.lease?.id == lease ? leaseTimer(id, lease) : .none
      }
    }
  }

  private func submit(
    _ service: String, _ version: String, _ environment: Job.Environment, _ state: inout State
  ) throws(Refusal) {
    guard !service.isEmpty, !version.isEmpty else { throw Refusal("a deployment needs a service and a version") }
    if let other = state.jobs.first(where: { $0.service == service && $0.environment == environment }) {
      throw Refusal("job \(other.id) for \(service) in \(environment) has not ended")
    }
    state.jobs.append(
      Job(
        id: state.nextJob, service: service, version: version, environment: environment,
        stage: environment == .production ? .waiting : .queued, submitted: now))
    state.nextJob += 1
  }

  private func take(_ id: Job.ID, _ state: inout State) throws(Refusal) -> Effect<Action> {
    let job = try state.job(id)
    if let lease = job.lease { throw Refusal("job \(id) is taken by \(lease.worker)") }
    guard job.stage == .queued else { throw Refusal("job \(id) waits for an approval") }
    let client = sender.client
    let lease = Lease(
      id: state.nextLease, worker: client?.name ?? sender.description, session: client?.session ?? 0,
      process: client?.process ?? 0, time: leaseTime)
    state.nextLease += 1
    state.jobs[id: id]?.stage = .running
    state.jobs[id: id]?.lease = lease
    state.jobs[id: id]?.attempts += 1
    return leaseTimer(id, lease.id)
  }

  /// Refuses a worker whose lease has ended, and a worker of the same name that has another session.
  private func check(_ lease: Lease.ID, of id: Job.ID, _ state: State) throws(Refusal) {
    guard let current = try state.job(id).lease, current.id == lease else {
      throw Refusal("lease \(lease) of job \(id) has ended")
    }
    guard current.session == sender.client?.session ?? 0 else {
      throw Refusal("lease \(lease) of job \(id) is another worker's")
    }
  }

  /// Moves a job to the history.
  private func end(_ id: Job.ID, _ stage: Job.Stage, note: String, _ state: inout State) -> Effect<Action> {
    guard var job = state.jobs.remove(id: id) else { return .none }
    (job.stage, job.lease, job.note, job.ended) = (stage, nil, note, now)
    state.history.insert(job, at: 0)
    if state.history.count > Self.historyLimit { state.history.removeLast() }
    return .cancel(id: LeaseTimer(job: id))
  }

  private struct LeaseTimer: Hashable { let job: Job.ID }

  /// Ends a lease after its time. A hub that is killed and started again continues it with `leaseResumed`.
  private func leaseTimer(_ id: Job.ID, _ lease: Lease.ID) -> Effect<Action> {
    .run { [clock, leaseTime] send in
      try await clock.sleep(for: leaseTime)
      await send(.leaseEnded(id, lease: lease))
    }
    .cancellable(id: LeaseTimer(job: id), cancelInFlight: true)
    .restart(with: .leaseResumed(id, lease: lease))
  }
}

extension Deploy.State {
  /// Returns a job that has not ended.
  fileprivate func job(_ id: Job.ID) throws(Refusal) -> Job {
    if let job = jobs[id: id] { return job }
    throw Refusal(history[id: id] == nil ? "there is no job \(id)" : "job \(id) has ended")
  }
}
