import FoundationEssentials
import ReplicatedArchitecture

/// The deployment of one version of a service.
@ObservableState @Replicated
public struct Job: Equatable, Identifiable, Sendable {
  /// Where a service runs.
  @Replicated
  public enum Environment: Equatable, Sendable, CaseIterable {
    case staging
    /// A job for it needs an approval.
    case production
  }

  @Replicated
  public enum Stage: Equatable, Sendable {
    /// Somebody has to approve it.
    case waiting
    /// The next worker takes it.
    case queued
    /// A worker has a lease on it.
    case running
    case succeeded
    case failed
    /// Nobody wanted it, or somebody stopped it.
    case cancelled
  }

  /// The number of the job; it is never reused.
  public let id: Int
  public var service: String
  public var version: String
  public var environment: Environment
  public var stage: Stage
  /// The worker that has the job; nil unless it is running.
  public var lease: Lease?
  /// How much of it is done, in percent, as its worker says.
  public var progress = 0
  /// The last words of its worker, or the reason why it was cancelled.
  public var note = ""
  /// The number of times that a worker has taken it.
  public var attempts = 0
  /// The user who has approved it; nil if nobody has.
  public var approvedBy: String?
  /// When it was submitted.
  public var submitted: Date
  /// When it ended; nil if it has not.
  public var ended: Date?
}

/// The right of one worker to one job, for as long as it renews it.
@ObservableState @Replicated
public struct Lease: Equatable, Identifiable, Sendable {
  /// The number of the lease; each is given once.
  public let id: Int
  /// The name of the worker, which several may have.
  public var worker: String
  /// The session of the worker, which tells it from all others. A worker that connects again keeps it.
  public var session: UInt64
  /// Its process when it took the job, as the kernel says.
  public var process: Int32
  /// The time after which it ends, counted from its beginning or its last renewal.
  public var time: Duration
}
