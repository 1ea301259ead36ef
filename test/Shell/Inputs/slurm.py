# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Slurm cluster of this machine alone: munged, slurmctld and slurmd of its own, which end with it.

slurm.py COMMAND... runs a command in such a cluster.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


def free_ports(count):
    """Ports that nobody listens at now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Cluster:
    """``with Cluster() as cluster``: programs that get ``cluster.environment`` are its users."""

    def __init__(self, ranks=16):
        self.folder = tempfile.mkdtemp(prefix="slurm-", dir="/tmp")
        self.processes = []
        self.environment = {"SLURM_CONF": os.path.join(self.folder, "slurm.conf")}
        os.chmod(self.folder, 0o755)
        control, node = free_ports(2)
        user, host = pwd.getpwuid(os.geteuid()).pw_name, socket.gethostname().split(".")[0]
        lines = f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={control}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
TmpFS={self.folder}
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=pmix
ReturnToService=2
SwitchType=switch/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={ranks} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE
"""
        for name in "state", "spool":
            os.mkdir(os.path.join(self.folder, name))
        with open(self.environment["SLURM_CONF"], "w") as file:
            file.write(lines)
        self.path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])

    def start(self, *words):
        log = open(os.path.join(self.folder, f"{words[0]}.out"), "w")
        self.processes.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                               env={**os.environ, **self.environment, "PATH": self.path}))
        log.close()

    def __enter__(self):
        folder = self.folder
        key = os.path.join(folder, "munge.key")
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(os.urandom(1024))
        try:
            self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                       f"--log-file={folder}/munged.log", f"--pid-file={folder}/munged.pid",
                       f"--seed-file={folder}/munged.seed")
            self.start("slurmctld", "-D", "-i")
            self.start("slurmd", "-D")
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait(self):
        end = time.monotonic() + 60
        while True:
            shown = subprocess.run(["sinfo", "-h", "-o", "%t"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, check=False, env={**os.environ, **self.environment})
            if shown.stdout.strip() == "idle":
                return
            if time.monotonic() > end:
                raise RuntimeError(f"no node is there: {shown.stdout} {shown.stderr}\n{self.logs()}")
            time.sleep(0.1)  # A daemon that has begun sends no event.

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(os.path.join(self.folder, name), errors="replace") as file:
                    text += f"--- {name}\n{file.read()[-3000:]}\n"
        return text

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


if __name__ == "__main__":
    with Cluster() as cluster:
        code = subprocess.run(sys.argv[1:], env={**os.environ, **cluster.environment}, check=False).returncode
        if code:
            print(cluster.logs(), file=sys.stderr)
    sys.exit(code)
