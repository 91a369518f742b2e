internal import Glibc
internal import HubCore
internal import ProgramOptions
internal import ServiceManager
internal import ServiceProcess
internal import Wire

/// The file of the hub's `ActionMark`, beside the socket.
///
/// It is there while the hub runs, and after a crash until the next hub at the same path reads it. The directories of
/// sockets are usually in memory, so no disk delays an action, and a start of the machine begins anew.
final class MarkFile {
  let mark: ActionMark
  private let path: String
  private let memory: SharedMemory

  /// Opens the file for a socket, which this process has claimed; logs the reason if that is impossible.
  ///
  /// - Parameters:
  ///   - socket: The path of the socket.
  ///   - schema: The schema of the feature.
  ///   - log: The operator's log.
  init?(besideSocket socket: String, schema: Schema, log: Log) {
    path = socket + ".mark"
    do throws(SharedMemoryError) {
      memory = try SharedMemory(path: path, byteCount: ActionMark.byteCount)
    } catch {
      log.write(.warning, "an action that crashes the hub will not be recognised after the restart: \(error)")
      return nil
    }
    mark = ActionMark(in: memory.bytes, of: memory, schema: schema)
    LastWords.keep(in: mark.message)
  }

  /// Removes the file at an end in order.
  func remove() {
    mark.clear()
    unlink(path)
  }

  isolated deinit { LastWords.forget(mark.message) }
}
