internal import CGlibc
internal import Glibc

/// Opens /dev/null for each closed descriptor from 0 to 2.
///
/// Otherwise the next opened file, such as the event loop's, would get that number, and log lines would be written to
/// it. Standard output cannot be written then, and standard input not be read: a program whose output is lost must not
/// succeed, and a closed input is not an empty one. Call it before opening other files; `ProgramOptions.read` does.
package func openStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
    // open(2) returns the lowest free descriptor, which is this one.
    let mode = descriptor == STDIN_FILENO ? O_WRONLY : descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR
    guard open("/dev/null", mode) == descriptor else { Glibc.exit(71) }  // EX_OSERR, sysexits.h
  }
}

/// Makes the process end with status 1 and a message if it has printed something that could not be written.
///
/// Otherwise a full disk would go unnoticed. A reader that has closed the pipe is not an error.
package func checkOutputAtExit() {
  atexit {
    errno = 0
    guard !cglibc_flush_output() else { return }
    let code = errno
    var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&output, 1, 0) == 1, output.revents & Int16(POLLERR) != 0 { return }
    let reason = code == 0 ? "an error occurred" : String(cString: strerror(code))
    printError("\(ProcessArguments.programName): cannot write the output: \(reason)")
    _exit(1)
  }
}

/// Raises the soft limit of open descriptors to the hard limit, and returns it.
package func raiseDescriptorLimit() -> UInt {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return 1024 }
  let soft = limit.rlim_cur
  limit.rlim_cur = limit.rlim_max
  guard setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return UInt(soft) }
  return UInt(limit.rlim_cur)
}
