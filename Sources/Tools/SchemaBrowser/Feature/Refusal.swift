internal import ReplicaCore
internal import Wire

extension Refusal {
  /// The reason of an error of a hub, or of a connection.
  init(_ error: any Error) {
    guard case .rejected(let code, let reason)? = error as? ActionError else {
      self.init("\(error)")
      return
    }
    self.init(reason, isForLackOfRights: RejectionCode(rawValue: code) == .notPermitted)
  }
}
