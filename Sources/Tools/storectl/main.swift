import Glibc
import ProgramOptions
import StorectlCommands

// The generic client of a hub, which learns everything about the feature from the hub's schema.

let options = toolOptions()
if ProcessArguments.options.first == "__complete" {
  exit(printCompletions(of: Array(ProcessArguments.options.dropFirst()), options))
}
let parsed = options.read { (parsed) throws(UsageError) in parsed }
do {
  exit(try Tool(parsed).run())
} catch let error as UsageError {
  printError("storectl: \(error). Try `storectl --help`.")
  exit(ExitStatus.usage.rawValue)
} catch {
  printError("storectl: \(error)")
  exit(ExitStatus.failed.rawValue)
}
