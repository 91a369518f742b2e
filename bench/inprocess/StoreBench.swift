/// What stores, reducers and collections cost within one process: `storebench [part-of-a-name]`; and what the effects of
/// a hub cost: `storebench --hub-effects`; and what views of elements cost it: `storebench --element-views`.
@main
struct StoreBench {
  @MainActor
  static func main() async throws {
    if CommandLine.arguments.dropFirst().first == "--hub-effects" { return try HubEffects().run() }
    if CommandLine.arguments.dropFirst().first == "--element-views" { return ElementViews().run() }
    let bench = Bench(filter: CommandLine.arguments.dropFirst().first)
    measureSends(bench)
    measureObservation(bench)
    measureObservedLists(bench)
    measureComposition(bench)
    await measureEffects(bench)
    measureChildren(bench)
    measureStates(bench)
    measureCollections(bench)
    measureStateHashes(bench)
    measureReplication(bench)
  }
}
