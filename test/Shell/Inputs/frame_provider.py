# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A frame provider that adds frames to a wave's: between a function and its caller, one with
the number of lanes of the call, and below the kernel, one with its dispatch."""
import lldb
from lldb.plugins.scripted_frame_provider import ScriptedFrameProvider
from lldb.plugins.scripted_process import ScriptedFrame


class Note(ScriptedFrame):
    """A frame with a text and without code; its variables are those of another frame, if any."""

    def __init__(self, thread, index, text, other=None):
        self.index, self.other = index, other
        super().__init__(thread, lldb.SBStructuredData())
        self.name = text

    def get_id(self):
        return self.index

    # It has no code. LLDB distinguishes such frames by their addresses.
    def get_pc(self):
        return self.index

    def get_variables(self):
        return self.other.GetVariables(True, True, False, True) if self.other else lldb.SBValueList()

    def get_value_for_variable_expression(self, expression, options, error):
        return self.other.GetValueForVariablePath(expression) if self.other else None

    # A wave's registers aren't in the tables of the base class.
    def get_register_info(self):
        return None

    def get_register_context(self):
        return None


class Provider(ScriptedFrameProvider):
    @staticmethod
    def applies_to_thread(thread):
        return thread.GetProcess().GetTarget().GetTriple().startswith("amdgcn")

    @staticmethod
    def get_description():
        return "waves with their dispatches"

    def __init__(self, input_frames, args):
        super().__init__(input_frames, args)
        self.hides = args.GetValueForKey("hide").IsValid()

    def number(self, key):
        stream = lldb.SBStream()
        self.thread.GetInfoItemByPathAsString(key, stream)
        return int(stream.GetData(), 16)

    def get_frame_at_index(self, index):
        count = len(self.input_frames)
        if index == 0:
            return 0
        if index == 1 and count > 1:
            return Note(self.thread, index, f"called with {self.number('exec').bit_count()} lanes", self.input_frames[1])
        # With the argument "hide", in place of the caller.
        real = index - (count > 1 and not self.hides)
        if real < count:
            return real
        if real == count:
            return Note(self.thread, index, f"dispatch {self.number('dispatch')}")
        return None
