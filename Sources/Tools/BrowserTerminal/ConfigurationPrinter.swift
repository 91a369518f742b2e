package import EventLoop
internal import Glibc
internal import ReplicaCore
internal import SchemaBrowser
internal import TerminalApp

/// Prints the configuration of a hub's screens as a file with comments.
package final class ConfigurationPrinter {
  private let settings: BrowserSession.Settings
  private let loop: EventLoop
  private let link: HubLink
  private var timer: Timer?
  private var failure: String?

  /// Creates a printer, which connects when it runs.
  package init(_ settings: BrowserSession.Settings, on loop: EventLoop) throws {
    (self.settings, self.loop) = (settings, loop)
    var options = ReplicaOptions()
    (options.name, options.timeout) = ("storeterm --print-config", settings.terminal.timeout)
    link = try HubLink(on: loop, to: settings.terminal.path, options: options)
    let seconds = "\(options.timeout)".replacing(" seconds", with: " s")
    timer = try Timer(on: loop) { [weak self] in self?.end(because: "the hub has not answered for \(seconds)") }
  }

  /// Prints the configuration to the standard output; returns the reason why it cannot.
  package func run() -> String? {
    link.onConnectionChange = { [weak self] in self?.connectionChanged() }
    timer?.start(after: settings.terminal.timeout)
    link.start()
    loop.run()
    return failure
  }

  private func connectionChanged() {
    switch link.connection {
    case .connecting(_, let failure?) where !settings.terminal.waitsForHub: end(because: failure)
    case .refused(let reason): end(because: reason)
    default:
      guard let schema = link.schema else { return }
      do {
        let configuration = try ConfigurationFiles.read(settings.configurationFile, hub: link.hubName)
        let text = configuration.text(for: HubDescription(link.hubName, schema))
        guard Self.write(text) else {
          return end(because: "the output cannot be written: \(String(cString: strerror(errno)))")
        }
        end(because: nil)
      } catch {
        end(because: "\(error)")
      }
    }
  }

  private static func write(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func end(because reason: String?) {
    failure = reason
    link.close()
    loop.stop()
  }
}
