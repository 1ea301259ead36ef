# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package on CPU threads: lanes of a widened loop, and values of every shape."""
import sys

import wavelane
from why import whether

with wavelane.Session(sys.argv[1]) as session:
    session.breakpoint(file="vec_add.c", line=7)
    thread = session.run()
    print(type(thread).__name__, thread.lane_count, thread.active_lanes, thread.focus, thread.lanes[5].line)
    print(thread.lanes[5].variable("i").value, list(thread.values("i")), list(thread.values("src[i]")))
    thread.lanes[6].select()
    print(thread.focus, session.command("frame variable i").strip(), thread.lanes[2].work_item)
    print([lane.index for lane in thread.find("src[i] == 3000")], thread.lanes[4].location("i").steps[-1].operation)
    thread.lanes[1].assign("dst[i]", 5)
    print(list(thread.values("dst[i]")), thread.array("dst[i]").dtype)
    caller = thread.frame(1)
    print(caller.function, caller.lane_count, caller.lanes[0].value("wrong"))

    # A callback in each lane of the loop.
    seen = []
    session.command("breakpoint delete -f")
    session.breakpoint(file="vec_add.c", line=7, callback=lambda lane: seen.append(lane.value("i")) or False)
    print("end:", session.resume(), session.exit_status, "each once:", whether(len(seen) == len(set(seen)) > 0, seen), max(seen))

with wavelane.Session(sys.argv[2]) as session:
    session.breakpoint(file="values.cpp", regex="// here")
    lane = session.run().lanes[0]
    print(lane.value("shape"))
    print("the same:", whether(lane.value("same") == lane.value("shape"), lane.value("same")), lane.value("shape.bits.high"), lane.value("four"), lane.value("half"),
          lane.value("none"), lane.value("shape.list[1] * 2"), lane.value("&shape == &same"))
    array = lane.thread.array("plain")
    print(array.shape, array["number"].tolist(), lane.thread.array("shape.grid").tolist(), lane.thread.array("shape").dtype)
