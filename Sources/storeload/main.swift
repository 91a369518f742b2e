import Glibc
import LoadTest
import ProgramOptions

// Loads a hub and reports its throughput and latencies; compares reports; draws charts.

let configuration = runOptions.read { (parsed) throws(UsageError) in try Configuration(parsed) }
if let text = configuration.scenarioText {
  print(text)
  exit(0)
}
_ = raiseDescriptorLimit()
Signals.block()
let test = LoadTest(path: configuration.path, plan: configuration.plan, process: configuration.process)
test.wait = Signals.wait
let report = test.run()
switch configuration.form {
case .text: if report.sent > 0 || report.failure == nil { print(report.text) }
case .json: print(report.json)
case .csv: print(report.csv)
}
if let failure = report.failure { printError("storeload: \(failure)") }
exit(report.exitStatus)
