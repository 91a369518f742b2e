import CLibFuzzer
import Fuzzing
import Glibc

// FUZZ_TARGET=NAME storefuzz [option or directory of libFuzzer ...] fuzzes one target; `storefuzz write DIRECTORY`
// writes the stored corpora there, and `storefuzz list` prints the targets. The target is not an argument because
// libFuzzer restarts the program with its own arguments.

/// The target named in the environment.
enum Chosen {
  static let target = getenv("FUZZ_TARGET").flatMap { FuzzTarget.named(String(cString: $0)) }
}

switch (CommandLine.arguments.dropFirst().first, Chosen.target) {
case ("list", _):
  for target in FuzzTarget.all where !target.isCanary { print(target.name) }
case ("write", _) where CommandLine.arguments.count == 3:
  for target in FuzzTarget.all { try Corpus(target).write(to: "\(CommandLine.arguments[2])/\(target.name)") }
case (_, nil):
  print("FUZZ_TARGET is none of \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
  exit(2)
default:
  var count = CommandLine.argc
  var arguments = CommandLine.unsafeArgv
  let status = withUnsafeMutablePointer(to: &arguments) { arguments in
    arguments.withMemoryRebound(to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1) { arguments in
      LLVMFuzzerRunDriver(&count, arguments) { data, size in
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        do {
          try Chosen.target?.run(input)
        } catch {
          fatalError("a promise is broken: \(error)")
        }
        return 0
      }
    }
  }
  exit(status)
}
