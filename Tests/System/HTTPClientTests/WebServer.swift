import Foundation

/// A web server in a separate process, which answers by path: `/ok`, `/large`, `/slow`, and facts at `/N/trivia`.
final class WebServer {
  private static let script = """
    import http.server, sys, time
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            parts = self.path.strip("/").split("/")
            if self.path == "/slow": time.sleep(20)
            if self.path == "/redirect":
                self.send_response(302); self.send_header("Location", "/ok"); self.end_headers(); return
            body = {"/ok": b"fine", "/large": b"x" * 100000}.get(self.path)
            if len(parts) == 2 and parts[1] == "trivia": body = (parts[0] + " is served.").encode()
            self.send_response(404 if body is None else 200); self.end_headers()
            self.wfile.write(body or b"nothing here")
        def log_message(self, *_): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """

  private let process = Process()
  let url: String

  init() throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--default-signal", "python3", "-c", Self.script]
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    url = "http://127.0.0.1:\(line.trimmingCharacters(in: .whitespacesAndNewlines))"
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}
