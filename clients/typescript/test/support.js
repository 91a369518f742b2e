// A real hub, and a proxy in front of it that cuts connections.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "./golden.js";

/** The hub's program: `$STOREHUBD`, or the debug build. */
export const program = process.env.STOREHUBD ?? `${repository}.build/debug/storehubd`;
/** False if the hub was not built; then the tests with a real hub are left out, and say so. */
export const hasHub = existsSync(program);
export const withHub = { skip: hasHub ? false : `${program} does not exist; build it, or set STOREHUBD`, timeout: 480_000 };

/** Options of a client whose hub may be paused. */
export const patience = { timeout: 120_000, answerTimeout: 120_000 };

export function temporaryDirectory(t) {
  const directory = mkdtempSync(join(tmpdir(), "storehub-"));
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

export class TestHub {
  constructor(t, { isDurable = false, options = [] } = {}) {
    // Hooks run in the order in which they are added: the hub ends before its directory does.
    t.after(() => this.kill());
    this.directory = temporaryDirectory(t);
    this.socket = join(this.directory, "hub.sock");
    this.options = isDurable ? [...options, "--state-dir", join(this.directory, "state")] : options;
  }

  async start() {
    this.process = spawn(program, ["--socket", this.socket, "--log-level", "error", ...this.options], { stdio: ["ignore", "ignore", "pipe"] });
    this.errors = "";
    this.process.stderr.on("data", data => (this.errors += data));
    this.ended = once(this.process, "exit");
    for (;;) {
      if (await canConnect(this.socket)) return this;
      if (this.process.exitCode !== null) throw new Error(`the hub has ended: ${this.errors}`);
      await pause(10);
    }
  }

  async kill(signal = "SIGKILL") {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(signal);
    await this.ended;
  }
}

/** Stops a process until SIGCONT: returns when none of its threads runs any more. */
export async function stop(process) {
  process.kill("SIGSTOP");
  const threads = `/proc/${process.pid}/task`;
  const runs = thread => !/\) [Tt] /.test(readFileSync(`${threads}/${thread}/stat`, "utf8"));
  await eventually(() => !readdirSync(threads).some(runs), "the stop of the process");
}

export function pause(milliseconds) {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}

function canConnect(path) {
  return new Promise(resolve => {
    const socket = createConnection({ path });
    socket.on("connect", () => { socket.destroy(); resolve(true); });
    socket.on("error", () => resolve(false));
  });
}

/** Passes bytes between clients and a hub, and cuts connections after a number of bytes, also inside frames. */
export class FaultProxy {
  constructor(t, target, next) {
    this.target = target;
    this.next = next;
    t.after(() => {
      this.server.close();
      this.cutAll();
    });
    this.path = join(temporaryDirectory(t), "proxy.sock");
    this.pairs = new Set();
    this.cuts = 0;
    /** The bytes after which a connection is cut, drawn from 0 to this; Infinity for none. */
    this.most = Infinity;
    this.server = createServer({ allowHalfOpen: true }, client => this.join(client));
  }

  async start() {
    this.server.listen(this.path);
    await once(this.server, "listening");
    return this;
  }

  join(client) {
    const hub = createConnection({ path: this.target });
    const pair = { client, hub, left: this.most === Infinity ? Infinity : Math.floor(this.next() * this.most) };
    this.pairs.add(pair);
    const cut = () => {
      if (!this.pairs.delete(pair)) return;
      client.destroy();
      hub.destroy();
    };
    for (const [from, to] of [[client, hub], [hub, client]]) {
      from.on("data", bytes => {
        if (bytes.length < pair.left) {
          pair.left -= bytes.length;
          to.write(bytes);
          return;
        }
        this.cuts += 1;
        to.write(bytes.subarray(0, pair.left), cut);
        pair.left = 0;
        from.pause();
      });
      from.on("error", cut);
      from.on("close", cut);
      from.on("end", () => to.end());
    }
  }

  cutAll() {
    for (const { client, hub } of this.pairs) {
      client.destroy();
      hub.destroy();
    }
    this.pairs.clear();
  }
}

/** Waits until a condition is true, or fails after two minutes. */
export async function eventually(condition, what) {
  const end = performance.now() + 120_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within two minutes: ${what}`);
    await pause(5);
  }
}
