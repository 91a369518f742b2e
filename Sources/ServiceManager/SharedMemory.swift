internal import CSystemd
internal import Glibc

/// A file in memory, mapped for writing. Its contents survive the process, even after SIGKILL, while another process
/// has the file open.
package final class SharedMemory {
  /// The open file.
  package let descriptor: CInt
  /// The mapped memory, initially zero.
  package let bytes: UnsafeMutableRawBufferPointer

  /// Creates a file; nil if no descriptor or memory is available.
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

  /// Stores a byte with release ordering: another process that reads it also sees all earlier stores.
  package static func store(_ value: UInt8, in byte: UnsafeMutablePointer<UInt8>) { csystemd_store(byte, value) }

  deinit {
    munmap(bytes.baseAddress, bytes.count)
    close(descriptor)
  }
}
