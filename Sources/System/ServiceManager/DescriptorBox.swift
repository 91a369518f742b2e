internal import CSystemd
internal import Glibc

/// A single descriptor that contains many others: a socket with messages that hold them (`SCM_RIGHTS`, unix(7)).
///
/// The descriptors in a box stay open while any process has the box open, and can be taken out once. All boxes of a
/// user together can contain as many descriptors as a process may open files.
package struct DescriptorBox: ~Copyable {
  /// The descriptor of the box, to be passed on.
  package let descriptor: CInt

  /// Creates a box with copies of these descriptors; nil if they cannot be put into it.
  package init?(containing descriptors: [CInt]) {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let result = socketpair(AF_UNIX, type, 0, &ends)
    descriptor = ends[0]
    guard result == 0 else { return nil }
    defer { close(ends[1]) }
    let limit = csystemd_descriptors_per_message
    for start in stride(from: 0, to: descriptors.count, by: limit) {
      let batch = Array(descriptors[start..<min(start + limit, descriptors.count)])
      guard csystemd_send_descriptors(ends[1], batch, CInt(batch.count)) == 0 else { return nil }
    }
  }

  /// Takes all descriptors out of a box, in order; none the second time. The caller still owns the box.
  package static func take(from box: CInt) -> [CInt] {
    var taken: [CInt] = []
    var batch = [CInt](repeating: -1, count: csystemd_descriptors_per_message)
    while true {
      let count = csystemd_receive_descriptors(box, &batch)
      guard count >= 0 else { return taken }
      taken += batch[..<Int(count)]
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
