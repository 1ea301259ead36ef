//===-- ProcessAMDGPU.h - the waves of a program's GPUs --------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPU_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_PROCESSAMDGPU_H

#include "Lane/LaneProcess.h"
#include "Lane/LaneSource.h"
#include "Unwind/AMDGPU/FunctionUnwind.h"
#include "SegmentCache.h"
#include "WaveStops.h"
#include "ProcessGDBRemote.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

namespace lldb_private {
namespace wavelane {

class CallFrameSection;

class GPUCoupling;
class ThreadAMDGPU;

/// The GPU side of a program, served by the lldb-server that traces its host
/// side: waves are its threads, code objects its modules. A core file is served by
/// an lldb-server of its own in the same way, as a process that can't run.
class ProcessAMDGPU
    : public LaneProcess<process_gdb_remote::ProcessGDBRemote>,
      public AddressSpaceMemory {
public:
  static void Initialize();
  static void Terminate();
  static void DebuggerInitialize(Debugger &debugger);
  static llvm::StringRef GetPluginNameStatic() { return "amdgpu"; }
  static lldb::ProcessSP CreateInstance(lldb::TargetSP target_sp,
                                        lldb::ListenerSP listener_sp,
                                        const FileSpec *crash_file_path,
                                        bool can_connect);

  ProcessAMDGPU(lldb::TargetSP target_sp, lldb::ListenerSP listener_sp,
                const FileSpec &core_file);
  ~ProcessAMDGPU() override;

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }
  bool CanDebug(lldb::TargetSP target_sp,
                bool plugin_specified_by_name) override;

  bool IsLiveDebugSession() const override { return !m_core_file; }
  FileSpec GetCoreFile() const override { return m_core_file; }
  /// Names the file that has memory which the core file lacks.
  void SetHostCore(const FileSpec &host_core) { m_host_core = host_core; }
  Status DoLoadCore() override;
  /// Saves the program, host and GPU.
  llvm::Expected<bool> SaveCore(llvm::StringRef outfile) override;
  Status DoConnectRemote(llvm::StringRef remote_url) override;
  void DidAttach(ArchSpec &process_arch) override;
  Status WillResume() override;
  Status DoResume(lldb::RunDirection direction) override;
  Status EnableBreakpointSite(BreakpointSite *bp_site) override;
  Status DisableBreakpointSite(BreakpointSite *bp_site) override;
  Status EnableWatchpoint(lldb::WatchpointSP wp_sp, bool notify) override;
  void DidResume() override;
  /// Hundreds of waves stop together: of those with a stop reason the selected one is
  /// described, and the others are counted.
  size_t GetThreadStatus(Stream &strm, bool only_threads_with_stop_reason,
                         uint32_t start_frame, uint32_t num_frames,
                         uint32_t num_frames_with_source,
                         bool stop_format) override;
  void WillPublicStop() override;
  void RefreshStateAfterStop() override;
  bool SetExitStatus(int exit_status, llvm::StringRef reason) override;
  void DidExit() override;
  Status DoDetach(bool keep_stopped) override;
  Status DoDestroy() override;
  bool WarnBeforeDetach() const override { return false; }
  DynamicLoader *GetDynamicLoader() override;
  /// LLDB would ask a Linux server for its link map and load the program's host
  /// libraries; modules of a GPU are the code objects, see DynamicLoaderAMDGPU.
  llvm::Error LoadModules() override { return llvm::Error::success(); }
  void ModulesDidLoad(ModuleList &module_list) override;
  Status DoGetMemoryRegionInfo(lldb::addr_t addr, MemoryRegionInfo &info) override;
  size_t DoReadMemory(lldb::addr_t addr, void *buf, size_t size,
                      Status &error) override;
  size_t DoWriteMemory(lldb::addr_t addr, const void *buf, size_t size,
                       Status &error) override;

  size_t ReadAddressSpace(lldb::tid_t tid, uint32_t lane, uint64_t space,
                          uint64_t address, void *buf, size_t size,
                          Status &error) override;
  size_t WriteAddressSpace(lldb::tid_t tid, uint32_t lane, uint64_t space,
                           uint64_t address, const void *buf, size_t size,
                           Status &error) override;

  /// What the server says of a wave; the answer of this stop is kept.
  /// \return null when it says nothing.
  StructuredData::ObjectSP GetWaveInfo(lldb::tid_t tid);

  /// The lanes that the stop of a wave is about: 0 when that isn't known.
  uint64_t GetStopLanes(lldb::tid_t tid) const {
    auto found = m_stop_lanes.find(tid);
    return found == m_stop_lanes.end() ? 0 : found->second;
  }

  /// Has a wave know why it has stopped: in constant time, without its registers
  /// unless its reason is a rare one.
  bool SetStopInfoOf(ThreadAMDGPU &wave);
  /// Where a wave has stopped, without a look at its registers.
  std::optional<lldb::addr_t> GetStopAddress(lldb::tid_t tid) {
    return m_stops.GetAddress(GetStopID(), tid);
  }
  /// Has the waves know their names, all at once where many are asked for.
  void NameWaves(ThreadAMDGPU &wave);
  /// Has the waves know their kernels, all at once.
  void FindKernels();

  /// How the function at \a start keeps its caller; null when its code can't be
  /// read.
  /// Of the code at a load address: agents can be of several kinds.
  ArchSpec GetArchitectureAt(lldb::addr_t address);
  /// The call-frame information of a module; null when it has none.
  std::shared_ptr<CallFrameSection> GetCallFrameSection(const lldb::ModuleSP &module_sp);
  std::shared_ptr<FunctionUnwind> GetFunctionUnwind(lldb::addr_t start,
                                                    lldb::addr_t end);

  /// Sends one packet and returns the JSON of the answer.
  llvm::Expected<StructuredData::ObjectSP>
  SendJSONPacket(llvm::StringRef packet);

  std::shared_ptr<GPUCoupling> GetCoupling() { return m_coupling_wp.lock(); }
  void SetCoupling(const std::shared_ptr<GPUCoupling> &coupling_sp) {
    m_coupling_wp = coupling_sp;
  }

  /// The program has ended, and the server may not say so of its GPU side.
  void Finish(llvm::StringRef reason);

  /// Resumes a process that the coupling has stopped unseen by who runs it.
  Status ResumeAfterPause();

  /// Whether waves that LLDB would hold, because another one steps, run all the
  /// same: the one that steps may wait for them, at a barrier or in a loop.
  bool OthersRunAlong() const { return m_others_run_along; }
  /// Lets the held waves run when the one that runs has run for long.
  /// \return Whether there is anything to watch.
  bool CheckLoneWave();

  /// What the process does, where GetState says what LLDB's listeners know of it.
  lldb::StateType GetRealState() { return GetPrivateState(); }

protected:
  std::shared_ptr<process_gdb_remote::ThreadGDBRemote>
  CreateThread(lldb::tid_t tid) override;
  bool DoUpdateThreadList(ThreadList &old_thread_list,
                          ThreadList &new_thread_list) override;

private:
  /// Whether \a address isn't where an instruction begins; false where that can't
  /// be told.
  bool IsInsideInstruction(lldb::addr_t address);

  friend class ThreadAMDGPU;

  /// Memory of an address space, asked of the server.
  size_t ReadSegment(lldb::tid_t tid, uint32_t lane, uint64_t space,
                     uint64_t address, void *buf, size_t size, Status &error);
  void ShowEndOfSteppedWave();
  /// Asks for something of all waves, in the form of "wave_kernel" and "wave_name".
  /// \param[in] take
  ///     Gets each object, and its waves in their order: null for one that is unknown.
  void ReadOfAllWaves(
      llvm::StringRef kind,
      llvm::function_ref<void(StructuredData::Dictionary &,
                              llvm::ArrayRef<ThreadAMDGPU *>)>
          take);
  Status StartCoreServer();
  void CoreServerEnded(lldb::pid_t pid, llvm::StringRef reason);
  FileSpec FindHostCore();
  /// Breakpoints where kernels begin, if the setting wants them.
  void SetKernelEntryBreakpoints();
  /// Has the server decide conditions, where it can.
  void SendConditions();
  /// Asks which lanes the stop is about, and looks at the first of them.
  void ReadStopLanes();
  /// Has the reasons of stops tell their lanes.
  void DescribeStopLanes();

  FileSpec m_core_file;
  FileSpec m_host_core;
  WaveStops m_stops;
  SegmentCache m_segments;
  /// How many waves were named one by one, and at which stop.
  std::pair<uint32_t, unsigned> m_named{UINT32_MAX, 0};
  std::weak_ptr<GPUCoupling> m_coupling_wp;
  std::mutex m_wave_info_mutex;
  uint32_t m_wave_info_stop_id = UINT32_MAX;
  std::map<lldb::tid_t, StructuredData::ObjectSP> m_wave_info;
  /// The stop at which the server knew of no wave.
  uint32_t m_no_waves_at_stop = UINT32_MAX;
  /// A resume is being prepared, up to the packet.
  bool m_preparing_resume = false;
  bool m_others_run_along = false;
  std::chrono::steady_clock::time_point m_resumed_by_user;
  /// When a wave was last sent to run alone; 0 while none does.
  std::atomic<int64_t> m_alone_since{0};
  /// The wave that was sent to run alone, and its name.
  lldb::tid_t m_alone_wave = LLDB_INVALID_THREAD_ID;
  std::string m_alone_name;
  /// Breakpoints that LLDB believes to have taken out for a step.
  std::set<lldb::addr_t> m_taken_out;
  std::map<lldb::tid_t, uint64_t> m_stop_lanes;
  std::map<lldb::addr_t, lldb::break_id_t> m_kernel_entries;
  /// Modules have come or gone since the kernels' entries were looked for.
  bool m_modules_changed = true;
  /// By address: what the server's conditions were made from.
  std::map<lldb::addr_t, std::string> m_sent_conditions;
  std::mutex m_functions_mutex;
  std::map<lldb::addr_t, std::pair<lldb::addr_t, std::shared_ptr<FunctionUnwind>>>
      m_functions;
  std::map<lldb::ModuleSP, std::shared_ptr<CallFrameSection>> m_call_frames;
};

/// The settings plugin.process.amdgpu.*.
class ProcessAMDGPUProperties : public Properties {
public:
  ProcessAMDGPUProperties();
  /// "auto", "simulated" or "hardware".
  llvm::StringRef GetDevice() const;
  FileSpec GetLibrary() const;
  /// A step by line is the focus lane's, not the wave's.
  bool StepsFollowLane() const;
  bool StopsOnKernelEntry() const;
  bool StopsOnModuleLoad() const;
  bool StopsOnHipError() const;
  /// Whether an exception of a wave is a stop, by what the server says of it.
  bool StopsOnException(llvm::StringRef description) const;
  /// How exceptions are to be reported, as packets::ExceptionsVariable has it.
  std::string GetExceptions() const;
  FileSpec GetHostCore() const;
  FileSpec GetCodeObjects() const;
};
ProcessAMDGPUProperties &GetProcessAMDGPUProperties();

/// Parses the answer to a JSON packet.
llvm::Expected<StructuredData::ObjectSP>
ParseJSONResponse(llvm::StringRef packet, StringExtractorGDBRemote &response);

} // namespace wavelane
} // namespace lldb_private

#endif
