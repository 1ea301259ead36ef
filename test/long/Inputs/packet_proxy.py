#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands where LLDB expects its lldb-server (LLDB_DEBUGSERVER_PATH), with the real one behind it.

PACKET_PROXY says what it does, as JSON: {"server": PATH, "do": ...}
- "record": passes everything on, and writes what was said to "file" at the end.
- "replay": has no server; answers as in "file", some answers ("chance") behind the first ones ("after") mutated by "seed". "log" gets the number of those.
- "inject": passes everything on. Once the file "trigger" is there, it sends the server "count" mutated requests, made of those that LLDB has sent, and
  then creates "done", with how many there were and what went wrong.
- "lie": passes everything on. While the file "trigger" is there, some answers ("chance") are mutated by "seed". "log" gets the number of those.
- "die": passes everything on. Once the file "trigger" is there, the server is killed at the packet "at", of both directions; of an answer, half is passed
  on. It then removes "trigger", and ends as its server did.
"""
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import time

from mutate_text import mutate

ANSWER = 10  # Seconds in which a request has its answer.
# What starts, attaches to, kills or runs anything, and files: a debugger may do that.
POWERS = (b"vAttach", b"vRun", b"A", b"vFile", b"qPlatform", b"k", b"vKill", b"qLaunch", b"QLaunch", b"qKill", b"D", b"jWavelaneSaveCore", b"QSet", b"QEnv",
          b"\x03", b"R", b"r", b"!", b"qSpeedTest", b"jLLDBTraceStart", b"qFileLoadAddress", b"qModuleInfo", b"jModulesInfo", b"qSaveCore", b"qUserName",
          b"qGroupName", b"qProcessInfoPID", b"qfProcessInfo", b"qsProcessInfo", b"QStartNoAckMode", b"QRestoreRegisterState", b"QSaveRegisterState")
RUNS = (b"vCont", b"c", b"C", b"s", b"S", b"bc", b"bs", b"i", b"I")


def frame(payload):
    escaped = b"".join(b"}" + bytes([c ^ 0x20]) if c in b"}#$*" else bytes([c]) for c in payload)
    return b"$%s#%02x" % (escaped, sum(escaped) & 0xFF)


def plain(escaped):
    out, at = bytearray(), 0
    while at < len(escaped):
        c = escaped[at]
        if c == 0x7D and at + 1 < len(escaped):
            at += 1
            out.append(escaped[at] ^ 0x20)
        elif c == 0x2A and at + 1 < len(escaped) and out:
            at += 1
            out += bytes([out[-1]]) * (escaped[at] - 29)
        else:
            out.append(c)
        at += 1
    return bytes(out)


class Stream:
    """Packets of one direction of a connection."""

    def __init__(self, sock):
        self.socket, self.buffer, self.ended = sock, b"", False

    def fileno(self):
        return self.socket.fileno()

    def read(self):
        """What has come: (raw bytes, payload) for each packet, acknowledgement or interrupt."""
        try:
            got = self.socket.recv(1 << 16)
        except OSError:
            got = b""
        self.ended = not got
        self.buffer += got
        found = []
        while self.buffer:
            if self.buffer[0:1] != b"$":
                found.append((self.buffer[:1], None))
                self.buffer = self.buffer[1:]
                continue
            end = self.buffer.find(b"#")
            if end < 0 or len(self.buffer) < end + 3:
                break
            found.append((self.buffer[:end + 3], plain(self.buffer[1:end])))
            self.buffer = self.buffer[end + 3:]
        return found

    def packet(self, seconds):
        """The next packet's payload, or None."""
        end = time.monotonic() + seconds
        while not self.ended and (left := end - time.monotonic()) > 0 and select.select([self], [], [], left)[0]:
            for _, payload in self.read():
                if payload is not None:
                    return payload
        return None


def host_socket():
    fd = next(int(word.split("=")[1]) for word in sys.argv if word.startswith("--fd="))
    return socket.socket(fileno=fd)


def listen(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(1)
    return listener


class Between:
    """The real server behind, and what is said on both connections."""

    def __init__(self, options):
        self.options = options
        mine, its = socket.socketpair()
        words = [f"--fd={its.fileno()}" if word.startswith("--fd=") else word for word in sys.argv[1:]]
        self.server = subprocess.Popen([options["server"], *words], pass_fds=[its.fileno()])
        its.close()
        self.pairs = {"host": (Stream(host_socket()), Stream(mine))}
        self.listener, self.there, self.said = None, None, []
        self.folder = options["folder"]

    def rewrite(self, payload):
        """The client connects to this process instead of the server."""
        at = payload.find(b"unix-connect:")
        if at < 0:
            return payload
        end = payload.index(b'"', at)
        url = payload[at:end]
        path = json.loads(b'"' + url + b'"').removeprefix("unix-connect://")
        if self.there != path:
            self.there = path
            self.listener = listen(f"{self.folder}/gpu-{os.getpid()}")
        return payload[:at] + f"unix-connect://{self.folder}/gpu-{os.getpid()}".encode() + payload[end:]

    def passes(self, name, who, raw, payload):
        """What is passed on of a packet."""
        return raw

    def accept(self):
        client = self.listener.accept()[0]
        os.unlink(self.listener.getsockname())
        self.listener.close()
        self.listener = None
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.there)
        self.pairs["gpu"] = (Stream(client), Stream(server))

    def turn(self, seconds):
        """Passes on what there is; false when a side has ended."""
        streams = [s for pair in self.pairs.values() for s in pair if not s.ended]
        ready = select.select(streams + ([self.listener] if self.listener else []), [], [], seconds)[0]
        if self.listener in ready:
            self.accept()
        for name, (client, server) in list(self.pairs.items()):
            for source, to, who in ((client, server, "client"), (server, client, "server")):
                if source not in ready:
                    continue
                out = b""
                for raw, payload in source.read():
                    raw = self.passes(name, who, raw, payload)
                    self.said.append((time.monotonic(), name, who, (raw if payload is None else payload).decode("latin1"), payload is not None))
                    if payload is not None and who == "server" and b"unix-connect" in payload:
                        raw = frame(self.rewrite(payload))
                    out += raw
                try:
                    to.socket.sendall(out)
                    if source.ended:
                        to.socket.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
        return not all(s.ended for s in self.pairs["host"])

    def pass_on(self):
        while self.turn(1):
            pass
        return self.server.wait()


class Injector(Between):
    def requests(self):
        found = {}
        for _, name, who, text, is_packet in self.said:
            if is_packet and who == "client" and not text.encode("latin1").startswith(POWERS):
                found.setdefault(name, {})[text.encode("latin1")] = None
        return {name: list(texts) for name, texts in found.items()}

    def try_one(self, name, request):
        """Sends it; returns what is wrong."""
        server = self.pairs[name][1]
        try:
            server.socket.sendall(frame(request))
            if request.startswith(RUNS):
                if server.packet(0.05) is None:
                    server.socket.sendall(b"\x03")
                    if server.packet(ANSWER) is None and not server.ended:
                        return "no stop"
                    # A stop of its own may have crossed the interrupt.
                    server.packet(0.02)
            elif server.packet(ANSWER) is None and not server.ended:
                return "no answer"
        except OSError:
            server.ended = True
        return "it has ended" if server.ended else None

    def inject(self):
        chance, known = random.Random(self.options["seed"]), self.requests()
        every = [text for texts in known.values() for text in texts]
        wrong, sent = None, 0
        for _ in range(self.options["count"]):
            name = chance.choice(list(known))
            request = mutate(chance, chance.choice(known[name]), every)
            # Those of one + or - are acknowledgements.
            if request in (b"+", b"-") or request.startswith(POWERS) or chance.random() < 0.98 and request.startswith(RUNS):
                continue
            sent += 1
            wrong = self.try_one(name, request)
            if wrong:
                wrong = f"{wrong}: {name} {request[:200]!r}"
                break
        # A request may end the program; then the server ends by itself.
        for pair in self.pairs.values():
            for stream in pair:
                stream.socket.close()
        try:
            status = self.server.wait(ANSWER)
        except subprocess.TimeoutExpired:
            self.server.kill()
            status = self.server.wait()
            wrong = wrong or "the server stays"
        if wrong and wrong.startswith("it has ended") and status >= 0:
            wrong = None
        if status < 0 and not (wrong or "").startswith(("the server", "no ")):
            wrong = f"{signal.Signals(-status).name} {wrong or ''}"
        with open(self.options["done"] + ".new", "w") as file:
            json.dump({"sent": sent, "wrong": wrong}, file)
        os.rename(self.options["done"] + ".new", self.options["done"])

    def run(self):
        while self.turn(0.1):
            if os.path.exists(self.options["trigger"]):
                # All is quiet.
                while self.turn(0.2) and select.select([s for pair in self.pairs.values() for s in pair], [], [], 0.2)[0]:
                    pass
                self.inject()
                return
        self.server.wait()


class Liar(Between):
    """Requests reach the server as they are, so that the session goes on."""

    def __init__(self, options):
        super().__init__(options)
        self.chance, self.mutated, self.runs, self.every = random.Random(options["seed"]), 0, {}, [b"OK"]

    def passes(self, name, who, raw, payload):
        if payload is None:
            return raw
        if who == "client":
            self.runs[name] = payload.startswith(RUNS)
            return raw
        del self.said[:-1]
        # After a stop that is mutated there is often no next one.
        likely = self.options["chance"] * (0.02 if self.runs.get(name) else 1)
        if not os.path.exists(self.options["trigger"]):
            self.every = [*self.every[-500:], payload]
        elif self.chance.random() < likely:
            answer = mutate(self.chance, payload, self.every)
            # To LLDB a packet of one + or - is an acknowledgement.
            if answer not in (b"+", b"-"):
                self.mutated += 1
                return frame(answer)
        return raw

    def run(self):
        while self.turn(1):
            pass
        with open(self.options["log"], "a") as file:
            file.write(f"{self.mutated}\n")
        self.server.wait()


class Killer(Between):
    count = 0
    killed = False

    def passes(self, name, who, raw, payload):
        if payload is None or self.killed or not os.path.exists(self.options["trigger"]):
            return raw
        self.count += 1
        if self.count < self.options["at"]:
            return raw
        self.killed = True
        self.server.kill()
        self.server.wait()
        return raw[:len(raw) // 2] if who == "server" else b""

    def run(self):
        while self.turn(1) and not self.killed:
            pass
        if self.killed:
            os.unlink(self.options["trigger"])
            os.kill(os.getpid(), signal.SIGKILL)
        self.server.wait()


class Replayer:
    def __init__(self, options):
        self.options, self.chance = options, random.Random(options["seed"])
        self.mutated = self.answered = 0
        with open(options["file"]) as file:
            self.known = {name: {request.encode("latin1"): [(text.encode("latin1"), after) for text, after in answers] for request, answers in requests}
                          for name, requests in json.load(file).items()}
        self.every = [text for requests in self.known.values() for answers in requests.values() for text, _ in answers]
        self.path = f"{options['folder']}/gpu-{os.getpid()}"

    def answer(self, name, request):
        """The answer, and in how many seconds it comes; None: after an interrupt."""
        answers = self.known.get(name, {}).get(request)
        if answers is None:
            answers = [(b"" if not request.startswith((b"m", b"x", b"p")) else b"E01", 0)]
        answer, after = answers.pop(0) if len(answers) > 1 else answers[0]
        if b"unix-connect" in answer:
            at = answer.index(b"unix-connect:")
            answer = answer[:at] + b"unix-connect://" + self.path.encode() + answer[answer.index(b'"', at):]
        self.answered += 1
        if request != b"QStartNoAckMode" and self.answered > self.options["after"] and self.chance.random() < self.options["chance"]:
            self.mutated += 1
            answer = mutate(self.chance, answer, self.every)
        return answer, after

    def run(self):
        listener = listen(self.path)
        host = Stream(host_socket())
        streams, acknowledge, pending = {host: "host"}, {host: True}, {}
        idle = time.monotonic()

        def send(source, answer):
            try:
                source.socket.sendall((b"+" if acknowledge[source] else b"") + frame(answer))
            except OSError:
                source.ended = True

        try:
            while not host.ended and time.monotonic() - idle < 60:
                ready = select.select([listener, *streams], [], [], 0.01 if pending else 1)[0]
                for source, (answer, due) in list(pending.items()):
                    if due is not None and time.monotonic() >= due:
                        del pending[source]
                        send(source, answer)
                for source in ready:
                    idle = time.monotonic()
                    if source is listener:
                        new = Stream(listener.accept()[0])
                        streams[new], acknowledge[new] = "gpu", True
                        continue
                    for raw, request in source.read():
                        if raw == b"\x03" and source in pending:
                            send(source, pending.pop(source)[0])
                        if request is None:
                            continue
                        if request.startswith((b"k", b"vKill")):
                            send(source, b"X09")
                            return
                        answer, after = self.answer(streams[source], request)
                        if after == 0:
                            send(source, answer)
                        else:
                            pending[source] = answer, after and time.monotonic() + after
                        if request == b"QStartNoAckMode":
                            acknowledge[source] = False
                    if source.ended:
                        del streams[source]
                        pending.pop(source, None)
        finally:
            os.unlink(self.path)
            with open(self.options["log"], "a") as file:
                file.write(f"{self.mutated}\n")


def record(options):
    between = Between(options)
    between.pass_on()
    # Each request with its answers, in order.
    known, asked, interrupted = {}, {}, set()
    for when, name, who, text, is_packet in between.said:
        if who == "client":
            if is_packet:
                asked[name] = text, when
                interrupted.discard(name)
            elif text == "\x03":
                interrupted.add(name)
        elif is_packet and name in asked:
            request, since = asked.pop(name)
            runs = request.encode("latin1").startswith(RUNS)
            known.setdefault(name, {}).setdefault(request, []).append((text, None if name in interrupted else min(when - since, 0.1) if runs else 0))
    with open(options["file"], "w") as file:
        json.dump({name: list(requests.items()) for name, requests in known.items()}, file)


def main():
    options = json.loads(os.environ["PACKET_PROXY"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    {"record": lambda: record(options), "replay": lambda: Replayer(options).run(), "inject": lambda: Injector(options).run(), "lie": lambda: Liar(options).run(), "die": lambda: Killer(options).run()}[options["do"]]()


if __name__ == "__main__":
    main()
