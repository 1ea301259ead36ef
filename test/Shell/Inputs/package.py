# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package in a plain python3: a program's waves, lanes and values as objects."""
import inspect
import os
import subprocess
import sys
import tempfile
import time

import wavelane
from why import whether

programs, build, folder = sys.argv[1:4]
STORE = r"y.i. .= t"


def attempt(call):
    """The exception that a call raises, in one line."""
    try:
        return f"no error but {call()!r}"
    except (wavelane.Error, IndexError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def same(got, wanted):
    return whether(got == wanted, repr(got), repr(wanted))


def missing(thing, record):
    """Keys of a command's JSON that the object has no attribute for."""
    return [key for key in record if not hasattr(thing, key)]


def objects(session, wave):
    gpu = session.gpu
    print("agent", gpu.agents[0].architecture, gpu.agents[0].state, len(gpu.agents[0].queues))
    print("queue", gpu.queues[0].type, same(gpu.queues[0].agent, gpu.agents[0]), same(gpu.queues[0].dispatches, gpu.dispatches))
    dispatch = gpu.dispatches[0]
    print("dispatch", dispatch.kernel, dispatch.grid_size, dispatch.workgroup_size, same(dispatch.queue, gpu.queues[0]))
    print("progress", dispatch.progress.workgroups, dispatch.progress.done, dispatch.progress.running)
    group = next(group for group in gpu.workgroups if group.position == (2, 0, 0))
    print("workgroup", group.position, group.wave_count, [other.name for other in group.waves], same(group.dispatch, dispatch))
    print("spaces", sorted((space.number, space.name, space.depends_on, space.address_bits, space.null) for space in gpu.address_spaces))
    print("wave", wave.name, wave.kernel, wave.lane_count, f"{wave.exec:x}", wave.state, wave.workgroup_position,
          wave.wave_in_workgroup, wave.workgroup_size, wave.grid_size)
    print("of", same(wave.agent, gpu.agents[0]), same(wave.queue, gpu.queues[0]), same(wave.dispatch, dispatch),
          same(wave.workgroup.position, (0, 0, 0)), same(wave.pc, wave.sb_frame.GetPC()), same(wave.gpu, gpu))
    print("what a command prints and no object has:", sum((missing(thing, thing.data) for kind in (
        gpu.agents, gpu.queues, gpu.dispatches, gpu.workgroups, gpu.address_spaces) for thing in kind), []),
        [key for record in gpu.wave_records for key in record if key != "line" and wave.fact(key) is None],
        missing(wave.lanes[0], {key for key in wave.lanes[0].data} - {"lane", "focus", "grid"}),
        missing(wave.location("t"), set(wave.location("t").data) - {"location"}))

    waves = gpu.waves
    print("waves", len(waves), "one by one:", whether(inspect.isgenerator(iter(waves)), type(iter(waves))), waves[-1].name,
          [w.name for w in waves[1:3]], "with a reason:", whether(any(waves.stopped_for_a_reason()), "none"))
    print("by place", gpu.wave((2, 0, 0), 1).name, "|", attempt(lambda: gpu.wave((9, 0, 0))))


def lanes(session, wave):
    print("lane 17:", wave.lanes[17].variable("i").value, wave.lanes[17].value("t"), wave.lanes[17].value("a * i + 1"),
          wave.lanes[17].work_item, wave.lanes[17].line.split(":")[0], wave.focus)
    print("all:", same(list(wave.values("i")), list(range(64))), wave.values("i").type, wave.values("t")[20:23],
          wave.values("a").texts[5])
    print("host's lanes:", len(next(session.threads).lanes))
    print("caller's:", attempt(lambda: wave.frame(1)))
    print("find:", [lane.index for lane in wave.find("i % 20 == 3")],
          [(lane.thread.name, lane.index) for lane in session.gpu.find_lanes("i == 300")])
    place = wave.lanes[9].location("t").place
    print("location:", place.kind, place.space, place.lane, wave.lanes[9].location("t").steps[-1].operation.split()[0],
          same(wave.lanes[9].location("t").bytes, wave.lanes[9].variable("t").bytes))
    memory = wave.lanes[9].memory(place.space)
    other = wave.lanes[8].memory(place.space).read(place.address, 4)
    print("memory:", same(memory[place.address:place.address + 4], wave.lanes[9].variable("t").bytes),
          "another lane's differs:", whether(memory[place.address:place.address + 4] != other, other))
    memory[place.address:place.address + 4] = bytes.fromhex("00002041")
    print("written:", [wave.lanes[lane].value("t") for lane in (8, 9, 10)])
    address = wave.lanes[9].value("x")
    print("global:", same(session.gpu.memory.read(address + 36, 4), wave.lanes[9].variable("x[9]").bytes))
    variable = wave.lanes[3].variable("t")
    variable.set(1000)
    print("set:", variable.value, wave.values("t")[2:5], "focus", wave.focus)
    wave.lanes[5].select()
    print("selected:", wave.focus, wavelane.selected(session.debugger).focus, session.command("frame variable i").strip())

    import numpy
    array = wave.array("i")
    print("numpy:", array.dtype, array.shape, int((array * 2).sum()), numpy.asarray(wave.values("t")).dtype)
    # The current folder may be anybody's: nothing there stands for a module that isn't installed.
    modules, searched, here = dict(sys.modules), sys.path[:], os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "numpy.py"), "w") as file:
            file.write("print('it ran')\n")
        os.chdir(folder)
        for name in modules:
            if name.split(".")[0] == "numpy":
                del sys.modules[name]
        sys.path[:] = [path for path in searched if not os.path.exists(os.path.join(path, "numpy"))] + ["."]
        sys.path_importer_cache.clear()  # "." was another folder
        print(attempt(lambda: wave.array("i")))
        os.chdir(here)
    sys.path[:] = searched
    sys.modules.update(modules)

    print("wrong:", attempt(lambda: wave.lanes[64]))
    print("wrong:", attempt(lambda: wave.lanes[3].variable("nothing")))
    print("wrong:", attempt(lambda: wave.lanes[3].location("nothing")))
    print("wrong:", attempt(lambda: wave.lanes[3].assign("t", "nothing")))
    print("wrong:", attempt(lambda: wave.memory("nowhere").read(0, 4)))
    print("wrong:", attempt(lambda: wave.memory("local").read(0, 1 << 20)))
    print("wrong:", attempt(lambda: session.gpu.memory.read(0, 4)))
    print("wrong:", attempt(lambda: wave.matrix("d")))
    print("wrong:", attempt(lambda: session.breakpoint(file="saxpy.hip")))
    print("wrong:", attempt(lambda: wavelane.Session("/nowhere/at-all")))
    print("wrong:", attempt(wavelane.session))


with wavelane.Session(f"{programs}/saxpy-O0") as session:
    print("before:", attempt(lambda: session.gpu), "|", attempt(lambda: session.selected))
    stop = session.breakpoint(file="saxpy.hip", regex=STORE)
    wave = session.run()
    objects(session, wave)
    lanes(session, wave)
    stop.delete()
    print("end:", session.resume(), session.exit_status, session.output.split("\n")[0])
    print("gone:", attempt(lambda: wave.lanes[0]), "|", attempt(lambda: session.gpu))

# Structs and local memory.
with wavelane.Session(f"{programs}/stops-O0") as session:
    session.breakpoint(file="stops.hip", regex="// store")
    wave = session.run()
    print("struct:", wave.lanes[5].value("pairs[i % 8]"), wave.values("pairs[i % 8]")[6])
    array = wave.array("pairs[i % 8]")
    print(array.dtype.names, float(array["second"][:8].sum()))
with wavelane.Session(f"{programs}/stops-O0") as session:
    session.breakpoint(file="stops.hip", regex="// read")
    wave = session.run(["exchange"])
    print("local:", [int.from_bytes(wave.memory("local")[4 * at:4 * at + 4], "little") for at in (1, 2, 60)])

# The tiles of a matrix instruction.
with wavelane.Session(f"{programs}/stops-O2") as session:
    session.breakpoint("tiles")
    wave = session.run(["tiles"])
    for _ in range(200):
        if "Error" not in attempt(lambda: wave.matrix("a")):
            break
        wave.command("thread step-inst")
    matrix = wave.matrix("a")
    print("matrix:", matrix.instruction, "done" if matrix.done else "next", [row[:3] for row in matrix.blocks[0][:2]])

# A callback in each lane: the wave stops for one of them.
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    seen = []

    def at_300(lane):
        seen.append((lane.thread.name, lane.value("i")))
        return seen[-1][1] == 300

    session.breakpoint(file="saxpy.hip", regex=STORE, callback=at_300)
    wave = session.run()
    print("callbacks:", [name for name, number in seen if number == 300], "stopped" if wave else "not stopped")
    print("end:", session.resume(), session.exit_status, same(sorted(number for _, number in seen), list(range(1000))))

# One that raises; the session continues.
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    def wrong(lane):
        if lane.index % 2:
            raise ValueError(f"lane {lane.index} of {lane.thread.function}")
        return False

    session.breakpoint(file="saxpy.hip", regex=STORE)
    session.run()
    session.command("breakpoint disable")
    # Created while the GPU exists, so it is set there, too, before it has a callback.
    last = session.breakpoint(file="saxpy.hip", regex="^}")
    end = time.monotonic() + 60
    while not session.gpu.target.FindBreakpointByID(last.id).IsValid():
        assert time.monotonic() < end, "the breakpoint isn't the GPU's"
        time.sleep(0.01)  # The coupling copies it on its own thread, without an event.
    last.callback = wrong
    try:
        print("no error", session.resume())
    except wavelane.CallbackError as error:
        print(error, "|", repr(error.__cause__), "|", session.selected.kernel, len(session.selected.lanes))
    session.command("breakpoint disable")
    print("end:", session.resume(), session.exit_status)

# Only called if the condition holds; a breakpoint of the host is called for its thread.
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    seen = []
    session.breakpoint(file="saxpy.hip", regex=STORE, condition="i % 100 == 7",
                       callback=lambda lane: seen.append(lane.value("i")) or False)
    session.breakpoint("main", callback=lambda lane: seen.append((lane.index, lane.thread.function)) or False)
    print("condition:", session.run(), session.exit_status, seen[0], sorted(seen[1:]))

# It may change the breakpoint that was hit, and examine the other, running side.
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    seen = []

    def once(lane):
        seen.append(session.host.GetExecutable().basename)
        stop.enabled = False
        lane.variable("t").set(0)
        return False

    stop = session.breakpoint(file="saxpy.hip", regex=STORE, condition="i == 21", callback=once)
    print("changed:", session.run(), session.exit_status, "host:", seen, session.output.split("\n")[0])

# What has stopped is selected, not the first wave.
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    session.breakpoint(file="saxpy.hip", regex=STORE, condition="i == 777")
    wave = session.run()
    print("elsewhere:", wave.name, wave.lanes.focus.index, wave.stop_reason)

# It gets the environment and the settings that `run` would give it, and those passed here.
os.environ["HERE"] = "1"
with wavelane.Session("/usr/bin/env") as session:
    session.command("settings set target.env-vars SET=2")
    session.run(environment={"SAID": "3"})
    print("environment:", sorted(line for line in session.output.split() if line in ("HERE=1", "SET=2", "SAID=3")))

# A program that is already running, and a core.
program = subprocess.Popen([f"{build}/bin/wavelane-run", f"{programs}/attach"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert program.stdout.readline() == b"started\n"
with wavelane.Session() as session:
    print("attach:", attempt(lambda: session.attach(1 << 22 | 5)).split(" can't")[1], "|", type(session.attach(program.pid)).__name__)
    session.breakpoint(file="attach.hip", regex="spinning")
    program.stdin.write(b"\n")
    program.stdin.flush()
    print("waves:", session.resume().values("i")[9])
    session.command(f"process save-core {folder}/core")
    session.command("breakpoint disable")
    session.command("process detach")
    print("end:", program.communicate(b"\n", 60)[0].split(b"\n")[1].decode(), program.returncode)
with wavelane.Session() as session:
    session.command(f"target create --core {folder}/core")
    print("core:", session.gpu.waves[0].values("i")[9], session.gpu.dispatches[0].kernel)
