internal import CSystemd
internal import Glibc

/// A descriptor that the service manager passed to this process at its start: a listening socket, or one that the
/// previous process has stored.
package struct PassedDescriptor: Equatable, Sendable {
  /// The descriptor. It is closed when the process executes another program.
  package let descriptor: CInt
  /// Its name: `FileDescriptorName=` of the socket unit, or the name under which it was stored.
  package let name: String

  /// Creates a description of a descriptor.
  package init(descriptor: CInt, name: String) { (self.descriptor, self.name) = (descriptor, name) }

  /// Returns all passed descriptors; none the second time.
  ///
  /// - Throws: The errno, if the passed descriptors cannot be used.
  package static func take() throws(PassedDescriptorError) -> [PassedDescriptor] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    // Also removes the environment variables, so that child processes do not use the descriptors as theirs.
    let count = sd_listen_fds_with_names(1, &names)
    guard count >= 0 else { throw PassedDescriptorError(errno: -count) }
    defer {
      for index in 0..<Int(count) { free(names?[index]) }
      free(names)
    }
    return (0..<count).map { index in
      let name = names?[Int(index)].map { String(cString: $0) } ?? ""
      return PassedDescriptor(descriptor: CInt(SD_LISTEN_FDS_START) + index, name: name)
    }
  }

  /// True if it is a listening Unix stream socket.
  package var isListeningUnixSocket: Bool {
    sd_is_socket_unix(descriptor, CInt(SOCK_STREAM.rawValue), 1, nil, 0) > 0
  }

  /// True if it is a listening stream socket of any family.
  package var isListeningStreamSocket: Bool {
    sd_is_socket(descriptor, AF_UNSPEC, CInt(SOCK_STREAM.rawValue), 1) > 0
  }

  /// The path of a Unix socket; nil for other descriptors and other addresses.
  package var socketPath: String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    return withUnsafeBytes(of: address.sun_path) { bytes in
      let path = bytes.prefix { $0 != 0 }
      return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
    }
  }
}

/// The reason why the passed descriptors cannot be used.
package struct PassedDescriptorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The errno.
  package let errno: CInt

  /// A description of the problem.
  package var description: String {
    "cannot take the descriptors that the service manager passed: \(String(cString: strerror(errno)))"
  }
}
