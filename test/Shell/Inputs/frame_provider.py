"""A provider of frames that decorates a wave's: its functions have the lane in their names, and below the kernel stands its dispatch."""
import lldb
from lldb.plugins.scripted_frame_provider import ScriptedFrameProvider
from lldb.plugins.scripted_process import ScriptedFrame


class Decorated(ScriptedFrame):
    """A frame of the wave under another name; what isn't overridden is told of the real one."""

    def __init__(self, real, index, name):
        self.real, self.index = real, index
        self.name = name
        super().__init__(real.GetThread(), lldb.SBStructuredData())
        self.name = name

    def get_id(self):
        return self.index

    def get_pc(self):
        return self.real.GetPC()

    def get_symbol_context(self):
        return self.real.GetSymbolContext(lldb.eSymbolContextEverything)

    def get_function_name(self):
        return self.name

    def is_artificial(self):
        return False

    def get_variables(self, filters):
        return self.real.GetVariables(filters)

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

    def get_frame_at_index(self, index):
        count = len(self.input_frames)
        if index < count:
            return index
        if index == count:
            return Decorated(self.input_frames[count - 1], index, "dispatch")
        return None
