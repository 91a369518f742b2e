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

/// Runs `storeload compare`.
func compare(_ words: [String]) -> Never {
  let options = ProgramOptions(
    program: "storeload",
    purpose: "Prints what changed between results of storeload --json beyond the noise. A file has one result a line.",
    options: [],
    commands: [
      .init(
        "compare", "print what changed from BEFORE to AFTER",
        arguments: [.init("BEFORE", value: .file), .init("AFTER", value: .file)])
    ])
  let comparison = options.read(["compare"] + words) { (parsed) throws(UsageError) -> Comparison in
    var sides: [[JSONLine]] = []
    for path in parsed.arguments {
      sides.append(try JSONLine.all(in: text(of: path), of: path))
    }
    do throws(LoadError) {
      return try Comparison(before: sides[0].map(\.value), after: sides[1].map(\.value))
    } catch {
      throw UsageError(error.description)
    }
  }
  print(comparison.text)
  exit(comparison.isWorse ? 9 : 0)
}

private func text(of path: String) throws(UsageError) -> String {
  do throws(File.Failure) { return try File.read(path) } catch { throw UsageError("cannot read \(path): \(error)") }
}

/// Runs `storeload chart`.
func chart(_ words: [String]) -> Never {
  let options = ProgramOptions(
    program: "storeload", purpose: "Reads a chart as JSON on standard input and prints it as SVG.", options: [],
    commands: [
      .init(
        "chart", "print a chart as SVG",
        details: [
          .text("One object: title, x and y with label, unit (number, time in ns, bytes) and log, and series:"),
          .code([
            "{\"title\": \"growth\", \"x\": {\"label\": \"todos\", \"log\": true}, \"y\": {\"label\": \"µs\"},",
            " \"series\": [{\"name\": \"add\", \"points\": [[10, 22.1], [1000, 25.2]]}]}",
          ]),
        ])
    ])
  let chart = options.read(["chart"] + words) { (_) throws(UsageError) -> Chart in
    let lines = try JSONLine.all(in: text(of: "-"), of: "standard input")
    guard let json = lines.first else { throw UsageError("standard input has no chart") }
    do throws(LoadError) { return try Chart(json.value) } catch { throw UsageError(error.description) }
  }
  print(chart.svg(isStandalone: true))
  exit(0)
}
