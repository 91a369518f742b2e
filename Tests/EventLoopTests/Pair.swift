import EventLoop
import Foundation
import Testing

/// A loop, a path, and both ends of one accepted connection.
final class Pair {
  let loop: EventLoop
  let directory: String
  var path: String { directory + "/s" }
  var listener: PipeListener?
  var server: PipeStream?
  var client: PipeStream?

  init() throws {
    loop = try EventLoop()
    directory = NSTemporaryDirectory() + "loop-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  func connect() throws {
    var isConnected = false
    listener = try PipeListener(on: loop, path: path) { [unowned self] error in
      #expect(error == nil)
      server = try? listener?.accept()
    }
    let client = try PipeStream(on: loop)
    try client.connect(to: path) { error in
      #expect(error == nil)
      isConnected = true
    }
    self.client = consume client
    run { isConnected && server != nil }
  }

  func run(until condition: () -> Bool) {
    let deadline = ContinuousClock.now.advanced(by: .seconds(120))
    while !condition(), ContinuousClock.now < deadline { loop.run(.noWait) }
    #expect(condition())
  }

  func end() {
    listener = nil
    server = nil
    client = nil
    loop.close()
    try? FileManager.default.removeItem(atPath: directory)
  }
}
