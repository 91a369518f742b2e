import Glibc
import LoadTest
import ProgramOptions

/// Performs one run.
func run(_ configuration: Configuration) -> LoadReport {
  let test = LoadTest(path: configuration.path, plan: configuration.plan, process: configuration.process)
  test.wait = Signals.wait
  let isTerminal = isatty(STDERR_FILENO) == 1
  if configuration.isLive ?? isTerminal {
    var lastTime = -1.0
    test.onSample = { sample in
      // On a terminal each line replaces the previous one.
      guard isTerminal || sample.time >= lastTime + 0.99 else { return }
      lastTime = sample.time
      let line = isTerminal ? "\r\u{1b}[K\(sample.line)" : "\(sample.line)\n"
      _ = write(STDERR_FILENO, line, line.utf8.count)
    }
  }
  let report = test.run()
  if configuration.isLive ?? isTerminal, isTerminal { _ = write(STDERR_FILENO, "\r\u{1b}[K", 4) }
  return report
}

/// Searches for the highest rate that keeps the limit, and returns its report.
func search(_ configuration: Configuration, limit: Double) -> LoadReport {
  var configuration = configuration
  if configuration.plan.duration == nil { (configuration.plan.duration, configuration.plan.count) = (3, nil) }
  if configuration.plan.warmup == 0 { configuration.plan.warmup = 0.5 }
  var search = RateSearch(limit: UInt64(limit * 1e9), from: configuration.plan.rate ?? 1000)
  var (best, last): (LoadReport?, LoadReport?)
  while let rate = search.next {
    configuration.plan.rate = rate
    let report = run(configuration)
    last = report
    // A wrong result or a lost hub ends the search; a hub that cannot keep up does not.
    if report.signal != nil || report.failure.map({ $0.exitStatus != 6 }) ?? false { break }
    search.take(report)
    if configuration.form == .text, let step = search.steps.last { print(step) }
    if search.steps.last?.isKept == true, rate >= best?.plan.rate ?? 0 { best = report }
  }
  var report = best ?? last ?? LoadReport(plan: configuration.plan)
  if let last, last.failure != nil, best == nil || last.failure?.exitStatus != 6 { report.failure = last.failure }
  report.signal = last?.signal
  report.searched = search.steps
  return report
}

extension ProgramOptions.Command {
  static let compare = Self(
    "compare", "print the changes beyond noise between two results of --json",
    arguments: [.init("BEFORE", value: .file), .init("AFTER", value: .file)],
    details: [.text("A file has one result per line. With five or more on each side, the noise is that between runs.")])

  static let chart = Self(
    "chart", "read a chart as JSON on standard input and print it as SVG",
    details: [
      .text("One object: title, x and y with label, unit (number, time in ns, bytes) and log, and series:"),
      .code([
        "{\"title\": \"growth\", \"x\": {\"label\": \"todos\", \"log\": true}, \"y\": {\"label\": \"µs\"},",
        " \"series\": [{\"name\": \"add\", \"points\": [[10, 22.1], [1000, 25.2]]}]}",
      ]),
    ])
}

/// Runs `storeload compare` with the paths of two files.
func compare(_ paths: [String]) throws(UsageError) -> Never {
  var sides: [[JSONLine]] = []
  for path in paths { sides.append(try JSONLine.all(in: text(of: path), of: path)) }
  let comparison: Comparison
  do throws(LoadError) {
    comparison = try Comparison(before: sides[0].map(\.value), after: sides[1].map(\.value))
  } catch {
    throw UsageError(error.description)
  }
  print(comparison.text)
  exit(comparison.isWorse ? 9 : 0)
}

private func text(of path: String) throws(UsageError) -> String {
  do throws(File.Failure) { return try File.read(path) } catch { throw UsageError("cannot read \(path): \(error)") }
}

/// Runs `storeload chart`.
func drawChart() throws(UsageError) -> Never {
  let lines = try JSONLine.all(in: text(of: "-"), of: "standard input")
  guard let json = lines.first else { throw UsageError("standard input has no chart") }
  let chart: Chart
  do throws(LoadError) { chart = try Chart(json.value) } catch { throw UsageError(error.description) }
  print(chart.svg(isStandalone: true))
  exit(0)
}
