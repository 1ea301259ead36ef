"""What `frame variable` shows of paths into local and private memory."""
import sys
from stops import Session

program, gpu, lane = sys.argv[1], sys.argv[2], int(sys.argv[3])
KERNEL = ("tile[3]", "tile[i]", "line.member[1]", "line.member[0].z[2]", "line.to->z[2]", "*line.to", "line.bits", "line.more", "own[1]",
          "own[2].y", "own[0].z[3]", "&tile[3]", "*&tile[3]", "&line.member[1].y", "*&own[1].x", "&own[0].x", "-tile[3]", "(float)tile[3]", "tile[3][1-4]", "own[1].x[0-3]",
          "point->y", "*point", "point[1].x", "&point->z", "*place", "place[-1]", "place[1]", "+i", "$lane", "tile[64]", "tile[100000000]", "line.nothing", "tile[i + 1]", "*i", "tile[own]", "own[", "*line")
FOLLOW = ("line->member[1].x", "line->to->z[2]", "*line->to", "*point", "point[1].z[3]", "&point->y", "*&point->y", "tile[3]", "*tile",
          "tile[i]", "&tile[3]", "i")


def show(s, paths):
    for path in paths:
        text = " ".join(s.command(f"frame variable {path}").split())
        print(f"{path}: {text}")


with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
    s.at("follow", source="paths.hip")
    print("stopped:", s.run())
    s.command(f"thread lane select {lane}")
    show(s, FOLLOW)
    s.command("breakpoint delete -f")
    s.command("finish")
    s.at("kernel", source="paths.hip")
    s.command("up")
    s.waves.GetSelectedThread().SetSelectedFrame(0)
    print("in:", s.where())
    show(s, KERNEL)
