import Foundation
import Porting
import ProgramOptions

// Prepares the features of a package for a hub; `scripts/port` builds and runs it.

let options = ProgramOptions(
  program: "port",
  purpose: "Adds to the features of a package what they need in a hub, and prints what is left to be done by hand.",
  options: [
    .init("package", argument: "DIRECTORY", "the package; scripts/port takes it as a word of its own", value: .file),
    .init("check", short: "c", "print the changes as a difference, and write nothing"),
    .init(
      "begin", short: "b", argument: "TYPES",
      "the features, or the types of a model, with which to begin, separated by commas; default: all features"),
  ])

struct Job {
  var directory: URL
  var isCheck: Bool
  var names: [String]
}

let job = options.read { (parsed) throws(UsageError) -> Job in
  guard let path = parsed.string("package"), !path.isEmpty else {
    throw UsageError("the directory of a package is missing")
  }
  let names = (parsed.string("begin") ?? "").split(separator: ",").map(String.init)
  if parsed.flag("begin"), names.isEmpty { throw UsageError("--begin needs the names of types") }
  return Job(directory: URL(filePath: path, directoryHint: .isDirectory), isCheck: parsed.flag("check"), names: names)
}

do {
  let port = try Port(PackageReader.read(job.directory), beginningWith: job.names)
  for change in port.changes {
    if job.isCheck {
      let difference = Difference(from: change.file.text, to: change.text)
      print(difference.text(oldName: "a/\(change.file.path)", newName: "b/\(change.file.path)"), terminator: "")
    } else {
      try FileReplacement.replace(job.directory.appending(path: change.file.path).path, with: change.text)
    }
  }
  // Beside a difference, so that it can be saved alone.
  if job.isCheck {
    for line in port.findings.map(\.text) + ["to change: \(port.summary)"] { printError(line) }
  } else {
    for line in port.findingsAfterwards.map(\.text) + [port.summary] { print(line) }
  }
} catch {
  printError("port: \(error)")
  exit(2)
}
