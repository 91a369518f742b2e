import Foundation
import TestSupport
import Testing

/// The output of storectl: readers that stop, leave, or are the journal of a service, and full disks.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct ControlOutputTests {
  /// Such as that of timeout(1), which sends no second one.
  @Test func oneSignalEndsItAlthoughItsReaderHasStopped() throws {
    let hub = try HubProcess(awaitsLog: false)
    _ = hub.kill(SIGKILL)
    let state = hub.directory + "/state"
    try hub.start(["--state-dir", state])
    #expect(try Program(name: "storeload").run("--socket", hub.socket, "-n", "3000", "-d", "1").status == 0)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--default-signal", Program(name: "storectl").url.path, "log", "--state-dir", state]
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
    try process.run()
    // The pipe is full, and nobody reads it.
    #expect(
      hub.wait {
        var count: CInt = 0
        return ioctl(output.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &count) == 0 && count > 60_000
      })
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    #expect(process.terminationStatus == 143)
  }

  /// A script must not take lost output for an empty answer, nor store another text than it was given.
  @Test func whatCannotBeWrittenOrReadIsAnError() throws {
    let hub = try HubProcess()
    let log = hub.directory + "/errors"
    func end(_ arguments: [String], shell: String) throws -> (status: Int32, errors: String) {
      let process = try Program(name: "storectl").start(
        ["--socket", hub.socket] + arguments, errors: log, shell: shell)
      process.waitUntilExit()
      return (process.terminationStatus, try String(contentsOfFile: log, encoding: .utf8))
    }
    for arguments in [["state"], ["log", "--help"]] {
      let closed = try end(arguments, shell: "exec >&-; exec")
      #expect(closed.status == 1 && closed.errors.contains("cannot write the output: Bad file descriptor"))
    }
    let wrong = try end([], shell: "set -- \"$@\" send todos.addButtonTapped \"$(printf 'a\\377b')\"; exec")
    #expect(wrong.status == 2 && wrong.errors.contains("is not valid UTF-8"), "\(wrong)")
    #expect(try Program(name: "storectl").run("--socket", hub.socket, "state", "todos.todos").output == "[]\n")
  }

  /// It ends as soon as its reader has closed the pipe, even without a change to write.
  @Test func aReaderMayLeave() throws {
    let hub = try HubProcess()
    let outcome = try hub.control("watch --json counter.count | head -n 1")
    #expect(outcome.output == #"{"event":"value","revision":0,"value":0}"# + "\n")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(try hub.control("schema | head -n 1").status == 0)
  }

  /// A command that does more than print does it without a reader, too.
  @Test func anActionIsSentWithoutAReader() throws {
    let hub = try HubProcess()
    for _ in 0..<5 {
      let outcome = try hub.control("send counter.incrementButtonTapped | true; exit ${PIPESTATUS[0]}")
      #expect(outcome.status == 0, "\(outcome)")
    }
    #expect(try Program(name: "storectl").run("--socket", hub.socket, "state", "counter.count").output == "5\n")
  }

  /// Nothing can be read from the standard output of a service: systemd connects it to the journal and closes that
  /// direction.
  @Test func theOutputOfAServiceIsWritten() throws {
    let hub = try HubProcess()
    let script = """
      import socket, subprocess, sys
      mine, its = socket.socketpair()
      its.shutdown(socket.SHUT_RD)
      status = subprocess.run(sys.argv[1:], stdout=its).returncode
      its.close()
      sys.stdout.write(mine.makefile().read())
      sys.exit(status)
      """
    func run(_ words: String) throws -> Program.Outcome {
      let control = Program(name: "storectl").url.path
      let python = try #require(Python.path)
      return try hub.control("--version; '\(python)' -c '\(script)' '\(control)' \(words)")
    }
    #expect(try run("send counter.incrementButtonTapped").status == 0)
    #expect(try run("state counter.count").output.hasSuffix("\n1\n"))
  }

  @Test func aReaderThatDoesNotReadGetsTheLastState() throws {
    let hub = try HubProcess()
    let watch = try RunningControl(hub, "watch", "--json")
    #expect(watch.line() != nil)
    // More than the pipe and the buffer can hold.
    try hub.load(4000)
    try hub.load(4000)
    var last: Int?
    while last != 8000, let line = watch.line() {
      let value = try jsonObject(line)?["value"] as? [String: Any]
      last = (value?["counter"] as? [String: Any])?["count"] as? Int
    }
    #expect(last == 8000)
    try hub.load(4000)
    // It can be interrupted.
    #expect(watch.status(after: SIGINT) == 130)
  }

  /// A script that repeats a failed command must not make the change twice.
  @Test func aChangeWhoseOutputIsLostHasAStatusOfItsOwn() throws {
    let hub = try HubProcess()
    for options in ["--diff", "--json"] {
      let outcome = try hub.control("send counter.incrementButtonTapped \(options) > /dev/full")
      #expect(outcome.status == 10, "\(outcome)")
      #expect(
        outcome.errors
          == "storectl: cannot write the output: No space left on device; but the action took effect\n")
    }
    #expect(try hub.control("state counter.count").output == "2\n")
    let rejected = try hub.control("send counter.cout --diff > /dev/full")
    #expect(rejected.status == 3)
  }

  @Test func outputThatCannotBeWrittenIsAnError() throws {
    let hub = try HubProcess()
    let outcome = try hub.control("state > /dev/full")
    #expect(outcome.status == 1)
    #expect(outcome.errors == "storectl: cannot write the output: No space left on device\n")
    // The other programs, and what every program prints.
    for (name, words) in [
      ("storectl", "--help"), ("storehubd", "--check-config"),
      ("storeload", "-n 5 --timeout \(Program.limit) --socket '\(hub.socket)'"),
      ("storesim", "--bug list"),
    ] {
      let program = Program(name: name).url.path
      let outcome = try hub.control("--version > /dev/null; '\(program)' \(words) > /dev/full")
      #expect(outcome.status == 1, "\(name)")
      #expect(outcome.errors.hasSuffix("\(name): cannot write the output: No space left on device\n"), "\(name)")
    }
    // The reader of a pipe may close it.
    #expect(try hub.control("--help=man | true").errors.isEmpty)
  }
}
