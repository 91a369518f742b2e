internal import Glibc
internal import Synchronization

/// The names that were looked up, by user id; nil for users without a name.
private let knownNames = Mutex<[UInt32: String?]>([:])

/// Returns the name of a user of this machine; nil if it has none. Each user is looked up once, since drawn lists ask
/// often and the system's answer may take long.
package nonisolated func userName(_ number: UInt32) -> String? {
  knownNames.withLock { names in
    if let known = names[number] { return known }
    let name = getpwuid(number).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
    names[number] = .some(name)
    return name
  }
}
