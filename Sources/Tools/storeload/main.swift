import Glibc
import LoadTest
import ProgramOptions

// Loads a hub and reports its throughput and latencies; compares results; draws charts.

let configuration = runOptions.read { (parsed) throws(UsageError) -> Configuration in
  switch parsed.command {
  case "compare": try compare(parsed.arguments)
  case "chart": try drawChart()
  default: return try Configuration(parsed)
  }
}
if configuration.isPrinted {
  do throws(LoadError) {
    print(try Scenario.text(of: configuration.plan))
    exit(0)
  } catch {
    printError("storeload: \(error)")
    exit(error.exitStatus)
  }
}
_ = raiseDescriptorLimit()
Signals.block()
var report = LoadReport(plan: configuration.plan)
// Before a long run, whose result would be lost.
let page = configuration.report.flatMap { File.open($0) }
if let path = configuration.report, page == nil {
  report.failure = .failed("cannot write \(path): \(String(cString: strerror(errno)))")
} else {
  report = configuration.searchLimit.map { search(configuration, limit: $0) } ?? run(configuration)
}
// Before the result is printed, which contains the exit status.
if let path = configuration.report, let page, !File.write(report.html, to: page) {
  let reason = "cannot write \(path): \(String(cString: strerror(errno)))"
  if report.failure == nil { report.failure = .failed(reason) } else { printError("storeload: \(reason)") }
}
switch configuration.form {
case .text: if report.sent > 0 || report.failure == nil { print(report.text) }
case .json: print(report.json)
case .csv: print(report.csv)
}
if let failure = report.failure { printError("storeload: \(failure)") }
exit(report.exitStatus)
