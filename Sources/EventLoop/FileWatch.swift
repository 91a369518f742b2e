internal import CUV

/// Calls a function when the file at a path may have changed: its attributes, its name, or its removal.
///
/// It watches the file itself, not the path: if another file replaces it, create a new watch. It costs nothing while
/// the file does not change (inotify(7)).
public struct FileWatch: ~Copyable {
  private final class Box: HandleBox {
    var onChange: (() -> Void)?
    override func forgetCallbacks() { onChange = nil }
  }

  private let box: Box

  /// Watches until the value is destroyed. It does not keep the loop alive.
  ///
  /// - Throws: `noSuchFile`, or an error if the user has no inotify watches left.
  public init(on loop: EventLoop, path: String, _ onChange: @escaping () -> Void) throws(UVError) {
    box = Box(loop: loop, type: UV_FS_EVENT)
    box.onChange = onChange
    try unsafe box.open("watch a file") {
      unsafe uv_fs_event_init(loop.pointer, $0.assumingMemoryBound(to: uv_fs_event_t.self))
    }
    box.keepsLoopAlive(false)
    let code = unsafe uv_fs_event_start(
      box.pointer(uv_fs_event_t.self),
      { handle, _, _, _ in
        guard let handle = unsafe handle else { return }
        unsafe onLoop(UnsafeMutableRawPointer(handle)) { unsafe Box.of($0).onChange?() }
      }, path, 0)
    try check(code, "watch", path)
  }

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}
