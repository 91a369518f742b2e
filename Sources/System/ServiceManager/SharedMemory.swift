internal import CSystemd
internal import Glibc

/// A file, mapped for writing. Its contents survive the process, even after SIGKILL; those of a file in memory while
/// another process has the file open.
package final class SharedMemory {
  /// The open file.
  package let descriptor: CInt
  /// The mapped memory, zero in a new file.
  package let bytes: UnsafeMutableRawBufferPointer

  /// Creates a file in memory; nil if no descriptor or memory is available.
  package init?(name: String, byteCount: Int) {
    // 1 is MFD_CLOEXEC.
    descriptor = memfd_create(name, 1)
    guard descriptor >= 0 else { return nil }
    guard ftruncate(descriptor, off_t(byteCount)) == 0,
      let base = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), base != MAP_FAILED
    else {
      close(descriptor)
      return nil
    }
    bytes = UnsafeMutableRawBufferPointer(start: base, count: byteCount)
  }

  /// Opens or creates a file of this process's user and maps it. What other processes have written is kept.
  ///
  /// - Parameters:
  ///   - path: The path. Links are not followed; a file with another name, or that others may write, is refused.
  ///   - byteCount: The size in bytes, which is allocated, so that no later store fails on a full file system.
  /// - Throws: The reason.
  package init(path: String, byteCount: Int) throws(SharedMemoryError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SharedMemoryError("open", path) }
    do throws(SharedMemoryError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw SharedMemoryError("look at", path) }
      guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o022 == 0,
        status.st_nlink == 1
      else {
        let problem = "is not a file of its own that only this user may write; remove it"
        throw SharedMemoryError(description: "\(path) \(problem)")
      }
      let code = posix_fallocate(descriptor, 0, off_t(byteCount))
      guard code == 0 else { throw SharedMemoryError("allocate", path, code) }
      guard let base = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), base != MAP_FAILED
      else { throw SharedMemoryError("map", path) }
      bytes = UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Stores a byte with release ordering: another process that reads it also sees all earlier stores.
  package static func store(_ value: UInt8, in byte: UnsafeMutablePointer<UInt8>) { csystemd_store(byte, value) }

  deinit {
    munmap(bytes.baseAddress, bytes.count)
    close(descriptor)
  }
}

/// The reason why a file cannot be mapped.
package struct SharedMemoryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problem.
  package let description: String

  init(description: String) { self.description = description }

  init(_ operation: String, _ path: String, _ code: CInt = errno) {
    description = "cannot \(operation) \(path): \(String(cString: strerror(code)))"
  }
}
