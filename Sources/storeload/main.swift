import Glibc
import LoadTest
import ProgramOptions

// Loads a hub and reports its throughput and latencies; compares results; draws charts.

switch CommandLine.arguments.dropFirst().first {
case "compare": compare(Array(CommandLine.arguments.dropFirst(2)))
case "chart": chart(Array(CommandLine.arguments.dropFirst(2)))
default: break
}

let configuration = runOptions.read { (parsed) throws(UsageError) in try Configuration(parsed) }
if let text = configuration.scenarioText {
  print(text)
  exit(0)
}
_ = raiseDescriptorLimit()
Signals.block()
let report = configuration.searchLimit.map { search(configuration, limit: $0) } ?? run(configuration)
switch configuration.form {
case .text: if report.sent > 0 || report.failure == nil { print(report.text) }
case .json: print(report.json)
case .csv: print(report.csv)
}
var status = report.exitStatus
if let path = configuration.report, !File.write(report.html, to: path) {
  printError("storeload: cannot write \(path): \(String(cString: strerror(errno)))")
  status = status == 0 ? 1 : status
}
if let failure = report.failure { printError("storeload: \(failure)") }
exit(status == 0 && configuration.searchLimit != nil && report.searched.allSatisfy { !$0.isKept } ? 9 : status)
