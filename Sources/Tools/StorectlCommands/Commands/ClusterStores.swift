internal import ClusterLog
internal import Configuration
internal import EtcdLogStore
internal import ProgramOptions

extension Tool {
  /// Runs `cluster status --all`.
  func storesStatus() async throws(ToolFailure) {
    let report = StoresReport(try await storesOfEtcd(try clusterSettings()))
    if isJSON {
      print(report.json(showsPlan: false))
    } else {
      print(report.lines(showsPlan: false, palette, width: width))
    }
    try checkAnswers(of: report)
  }

  /// Runs `cluster balance [PREFIX]`.
  func balanceLeaders(of name: String?) async throws(ToolFailure) {
    progress = "nothing was changed"
    let settings = try clusterSettings()
    let stores = try await storesOfEtcd(settings)
    let chosen = name.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    if let chosen, !stores.contains(where: { $0.prefix == chosen }) {
      throw ToolFailure(
        .absent, "etcd has no store \(chosen), but \(stores.map(\.prefix).joined(separator: ", "))")
    }
    var report = StoresReport(stores, moving: chosen)
    for warning in report.warnings { note(warning) }
    if !isJSON { print(report.lines(showsPlan: true, palette, width: width)) }
    do throws(ToolFailure) {
      try await carryOut(&report, settings)
    } catch {
      if isJSON { print(report.json(showsPlan: true)) }
      throw error
    }
    if isJSON { print(report.json(showsPlan: true)) }
    try checkAnswers(of: report)
  }

  /// Makes the moves of a plan, one after the other, and stops at the first one that fails.
  private func carryOut(_ report: inout StoresReport, _ settings: ClusterSettings) async throws(ToolFailure) {
    let moves = report.plan.moves
    guard !moves.isEmpty else { return note("nothing is to be moved") }
    guard options.flag("yes") else { throw ToolFailure(.failed, "nothing was changed; --yes does it") }
    for move in moves {
      try checkInterruption()
      // From here on, an interruption leaves open whether the hub does it.
      progress =
        "\(report.done.count) of \(moves.count) leaderships were moved, and that of \(move.store) may still move to \(move.to)"
      let leader = try await pass(move, report, settings)
      report.done.append(move)
      note("\(move.store): node \(leader.node) leads in term \(leader.term)")
      let count = report.done.count
      effect = count == 1 ? "1 leadership was moved" : "\(count) leaderships were moved"
      progress = "\(count) of \(moves.count) leaderships were moved"
    }
  }

  private func pass(
    _ move: BalancePlan.Move, _ report: StoresReport, _ settings: ClusterSettings
  ) async throws(ToolFailure) -> Leadership {
    guard case .reply(let reply)? = report.stores.first(where: { $0.prefix == move.store })?.answer else {
      preconditionFailure("only stores whose leaders have answered move")
    }
    let log = try operatedLog(settings, below: move.store)
    defer { log.close() }
    let reason: String
    switch try await operate({ () throws(OperatedLogError) in try await log.handOver(reply.leader, to: move.to) }) {
    case .leads(let leader):
      guard leader.node != move.to else { return leader }
      reason = "node \(leader.node) leads instead, in term \(leader.term)"
    case .refused(let refusal): reason = "that hub refuses: \(ValueText.safe(refusal))"
    case .silence: reason = "it has not done so in time"
    }
    let rest = report.plan.moves.count - report.done.count
    throw ToolFailure(
      .failed,
      """
      \(move.store): node \(move.from) was to pass the leadership on to \(move.to), but \(reason). The rest, \(rest) of \
      \(report.plan.moves.count), was not moved: see `storectl cluster status --all`, and repeat the command
      """)
  }

  // MARK: Parts

  /// The stores that share an etcd with the one of a configuration, and what their leaders say.
  private func storesOfEtcd(_ settings: ClusterSettings) async throws(ToolFailure) -> [StoresReport.Store] {
    let log = try operatedLog(settings)
    defer { log.close() }
    let found = try await operate { () throws(OperatedLogError) in try await log.neighbours() }
    if found.isIncomplete {
      note(
        """
        other programs have so many keys in etcd that some stores may be missing: give all stores prefixes with the same \
        first name
        """)
    }
    guard !found.stores.isEmpty else {
      throw ToolFailure(
        .absent, "etcd has no store beside \(settings.prefix): those with the same beginning up to the last name count")
    }
    var stores: [StoresReport.Store] = []
    for prefix in found.stores {
      try checkInterruption()
      let log = try operatedLog(settings, below: prefix)
      defer { log.close() }
      let answer = try await operate { () throws(OperatedLogError) in try await log.askLeader() }
      stores.append(StoresReport.Store(prefix: prefix, answer: answer))
    }
    return stores
  }

  private func checkAnswers(of report: StoresReport) throws(ToolFailure) {
    guard !report.silent.isEmpty else { return }
    let stores = report.silent.joined(separator: ", ")
    throw ToolFailure(
      .timedOut,
      """
      the hub that leads \(stores) has not answered in time, so that its leader stays where it is: it does not run, cannot \
      reach etcd, or is of an earlier version
      """)
  }
}
