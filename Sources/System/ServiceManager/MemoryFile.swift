internal import CSystemd
internal import Glibc

/// A file in memory without a path, which exists while any process has it open: memfd_create(2).
///
/// A process can pass it to the next one with `ServiceManager.store`.
package struct MemoryFile: ~Copyable {
  /// The open file.
  package let descriptor: CInt

  /// Creates a file with these bytes; nil if there are no descriptors or no memory left.
  package init?(name: String, containing bytes: RawSpan) {
    // 1 is MFD_CLOEXEC.
    descriptor = memfd_create(name, 1)
    guard descriptor >= 0 else { return nil }
    let isWritten = bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        offset += count
      }
      return true
    }
    guard isWritten else { return nil }
  }

  /// Returns all bytes of a file from another process, or nil if they cannot be read. The caller still owns the
  /// descriptor.
  package static func contents(of descriptor: CInt) -> [UInt8]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let size = Int(status.st_size)
    var offset = 0
    var hasFailed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while offset < size {
        let read = pread(descriptor, buffer.baseAddress?.advanced(by: offset), size - offset, off_t(offset))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else {
          hasFailed = true
          break
        }
        offset += read
      }
      count = offset
    }
    return hasFailed ? nil : bytes
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
