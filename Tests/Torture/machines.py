"""Machines of a cluster: each has a network namespace, a disk of its own, a member of etcd and a hub.

The caller runs in a network and a mount namespace of its own (`scripts/torture-cluster`), so that nothing of the host is
touched. All machines are at one bridge. A direction between two of them is cut by a wrong address of the neighbour: the
packets are lost silently, as behind a broken switch. Single ports are cut by rules of nft within the machine.
"""

import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import time
from datetime import datetime

# How long a replaced member of etcd may take.
LIMIT = 60.0
FS_IOC_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2


def run(*command, check=True, stdin=subprocess.DEVNULL):
    done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


class Network:
    """A bridge, and the authority of the machines' certificates."""

    def __init__(self, directory):
        self.directory = directory
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "none", "/run/netns")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge0", "type", "bridge")
        run("ip", "link", "set", "bridge0", "up")
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=authority", "-keyout", self.path("ca.key"), "-out", self.path("ca.pem"))

    def path(self, name):
        return os.path.join(self.directory, name)

    def certify(self, name, address):
        """Makes a certificate for a node, which is also that of its member of etcd."""
        run("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            f"/CN={name}", "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.csr"))
        with open(self.path(f"{name}.ext"), "w") as file:
            file.write(f"subjectAltName=IP:{address}\n")
        run("openssl", "x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path("ca.pem"), "-CAkey",
            self.path("ca.key"), "-CAcreateserial", "-days", "2", "-extfile", self.path(f"{name}.ext"), "-out",
            self.path(f"{name}.pem"))


class Machine:
    """A machine. Its processes end with the script, and are started again as by a service manager."""

    DISK_BYTES = 512 << 20
    # More than what hubs keep, and so little that the disk has room for all that etcd logs when it is filled.
    ETCD_BYTES = 48 << 20

    def __init__(self, network, name, number, programs):
        self.network, self.name, self.programs = network, name, programs
        self.address, self.hardware = f"10.77.0.{number}", f"02:00:00:00:00:{number:02x}"
        self.socket = network.path(f"{name}.sock")
        self.disk, self.image = network.path(name), network.path(f"{name}.img")
        self.etcd = self.hub = None
        self.cluster, self.cluster_state = "", "new"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"veth-{name}", "type", "veth", "peer", "name", "eth0", "address", self.hardware,
            "netns", name)
        run("ip", "link", "set", f"veth-{name}", "master", "bridge0", "up")
        self.ip("addr", "add", f"{self.address}/24", "dev", "eth0")
        self.ip("link", "set", "lo", "up")
        self.ip("link", "set", "eth0", "up")
        network.certify(name, self.address)
        self.make_disk()

    def ip(self, *arguments):
        run("ip", "-n", self.name, *arguments)

    @property
    def inside(self):
        """The beginning of a command in the machine's network. `ip netns exec` would keep copies of all mounts."""
        return ["nsenter", f"--net=/run/netns/{self.name}"]

    # The disk

    def make_disk(self):
        """Makes an empty disk in place of the one that there was."""
        with open(self.image, "wb") as image:
            image.truncate(self.DISK_BYTES)
        run("mkfs.ext4", "-q", "-F", self.image)
        os.makedirs(self.disk, exist_ok=True)
        self.mount()

    def mount(self):
        run("mount", "-o", "loop", self.image, self.disk)

    def unmount(self):
        run("umount", self.disk)

    def fill(self):
        """Fills the disk up to the last block."""
        with open(os.path.join(self.disk, "ballast"), "wb", buffering=0) as file:
            for size in (1 << 20, 4096):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    pass

    def make_room(self):
        os.remove(os.path.join(self.disk, "ballast"))

    # The processes

    def configure(self, machines):
        """Writes the configuration of the hub."""
        nodes = ", ".join(f"{other.name}@{other.address}:7400" for other in machines)
        members = ", ".join(f"https://{other.address}:2379" for other in machines)
        self.cluster = ",".join(f"{other.name}=http://{other.address}:2380" for other in machines)
        path = self.network.path
        with open(path(f"{self.name}.conf"), "w") as file:
            file.write(
                f"[cluster]\nnode = {self.name}\nnodes = {nodes}\netcd = {members}\nca = {path('ca.pem')}\n"
                f"cert = {path(self.name + '.pem')}\nkey = {path(self.name + '.key')}\nuids = shared\n"
                "keep = 8M\n")

    def spawn(self, kind, *command):
        with open(self.network.path(f"{self.name}.{kind}.log"), "ab") as log:
            return subprocess.Popen(
                [*self.inside, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})

    def start_etcd(self):
        url, path = f"https://{self.address}:2379", self.network.path
        self.etcd = self.spawn(
            "etcd", "etcd", "--name", self.name, "--data-dir", os.path.join(self.disk, "etcd"), "--listen-client-urls",
            url, "--advertise-client-urls", url, "--listen-peer-urls", f"http://{self.address}:2380",
            "--initial-advertise-peer-urls", f"http://{self.address}:2380", "--initial-cluster", self.cluster,
            "--initial-cluster-state", self.cluster_state, "--heartbeat-interval", "100", "--election-timeout", "1000",
            "--pre-vote", "--quota-backend-bytes", str(self.ETCD_BYTES), "--snapshot-count", "10000", "--max-wals", "2",
            "--cert-file", path(f"{self.name}.pem"), "--key-file", path(f"{self.name}.key"), "--trusted-ca-file",
            path("ca.pem"), "--client-cert-auth", "--logger", "zap", "--log-level", "info")

    def start_hub(self):
        self.hub = self.spawn(
            "hub", self.programs.hub, "--socket", self.socket, "--state-dir", os.path.join(self.disk, "hub"), "--config",
            self.network.path(f"{self.name}.conf"))

    def start(self):
        """Starts what does not run."""
        if self.etcd is None:
            self.start_etcd()
        if self.hub is None:
            self.start_hub()

    def restart_ended(self):
        """Does what a service manager does; returns what has ended by itself: its kind, its machine and its status."""
        ended = []
        for kind, start in (("etcd", self.start_etcd), ("hub", self.start_hub)):
            process = getattr(self, kind)
            if process is not None and process.poll() is not None:
                ended.append((kind, self.name, process.returncode))
                start()
        return ended

    def signal(self, number, *kinds):
        """Sends a signal to the processes of these kinds, by default to both."""
        for kind in kinds or ("hub", "etcd"):
            process = getattr(self, kind)
            if process is not None and process.poll() is None:
                process.send_signal(number)

    def kill(self, *kinds):
        """Kills the processes of these kinds, by default both."""
        kinds = [kind for kind in kinds or ("hub", "etcd") if getattr(self, kind) is not None]
        for kind in kinds:
            self.signal(signal.SIGKILL, kind)
        for kind in kinds:
            getattr(self, kind).wait()
            setattr(self, kind, None)

    def fall_silent(self):
        """Ends the network: nobody is told that the connections end, as when a machine loses its power."""
        self.filter("output drop", "input drop")

    def lose_power(self):
        """Ends the disk without writing what is in memory, and the processes. `start` needs `mount` before."""
        self.fall_silent()
        descriptor = os.open(self.disk, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, FS_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(descriptor)
        self.kill()
        self.unmount()

    def lose_disk(self):
        """Ends the processes and takes all that they have stored: the machine is replaced by a new one."""
        self.fall_silent()
        self.kill()
        self.unmount()
        self.make_disk()
        os.remove(f"{self.socket}.history")

    def replace_member(self, other):
        """Tells etcd, over the member of another machine, that this machine's member begins without data."""
        url, deadline = f"http://{self.address}:2380", time.monotonic() + LIMIT
        self.cluster_state, earlier = "existing", None
        while True:
            try:
                # Each line: id, status, name, URL of the peers, ... A call without an answer may have taken effect.
                members = [line.split(", ") for line in other.etcdctl("member", "list").splitlines()]
                mine = [line[0] for line in members if line[3] == url]
                earlier = earlier or mine[0]
                if earlier in mine:
                    other.etcdctl("member", "remove", earlier)
                elif mine:
                    return
                else:
                    # It refuses while the others have not been connected for 5 s.
                    other.etcdctl("member", "add", self.name, f"--peer-urls={url}")
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def wait_for_member(self):
        """Waits until this machine's member has copied what etcd had at the beginning."""
        self.etcdctl("endpoint", "health", patience=LIMIT)

    def fill_etcd(self):
        """Writes what does not belong there until etcd refuses it: the members have no room then."""
        with open(self.network.path("filler"), "wb") as file:
            file.write(os.urandom(1 << 20))
        count, deadline = 0, time.monotonic() + LIMIT * 5
        while True:
            try:
                with open(file.name, "rb") as value:
                    self.etcdctl("put", f"filler/{count}", stdin=value)
                count += 1
            except OSError as error:
                if "database space exceeded" in str(error):
                    return
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def make_room_in_etcd(self, machines):
        """Does what docs/CLUSTER.md tells an operator."""
        self.etcdctl("del", "--prefix", "filler/", patience=LIMIT)
        self.compact_etcd()
        deadline = time.monotonic() + LIMIT
        for machine in machines:
            # The other members may still be compacting.
            while machine.etcd_status()["dbSize"] > self.ETCD_BYTES * 3 / 4:
                if time.monotonic() > deadline:
                    raise OSError(f"the member of {machine.name} does not get smaller")
                machine.etcdctl("--command-timeout=60s", "defrag", patience=LIMIT)
        self.etcdctl("alarm", "disarm", patience=LIMIT)

    def compact_etcd(self):
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                self.etcdctl("compact", "--physical", str(self.etcd_status()["header"]["revision"]))
                return
            except OSError as error:
                # A hub was faster.
                if "has been compacted" in str(error):
                    return
                if time.monotonic() > deadline:
                    raise

    def clear_alarm(self, machines):
        """Makes room again if there is an alarm, or one follows soon."""
        end = time.monotonic() + 2
        while time.monotonic() < end:
            if self.etcdctl("alarm", "list", patience=LIMIT).strip():
                return self.make_room_in_etcd(machines)
            time.sleep(0.2)

    def etcd_status(self):
        return json.loads(self.etcdctl("endpoint", "status", "--write-out=json", patience=LIMIT))[0]["Status"]

    def etcdctl(self, *arguments, patience=0.0, stdin=subprocess.DEVNULL):
        """Runs a command of the machine's member of etcd; repeats it for some seconds while it fails."""
        path, deadline = self.network.path, time.monotonic() + patience
        while True:
            try:
                return run(
                    *self.inside, "env", "ETCDCTL_API=3", "etcdctl", f"--endpoints=https://{self.address}:2379",
                    f"--cacert={path('ca.pem')}", f"--cert={path(self.name + '.pem')}",
                    f"--key={path(self.name + '.key')}", *arguments, stdin=stdin)
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    # The network

    def cut(self, *others):
        """Loses what this machine sends to others."""
        for other in others:
            self.ip("neigh", "replace", other.address, "lladdr", "02:00:00:00:00:ff", "dev", "eth0", "nud", "permanent")

    def filter(self, *rules):
        """Adds rules of nft to what this machine sends (`output`) and receives (`input`), in place of those before."""
        table = "inet faults"
        text = [f"add table {table}", f"flush table {table}"]
        for hook in ("input", "output"):
            text.append(f"add chain {table} {hook} {{ type filter hook {hook} priority 0; }}")
        text += [f"add rule {table} {rule}" for rule in rules]
        run(*self.inside, "nft", "; ".join(text))

    def heal(self, machines):
        """Ends all that `cut` and `filter` of this machine have done."""
        for other in machines:
            if other is not self:
                self.ip("neigh", "replace", other.address, "lladdr", other.hardware, "dev", "eth0", "nud", "permanent")
        self.filter()

    # What is left

    def log(self):
        with open(self.network.path(f"{self.name}.hub.log"), errors="replace") as file:
            return file.read()

    def verify(self):
        """What `storectl cluster verify` objects to; None if nothing, or there is no storectl."""
        if not self.programs.storectl:
            return None
        done = subprocess.run(
            [*self.inside, self.programs.storectl, "cluster", "verify", "--state-dir", os.path.join(self.disk, "hub"),
             "--config", self.network.path(f"{self.name}.conf")], capture_output=True, text=True, check=False)
        return f"status {done.returncode}\n{done.stdout}{done.stderr}" if done.returncode else None

    def elections(self):
        """The times at which the member of etcd has learnt of a new leader of etcd."""
        times = []
        with open(self.network.path(f"{self.name}.etcd.log"), errors="replace") as file:
            for line in file:
                if " elected leader " in line and line.startswith("{"):
                    times.append(datetime.fromisoformat(json.loads(line)["ts"]).timestamp())
        return times

    def close(self):
        self.signal(signal.SIGCONT)
        self.kill()
        run("umount", "-l", self.disk, check=False)
        if os.path.exists(self.image):
            os.remove(self.image)


def missing():
    """What the machine lacks for this, or None."""
    if os.geteuid():
        return "network namespaces and disks need root (try sudo)"
    packages = {"ip": "iproute2", "nft": "nftables", "nsenter": "util-linux", "etcd": "etcd-server",
                "etcdctl": "etcd-client", "openssl": "openssl", "mkfs.ext4": "e2fsprogs"}
    lacking = [package for name, package in packages.items() if not shutil.which(name)]
    return f"needs what is missing here. On Debian: apt-get install {' '.join(lacking)}" if lacking else None
