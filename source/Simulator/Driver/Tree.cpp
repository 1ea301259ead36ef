//===-- Tree.cpp - sysfs's files about the GPUs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tree.h"
#include "Next.h"

#include "Simulator/Common/Agent.h"
#include "Simulator/Common/Wire.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <thread>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::driver;
using wavelane::gpu::Processor;
using wavelane::simulator::AgentDescription;

namespace {

/// Lines of "name value".
class Properties {
public:
  void add(const char *Name, unsigned long long Value) {
    Text += std::string(Name) + " " + std::to_string(Value) + "\n";
  }
  std::string Text;
};

std::string format(const char *Form, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char *Form, ...) {
  char Text[512];
  va_list List;
  va_start(List, Form);
  vsnprintf(Text, sizeof(Text), Form, List);
  va_end(List);
  return Text;
}

enum Link : unsigned { Pcie = 2 };
constexpr unsigned NearWeight = 20, FarWeight = 40;

std::string link(unsigned From, unsigned To, unsigned Weight) {
  Properties P;
  P.add("type", Pcie);
  P.add("version_major", 0);
  P.add("version_minor", 0);
  P.add("node_from", From);
  P.add("node_to", To);
  P.add("weight", Weight);
  P.add("min_latency", 0);
  P.add("max_latency", 0);
  P.add("min_bandwidth", 312);
  P.add("max_bandwidth", 16000);
  P.add("recommended_transfer_size", 0);
  P.add("recommended_sdma_engine_id_mask", 0);
  P.add("flags", 1);
  return P.Text;
}

std::string bank(unsigned Heap, uint64_t Bytes, unsigned Width,
                 unsigned Clock) {
  Properties P;
  P.add("heap_type", Heap);
  P.add("size_in_bytes", Bytes);
  P.add("flags", 0);
  P.add("width", Width);
  P.add("mem_clk_max", Clock);
  return P.Text;
}

std::string cache(unsigned Processor, unsigned Level, unsigned KiB,
                  unsigned Line, unsigned Siblings) {
  Properties P;
  P.add("processor_id_low", Processor);
  P.add("level", Level);
  P.add("size", KiB);
  P.add("cache_line_size", Line);
  P.add("cache_lines_per_tag", 1);
  P.add("association", 16);
  P.add("latency", 1);
  P.add("type", 1 | 8); // for data, of a compute unit
  P.Text += "sibling_map ";
  for (unsigned I = 0; I < Siblings; ++I)
    P.Text += I + 1 < Siblings ? "1," : "1\n";
  return P.Text;
}

void addHost(Files &F, unsigned Gpus) {
  const unsigned Cores = std::max(1u, std::thread::hardware_concurrency());
  const std::string Node = "kfd/topology/nodes/0/";
  Properties P;
  P.add("cpu_cores_count", Cores);
  P.add("simd_count", 0);
  P.add("mem_banks_count", 1);
  P.add("caches_count", 0);
  P.add("io_links_count", Gpus);
  P.add("p2p_links_count", 0);
  P.add("cpu_core_id_base", 0);
  for (const char *Name : {"simd_id_base",
                           "max_waves_per_simd",
                           "lds_size_in_kb",
                           "gds_size_in_kb",
                           "num_gws",
                           "wave_front_size",
                           "array_count",
                           "simd_arrays_per_engine",
                           "cu_per_simd_array",
                           "simd_per_cu",
                           "max_slots_scratch_cu",
                           "gfx_target_version",
                           "vendor_id",
                           "device_id",
                           "location_id",
                           "domain",
                           "drm_render_minor",
                           "hive_id",
                           "num_sdma_engines",
                           "num_sdma_xgmi_engines",
                           "num_sdma_queues_per_engine",
                           "num_cp_queues"})
    P.add(Name, 0);
  P.add("max_engine_clk_ccompute", 3000);
  F[Node + "properties"] = P.Text;
  F[Node + "gpu_id"] = "0\n";
  F[Node + "name"] = "\n";
  struct sysinfo Info = {};
  sysinfo(&Info);
  F[Node + "mem_banks/0/properties"] =
      bank(0, uint64_t(Info.totalram) * Info.mem_unit, 64, 2400);
  F[Node + "caches/"] = F[Node + "p2p_links/"] = "";
  for (unsigned I = 0; I < Gpus; ++I)
    F[Node + "io_links/" + std::to_string(I) + "/properties"] =
        link(0, I + 1, NearWeight);
}

bool exists(const std::string &Path) {
  struct stat Stat;
  static auto *const Next = next<int(const char *, struct stat *)>("lstat");
  return Next && Next(Path.c_str(), &Stat) == 0;
}

constexpr char HostProcessors[] = "/sys/devices/system/cpu/cpu";

/// Virtual machines may have no caches of processors in sysfs, without which
/// AMD's library finds no agents. Each processor then has a small one.
void addHostCaches(Files &F) {
  if (exists(std::string(HostProcessors) + "0/cache/index0"))
    return;
  const long Count = sysconf(_SC_NPROCESSORS_CONF);
  for (long Cpu = 0; Cpu < Count; ++Cpu) {
    const std::string Cache =
        "system/cpu/cpu" + std::to_string(Cpu) + "/cache/index0/";
    std::string Map = format("%08x", 1u << Cpu % 32);
    for (long Words = Cpu / 32; Words > 0; --Words)
      Map += ",00000000";
    F[Cache + "level"] = "1\n";
    F[Cache + "type"] = "Data\n";
    F[Cache + "size"] = "32K\n";
    F[Cache + "coherency_line_size"] = "64\n";
    F[Cache + "ways_of_associativity"] = "8\n";
    F[Cache + "physical_line_partition"] = "1\n";
    F[Cache + "shared_cpu_list"] = std::to_string(Cpu) + "\n";
    F[Cache + "shared_cpu_map"] = Map + "\n";
  }
}

void addGpu(Files &F, const Processor &Gpu, unsigned Units, unsigned Index,
            unsigned Gpus) {
  const kfd::DeviceSnapshotEntry D =
      simulator::describeAgent(Gpu, Units, Index);
  const gpu::Family &Family = Gpu.family();
  const std::string Node =
      "kfd/topology/nodes/" + std::to_string(Index + 1) + "/";
  Properties P;
  P.add("cpu_cores_count", 0);
  P.add("simd_count", D.simd_count);
  P.add("mem_banks_count", 1);
  P.add("caches_count", Units + 1);
  P.add("io_links_count", 1);
  P.add("p2p_links_count", Gpus - 1);
  P.add("cpu_core_id_base", 0);
  P.add("simd_id_base", 0x80001000u + Index * 0x1000u);
  P.add("max_waves_per_simd", D.max_waves_per_simd);
  P.add("lds_size_in_kb", Gpu.LocalBytes / 1024);
  P.add("gds_size_in_kb", 0);
  P.add("num_gws", Family.HasWaveSync ? 64 : 0);
  P.add("wave_front_size", Family.defaultLanes());
  P.add("array_count", D.array_count);
  P.add("simd_arrays_per_engine", D.simd_arrays_per_engine);
  P.add("cu_per_simd_array", (Units + D.array_count - 1) / D.array_count);
  P.add("simd_per_cu", Family.SimdsPerUnit);
  P.add("max_slots_scratch_cu", 32);
  P.add("gfx_target_version", D.gfx_target_version);
  P.add("vendor_id", D.vendor_id);
  P.add("device_id", D.device_id);
  P.add("location_id", D.location_id);
  P.add("domain", 0);
  P.add("drm_render_minor", FirstRenderMinor + Index);
  P.add("hive_id", 0);
  P.add("num_sdma_engines", 2);
  P.add("num_sdma_xgmi_engines", 0);
  P.add("num_sdma_queues_per_engine", 8);
  P.add("num_cp_queues", 24);
  P.add("max_engine_clk_fcompute", 1700);
  P.add("local_mem_size", 0);
  P.add("fw_version", D.fw_version);
  P.add("capability", D.capability);
  P.add("debug_prop", D.debug_prop);
  P.add("sdma_fw_version", 8);
  P.add("unique_id", simulator::uniqueId(Index));
  P.add("num_xcc", D.num_xcc);
  P.add("max_engine_clk_ccompute", 3000);
  F[Node + "properties"] = P.Text;
  F[Node + "gpu_id"] = std::to_string(D.gpu_id) + "\n";
  F[Node + "name"] = std::string(Gpu.Name) + "\n";
  F[Node + "mem_banks/0/properties"] =
      bank(1, simulator::VideoMemory, 4096, 1600);
  F[Node + "caches/0/properties"] = cache(0x80001000u, 2, 4096, 128, Units);
  for (unsigned I = 0; I < Units; ++I)
    F[Node + "caches/" + std::to_string(I + 1) + "/properties"] =
        cache(0x80001000u + I, 1, 16, 64, 1);
  F[Node + "io_links/0/properties"] = link(Index + 1, 0, NearWeight);
  F[Node + "p2p_links/"] = "";
  unsigned Links = 0;
  for (unsigned Other = 0; Other < Gpus; ++Other)
    if (Other != Index)
      F[Node + "p2p_links/" + std::to_string(Links++) + "/properties"] =
          link(Index + 1, Other + 1, FarWeight);

  // The PCI device, its DRM devices, and the links to them.
  const std::string Address =
      format("0000:%02x:00.0", unsigned(D.location_id >> 8));
  const std::string Pci = "devices/pci0000:00/" + Address + "/";
  F[Pci + "vendor"] = format("0x%04x\n", D.vendor_id);
  F[Pci + "device"] = format("0x%04x\n", D.device_id);
  F[Pci + "revision"] = format("0x%02x\n", D.revision_id);
  F[Pci + "subsystem_vendor"] = format("0x%04x\n", D.subsystem_vendor_id);
  F[Pci + "subsystem_device"] = format("0x%04x\n", D.subsystem_device_id);
  F[Pci + "class"] = "0x030000\n";
  F[Pci + "uevent"] =
      format("DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=%04X:%04X\n"
             "PCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=%s\n",
             D.vendor_id, D.device_id, D.subsystem_vendor_id,
             D.subsystem_device_id, Address.c_str());
  F[Pci + "subsystem@"] = "../../../bus/pci";
  F[Pci + "driver@"] = "../../../bus/pci/drivers/amdgpu";
  F[Pci + "mem_info_vram_total"] =
      std::to_string(simulator::VideoMemory) + "\n";
  // The text of this file is that of a program's beginning.
  F[Pci + "mem_info_vram_used"] = "0\n";
  F[Pci + "unique_id"] = format("%lx\n", simulator::uniqueId(Index));
  // AMD's library for system management lists no card without these.
  F[Pci + "vbios_version"] = "000-SIMULATED-000\n";
  const std::string Sensors = Pci + "hwmon/hwmon" + std::to_string(Index) + "/";
  F[Sensors + "name"] = "amdgpu\n";
  F[Sensors + "in0_label"] = "vddgfx\n";
  F["bus/pci/devices/" + Address + "@"] =
      "../../../devices/pci0000:00/" + Address;
  const struct {
    const char *Name;
    unsigned Minor;
  } Devices[] = {{"card", Index}, {"renderD", FirstRenderMinor + Index}};
  for (const auto &Device : Devices) {
    const std::string Name = Device.Name + std::to_string(Device.Minor);
    const std::string Number = format("%u:%u", DrmMajor, Device.Minor);
    F[Pci + "drm/" + Name + "/dev"] = Number + "\n";
    F[Pci + "drm/" + Name + "/uevent"] =
        format("MAJOR=%u\nMINOR=%u\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n",
               DrmMajor, Device.Minor, Name.c_str());
    F[Pci + "drm/" + Name + "/device@"] = "../../../" + Address;
    F["class/drm/" + Name + "@"] =
        "../../devices/pci0000:00/" + Address + "/drm/" + Name;
    F["dev/char/" + Number + "@"] =
        "../../devices/pci0000:00/" + Address + "/drm/" + Name;
    F["dri/" + Name] = "";
  }
}

/// Creates the parent folders of \a Path, after its first \a Known characters.
bool makeFolders(const std::string &Path, size_t Known) {
  for (size_t At = Path.find('/', Known + 1); At != std::string::npos;
       At = Path.find('/', At + 1))
    if (mkdir(Path.substr(0, At).c_str(), 0700) != 0 && errno != EEXIST)
      return false;
  return true;
}

bool writeTree(const std::string &Top, const Files &All) {
  for (const auto &[Name, Text] : All) {
    std::string Path = Top + "/" + Name;
    if (!makeFolders(Path, Top.size() - 1))
      return false;
    if (Path.back() == '/')
      continue;
    if (Path.back() == '@') {
      Path.pop_back();
      if (symlink(Text.c_str(), Path.c_str()) != 0)
        return false;
      continue;
    }
    const int Fd = openNext(Path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (Fd < 0)
      return false;
    const bool Good = write(Fd, Text.data(), Text.size()) ==
                      static_cast<ssize_t>(Text.size());
    close(Fd);
    if (!Good)
      return false;
  }
  return true;
}

void removeTree(const std::string &Top, const Files &All) {
  // Deeper entries come later.
  for (auto It = All.rbegin(); It != All.rend(); ++It) {
    std::string Path = Top + "/" + It->first;
    if (Path.back() == '@' || Path.back() == '/')
      Path.pop_back();
    remove(Path.c_str());
    while (Path.size() > Top.size()) {
      Path.resize(Path.rfind('/'));
      if (rmdir(Path.c_str()) != 0)
        break;
    }
  }
}

/// A folder is named by its contents, so all programs with the same GPUs share
/// one, and it never has to be removed.
std::string makeFolder() {
  std::string Error;
  const std::string Private = simulator::runtimeDirectory(getpid(), Error);
  if (Private.empty()) {
    fprintf(stderr, "wavelane: %s\n", Error.c_str());
    return std::string();
  }
  const Selection S = selection();
  const Files All = describe(S.Gpus, S.ComputeUnits);
  uint64_t Hash = 0xcbf29ce484222325;
  for (const auto &[Name, Text] : All)
    for (const std::string *Part : {&Name, &Text})
      for (unsigned char C : *Part + '\0')
        Hash = (Hash ^ C) * 0x100000001b3;
  std::string Top = Private + format("/driver-%016llx",
                                     static_cast<unsigned long long>(Hash));
  if (access(Top.c_str(), F_OK) == 0)
    return Top;
  const std::string Temporary = Top + "." + std::to_string(getpid());
  if (mkdir(Temporary.c_str(), 0700) == 0 && writeTree(Temporary, All) &&
      rename(Temporary.c_str(), Top.c_str()) == 0)
    return Top;
  const int Reason = errno;
  removeTree(Temporary, All);
  // Another program may have created it first.
  if (access(Top.c_str(), F_OK) == 0)
    return Top;
  fprintf(stderr, "wavelane: cannot make %s: %s\n", Top.c_str(),
          strerror(Reason));
  return std::string();
}

/// The machine's own lines of /proc/modules.
std::string otherModules() {
  std::string Text;
  const int Fd = openNext("/proc/modules", O_RDONLY | O_CLOEXEC);
  char Buffer[4096];
  for (ssize_t N; Fd >= 0 && (N = read(Fd, Buffer, sizeof(Buffer))) > 0;)
    Text.append(Buffer, size_t(N));
  if (Fd >= 0)
    close(Fd);
  std::string Out;
  for (size_t At = 0; At < Text.size();) {
    const size_t End = std::min(Text.find('\n', At), Text.size() - 1) + 1;
    if (Text.compare(At, 7, "amdgpu ") != 0)
      Out += Text.substr(At, End - At);
    At = End;
  }
  return Out;
}

/// Removes repeated slashes and "/." from \a Path.
std::string normal(const char *Path) {
  std::string Out;
  for (const char *P = Path; *P; ++P) {
    if (*P == '/' && (P[1] == '/' || (P[1] == '.' && (P[2] == '/' || !P[2])))) {
      if (P[1] == '.')
        ++P;
      continue;
    }
    Out += *P;
  }
  return Out;
}

} // namespace

Files driver::describe(const std::vector<const Processor *> &Gpus,
                       unsigned ComputeUnits) {
  Files F;
  const unsigned Count = unsigned(Gpus.size());
  F["kfd/topology/generation_id"] = "1\n";
  F["kfd/topology/system_properties"] =
      "platform_oem 0\nplatform_id 0\nplatform_rev 0\n";
  F["kfd/dev"] = "510:0\n";
  F["module/amdgpu/initstate"] = "live\n";
  F["module/amdgpu/version"] = "6.4.3\n";
  F["module/amdgpu/coresize"] = "16384\n";
  F["module/amdgpu/refcnt"] = "0\n";
  F["module/amdgpu/holders/"] = "";
  // Waves can be saved; firmware schedules queues; the GPU is emulated.
  F["module/amdgpu/parameters/cwsr_enable"] = "1\n";
  F["module/amdgpu/parameters/sched_policy"] = "0\n";
  F["module/amdgpu/parameters/emu_mode"] = "1\n";
  F["modules"] = "amdgpu 16384 0 - Live 0x0000000000000000\n" + otherModules();
  F["bus/pci/drivers/amdgpu/"] = "";
  addHost(F, Count);
  addHostCaches(F);
  for (unsigned I = 0; I < Count; ++I)
    addGpu(F, *Gpus[I], ComputeUnits, I, Count);
  return F;
}

Selection driver::selection() {
  Selection S;
  std::string Error;
  const char *List = secure_getenv("WAVELANE_PROCESSOR");
  if (!List || !simulator::parseProcessors(List, S.Gpus, Error))
    S.Gpus = {&gpu::get(gpu::DefaultDevice)};
  const char *Units = secure_getenv("WAVELANE_CUS");
  const unsigned long Given = Units ? strtoul(Units, nullptr, 10) : 0;
  S.ComputeUnits = Given >= 1 && Given <= simulator::MostComputeUnits
                       ? unsigned(Given)
                       : simulator::DefaultComputeUnits;
  return S;
}

const std::string &driver::folder() {
  static const std::string Folder = makeFolder();
  return Folder;
}

std::optional<std::string> driver::placeOf(const char *Path) {
  if (!Path || *Path != '/')
    return std::nullopt;
  // Most paths aren't ours.
  if (strncmp(Path, "/sys", 4) != 0 && strncmp(Path, "/dev", 4) != 0 &&
      strncmp(Path, "/proc/m", 7) != 0)
    return std::nullopt;
  static constexpr struct {
    const char *Prefix, *Place;
  } Places[] = {
      {"/sys/devices/virtual/kfd/kfd", "kfd"},
      {"/sys/class/kfd/kfd", "kfd"},
      {"/sys/class/drm", "class/drm"},
      {"/sys/dev/char/226:", "dev/char/226:"},
      {"/sys/devices/pci0000:00/0000:", "devices/pci0000:00/0000:"},
      {"/sys/bus/pci/devices", "bus/pci/devices"},
      {"/sys/module/amdgpu", "module/amdgpu"},
      {HostProcessors, "system/cpu/cpu"},
      {"/sys/devices/system/node/node0/cpu", "system/cpu/cpu"},
      {"/dev/dri", "dri"},
      {"/proc/modules", "modules"},
  };
  const std::string Name = normal(Path);
  for (const auto &P : Places) {
    const size_t Length = strlen(P.Prefix);
    if (Name.compare(0, Length, P.Prefix) != 0)
      continue;
    const bool IsHost = !strncmp(P.Place, "system/", 7);
    const bool IsFolder = P.Prefix[Length - 1] != ':' && !IsHost;
    if (IsFolder && Name.size() > Length && Name[Length] != '/')
      continue;
    const std::string &Top = folder();
    if (Top.empty())
      return std::nullopt;
    std::string Place = Top + "/" + P.Place + Name.substr(Length);
    // The machine's other devices keep their places.
    if ((IsHost || !strncmp(P.Place, "devices/", 8) ||
         !strncmp(P.Place, "bus/", 4)) &&
        Name != P.Prefix && !exists(Place))
      return std::nullopt;
    return Place;
  }
  return std::nullopt;
}

int driver::drmMinor(const char *Path) {
  if (!Path || strncmp(Path, "/dev/", 5) != 0)
    return -1;
  const std::string Name = normal(Path);
  const Selection S = selection();
  for (unsigned I = 0; I < S.Gpus.size(); ++I) {
    if (Name == "/dev/dri/renderD" + std::to_string(FirstRenderMinor + I))
      return int(FirstRenderMinor + I);
    if (Name == "/dev/dri/card" + std::to_string(I))
      return int(I);
  }
  return -1;
}

bool driver::isKfd(const char *Path) {
  return Path && !strncmp(Path, "/dev/", 5) && normal(Path) == "/dev/kfd";
}
