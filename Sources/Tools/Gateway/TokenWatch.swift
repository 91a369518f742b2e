internal import EventLoop
internal import GatewayTokens

/// Watches the file with the tokens, which each change replaces, through its directory.
final class TokenWatch {
  private let watch: FileWatch

  /// Calls `onChange` when the file may have changed, and when another file of its directory has.
  ///
  /// - Throws: An error if there is no such directory, because a revocation would not be noticed.
  init(_ file: TokenFile, on loop: EventLoop, onChange: @escaping () -> Void) throws(UVError) {
    watch = try FileWatch(on: loop, path: file.directory, onChange)
  }
}
