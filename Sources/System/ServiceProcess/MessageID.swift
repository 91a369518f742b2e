/// The ids of the kinds of events in the journal. They are the same in every release, so that operators can search for
/// them and `systemd/storehub.catalog` can explain them.
public nonisolated enum MessageID: String, CaseIterable, Sendable {
  /// The hub is ready.
  case ready = "9308a8a1845a4bb9ae25ff086fd5c52e"
  /// The hub has read its journal.
  case recovered = "aad3fc5b1cd344229a8272473de9df7a"
  /// The state of an earlier version was converted by the feature's migrations.
  case migrated = "c75f6e524a1148b4a08721e92298c991"
  /// The hub begins to stop.
  case stopping = "c298e90314f8466fa7aeae973a89322e"
  /// The time limit for stopping has passed, and the hub ends without having finished.
  case stopTimedOut = "1c22df9264694a0f8ee74407e8da1d3b"
  /// The hub closed the connection of a client that violated the protocol or a limit.
  case connectionClosed = "3772f6beae48484580bf81f6bfe5f5a6"
  /// An action was rejected.
  case actionRejected = "fce69c27d93a46429f732c53561cd542"
  /// A process of the hub has ended in the feature's code, or work of the hub is skipped because of that.
  case interrupted = "5b8b1f4c2f0e4c6c9d0f6a7f3f1f7a52"
  /// Connections cannot be accepted.
  case acceptFailed = "48cfb5a5b4c54eeaaeee6c3922516d2e"
  /// New clients cannot reach the hub at its path.
  case socketLost = "7ddfceb6d0b94510ad021c92677816b9"
  /// Turns cannot be stored, so nothing is acknowledged.
  case logFailed = "a24ae9d7407f42e7aca2f93c91683505"
  /// Another program prevents the journal from storing turns, which wait.
  case logBlocked = "3b0b6d1f5d1c4f1a8f6e6a0c2d9b7e14"
  /// Turns are stored again.
  case logUnblocked = "f1c7a9e0d4b84f6d9a5e2b3c8d7f6a01"
  /// A snapshot cannot be saved.
  case snapshotFailed = "072732c44d4b4041b4af3389f53e7e8b"
  /// Further events of one cause were counted and not logged.
  case repeated = "acd9226d6eb046cdb46eae20fd7538a2"
  /// The connections were handed over to the next process.
  case handedOver = "f69dc113b597408eb4b82d4f4ebe33fd"
  /// The connections of the previous process were taken over.
  case takenOver = "2d79b6ac7be5458db2ecf9eeed61ab88"
  /// The connections of the previous process could not be taken over, and were closed.
  case takeoverRefused = "1c52a6006e884038ab14324ec4fded52"
  /// The watchdog is not fed, because turns wait for a log writer that makes no progress.
  case writerStuck = "08e0f95115a1493ba8dd048d14813c2d"
  /// The configuration was read again.
  case reloaded = "4ea1656a8ee04912abf3dedbe766dbe5"
  /// The configuration has mistakes, so the previous one stays in effect.
  case reloadFailed = "5d1f0c8e7b6a4f0c9a3d2e41b7c86f95"
  /// The hub leads its cluster from now on, or follows another node.
  case roleChanged = "6f1a2d70c9e84b3ba5d3187c40e2f95b"
  /// The log of the cluster takes no entries, so that actions wait.
  case clusterWaits = "c0b7d8e25f914a6e8d72a9360b4e1fc8"
  /// The hub must not serve its cluster's state until the operator has settled the reason.
  case clusterRefused = "a93e5b1460d74cf2b8c96d07e21f384a"
  /// The clock of another node of the cluster differs from that of this machine, or agrees with it again.
  case clocksDiffer = "8d27c1f4b35e49d0a6f2907be41c835d"
  /// A node of the cluster has sent a snapshot to one that lacks entries of the log, or has begun with one.
  case clusterSnapshot = "3d7e0c5b92f84a61ae1f6b08c4d97253"
  /// A signal without a meaning for the hub was ignored.
  case signalIgnored = "95b2d987faca44cfb113f6eea4a36919"
}
