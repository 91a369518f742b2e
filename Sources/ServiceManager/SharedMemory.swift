internal import CSystemd
internal import Glibc

/// A file in memory that is mapped for writing: what is stored in it survives the process, even if that is killed, for as
/// long as somebody has the file open.
public final class SharedMemory {
  /// The open file.
  public let descriptor: CInt
  /// The memory, filled with zeros at first.
  public let bytes: UnsafeMutableRawBufferPointer

  /// Creates a file; nil without descriptors or memory for it.
  public init?(name: String, byteCount: Int) {
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

  /// Stores a byte after everything that was stored before, in the order in which another process will see it.
  public static func store(_ value: UInt8, in byte: UnsafeMutablePointer<UInt8>) { csystemd_store(byte, value) }

  deinit {
    munmap(bytes.baseAddress, bytes.count)
    close(descriptor)
  }
}
