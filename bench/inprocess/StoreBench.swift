/// What stores, reducers and collections cost within one process: `storebench [part-of-a-name]`.
@main
struct StoreBench {
  @MainActor
  static func main() async {
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
