internal import Glibc

/// Opens /dev/null for each closed descriptor from 0 to 2.
///
/// Otherwise the next opened file, such as the event loop's, would get that number, and log lines would be written to
/// it. Call it before opening other files; `ProgramOptions.read` does.
package func openStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
    // open(2) returns the lowest free descriptor, which is this one.
    guard open("/dev/null", O_RDWR) == descriptor else { Glibc.exit(71) }  // EX_OSERR, sysexits.h
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
