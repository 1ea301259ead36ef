# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ROCm's information on a function's lanes: which are logically active, and where each one is, by the masks that the code keeps
around its divergent regions."""
from code import MASK_REGISTER
from dwarf import *


class Region:
    """Instructions that some lanes wait for, by lines: those in `mask` that aren't active are at the instruction of line `place`."""

    def __init__(self, first, mask, place, is_loop=False):
        self.first, self.mask, self.place, self.last, self.is_loop = first, mask, place, None, is_loop


def find_regions(function):
    """LLVM lowers structured control flow like this: a mask is saved where paths diverge, and joined to EXEC where they meet."""
    open_regions, done, copied, joined = [], [], None, None
    instructions = function.instructions

    def close(mask, line):
        region = next((r for r in reversed(open_regions) if r.mask == mask), None)
        if region:
            open_regions.remove(region)
            region.last = line
            done.append(region)
        return region

    for at, i in enumerate(instructions):
        behind = instructions[at + 1].line if at + 1 < len(instructions) else i.line
        if i.name == "s_and_saveexec":
            # The other lanes wait where the paths diverge.
            open_regions.append(Region(behind, i.operands[0], i.line))
        elif i.full_name.startswith("v_cmpx") and copied:
            open_regions.append(Region(behind, copied, i.line))
            copied = None
        elif i.name == "s_mov" and i.operands[1] == "exec" and MASK_REGISTER.match(i.operands[0]):
            copied = i.operands[0]
        elif i.name == "s_andn2_saveexec":
            # The lanes that have taken one path wait where the paths meet.
            close(i.operands[1], i.line)
            open_regions.append(Region(behind, i.operands[0], None))
        elif i.name == "s_or_saveexec" and close(i.operands[1], i.line):
            joined = i.operands[0]  # For a moment all are on.
        elif i.name == "s_xor" and i.operands == ["exec", "exec", joined]:
            open_regions.append(Region(behind, joined, None))
        elif i.name == "s_or" and i.operands[:2] == ["exec", "exec"]:
            region = close(i.operands[2], i.line)
            if region and region.place is None:
                region.place = i.line
        elif i.name == "s_andn2" and i.operands[:2] == ["exec", "exec"] and at + 1 < len(instructions):
            # The end of a loop's pass: the lanes that have left it wait after it.
            head = function.labels.get((instructions[at + 1].operands or [""])[0])
            if instructions[at + 1].full_name == "s_cbranch_execnz" and head is not None and head < i.line:
                open_regions.append(Region(head, i.operands[2], None, is_loop=True))
    return [r for r in done if is_whole(function, r)]


def scalars(mask):
    match = MASK_REGISTER.match(mask)
    if not match:
        return set()
    return set(range(int(match[1] or match[3]), int(match[2] or match[3]) + 1))


def is_whole(function, region):
    """Whether its mask never changes, and control flow only enters and leaves it at its ends."""
    mask = scalars(region.mask)
    if not mask:
        return False
    for i in function.instructions:
        inside = region.first <= i.line < region.last
        target = function.labels.get(i.operands[0]) if "branch" in i.full_name and i.operands else None
        if target is not None and inside != (region.first <= target <= region.last):
            # A path around it begins before it and meets it at its end.
            if inside or target < region.last:
                return False
        # Lanes that only wait are the same for this purpose.
        keeps_mask = i.name == "s_xor" and "exec" in i.operands or (region.is_loop and i.full_name.startswith("s_or_b"))
        if inside and not keeps_mask and mask & set(i.written_scalars()):
            return False
    return True


def find_whole_waves(function):
    """(first line, last line, mask) of code where all lanes are on temporarily, for a spill."""
    begin = None
    for at, i in enumerate(function.instructions[:-1]):
        behind = function.instructions[at + 1].line
        if i.name in ("s_or_saveexec", "s_xor_saveexec") and i.operands[1] == "-1":
            begin = begin or (behind, i.operands[0])
        elif i.name == "s_mov" and i.operands[0] == "exec" and begin and i.operands[1] == begin[1]:
            yield begin[0], behind, begin[1]
            begin = None


def read_mask(place, target):
    return [*place, DEREF_SIZE, target.lanes // 8]


def lane_places(regions, label_of, active, target):
    """Each lane's program location inside of `regions`, the outermost first.

    label_of: the label of a line; active: the place of the mask of active lanes."""
    spread = [USER, EXTEND, 64, target.lanes]
    chosen = [USER, SELECT_BIT_PIECE, 64, target.lanes]
    # A lane that the function wasn't entered with is nowhere.
    out = [USER, UNDEFINED, *spread]
    for region in regions:
        out += [ADDR, f".quad\t{label_of(region.place)}", STACK_VALUE, *spread,
                *read_mask(target.mask(region.mask), target), *chosen]
    return out + [*regx(target.pc), *spread, *read_mask(active, target), *chosen]


def describe(function, target, label_of):
    """Lists of (first line, last line, expression) of DW_AT_LLVM_active_lane and DW_AT_LLVM_lane_pc, for all of the function."""
    instructions = function.instructions
    begin, end = instructions[0].line, None
    regions, whole = find_regions(function), list(find_whole_waves(function))
    edges = sorted({begin, *(r.first for r in regions), *(r.last for r in regions),
                    *(w[0] for w in whole), *(w[1] for w in whole)})
    active, places = [], []
    for first, last in zip(edges, [*edges[1:], end]):
        mask = next((w[2] for w in whole if w[0] <= first < w[1]), None)
        expression = target.mask(mask) if mask else regx(target.exec)
        active.append((first, last, expression))
        around = sorted((r for r in regions if r.first <= first < r.last), key=lambda r: (r.first, -r.last))
        places.append((first, last, lane_places(around, label_of, expression, target)))
    return merge(active), merge(places)


def merge(ranges):
    out = []
    for first, last, expression in ranges:
        if out and out[-1][2] == expression:
            out[-1] = (out[-1][0], last, expression)
        else:
            out.append((first, last, expression))
    return out
