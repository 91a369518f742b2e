import EventLoop
import Foundation
import StoreHub

/// A log to a file, with a clock that a test controls.
final class LogRecorder {
  var now = Duration.seconds(1000)
  private(set) var log: Log?
  private let file = tmpfile()

  init(level: Log.Level = .info) {
    log = Log(program: "test", level: level, descriptor: fileno(file)) { [unowned self] in now }
  }

  var lines: [String] {
    guard let file else { return [] }
    fflush(file)
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    fseek(file, 0, SEEK_END)
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  isolated deinit {
    if let file { fclose(file) }
  }
}
