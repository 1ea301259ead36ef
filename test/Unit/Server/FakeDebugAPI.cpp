//===-- FakeDebugAPI.cpp - A ROCdbgapi library for the server's tests -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its waves are minimal: as soon as they may run, they execute s_nop, s_barrier
// (as a nop), s_trap 1, s_branch to itself and s_endpgm from the program's
// memory. WAVELANE_FAKE_DBGAPI says "r_brk,code,kernel,waves[,faults]" in
// hexadecimal: the first wave begins at the code, the next ones one, two and
// three instructions later, and so on in turns.
//
// WAVELANE_FAKE_CODE_OBJECT names the file of the code, and where it is in it,
// as "hexadecimal,path". Then the two waves of a workgroup wait for each other
// at s_barrier. WAVELANE_FAKE_LOG names a file for a line "stop N" or "resume
// N" for each request to do so to wave N.
//
//===----------------------------------------------------------------------===//

#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <map>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr amd_dbgapi_status_t Ok = AMD_DBGAPI_STATUS_SUCCESS;
constexpr uint32_t Nop = 0xbf800000, Barrier = 0xbf8a0000, Trap = 0xbf920001,
                   Loop = 0xbf82ffff, End = 0xbf810000;

struct Wave {
  uint64_t pc = 0;
  uint64_t exec = 0xff;
  uint32_t v0[64] = {};
  uint32_t private_lane[64] = {};
  amd_dbgapi_wave_state_t state = AMD_DBGAPI_WAVE_STATE_RUN;
  uint32_t reasons = 0;
  bool event_open = false;
  uint64_t displaced_from = 0;
  uint32_t displaced_word = 0;
  bool at_barrier = false; ///< waits, past the instruction
};

struct Event {
  amd_dbgapi_event_kind_t kind;
  uint64_t wave = 0;
  amd_dbgapi_client_thread_id_t thread = nullptr;
  int runtime = 0;
};

amd_dbgapi_callbacks_t callbacks;
amd_dbgapi_client_process_id_t client;
pid_t pid;
uint64_t r_brk, code, kernel, wave_count;
bool attached, hit_reported, fatal;
int notifier[2] = {-1, -1};
bool no_forward;
std::map<uint64_t, Wave> waves;
std::deque<Event> pending;
std::map<uint64_t, Event> open_events;
uint64_t next_event = 1;
bool displaced_busy;
std::string code_object;
uint64_t code_in_object;
FILE *requests;

bool memory(uint64_t address, void *read, const void *write, size_t size) {
  const std::string path = "/proc/" + std::to_string(pid) + "/mem";
  const int fd = open(path.c_str(), read ? O_RDONLY : O_WRONLY);
  const ssize_t done = read ? pread(fd, read, size, off_t(address))
                            : pwrite(fd, write, size, off_t(address));
  close(fd);
  return done == ssize_t(size);
}

void push(Event event) {
  pending.push_back(event);
  (void)!write(notifier[1], "", 1);
}

void stop(uint64_t id, Wave &wave, uint32_t reasons) {
  wave.state = AMD_DBGAPI_WAVE_STATE_STOP;
  wave.reasons = reasons;
  wave.event_open = true;
  push({AMD_DBGAPI_EVENT_KIND_WAVE_STOP, id, nullptr, 0});
}

void note(const char *request, uint64_t wave) {
  if (requests)
    fprintf(requests, "%s %d\n", request, int(wave));
}

uint64_t workgroup_of(uint64_t wave) { return (wave - 1) / 2 + 1; }

/// The last wave of its workgroup that reaches the barrier releases all.
void arrive(uint64_t id, Wave &arriving) {
  arriving.at_barrier = true;
  for (auto &[other, wave] : waves)
    if (workgroup_of(other) == workgroup_of(id) && !wave.at_barrier)
      return;
  for (auto &[other, wave] : waves)
    if (workgroup_of(other) == workgroup_of(id)) {
      wave.at_barrier = false;
      if (wave.state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP)
        stop(other, wave, AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP);
    }
}

bool run_once() {
  bool released = false;
  std::vector<uint64_t> ended;
  for (auto &[id, wave] : waves)
    while (wave.state != AMD_DBGAPI_WAVE_STATE_STOP && !wave.at_barrier) {
      const bool step = wave.state == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP;
      uint32_t word = 0;
      if (wave.displaced_from)
        word = wave.displaced_word;
      else if (!memory(wave.pc, &word, nullptr, 4)) {
        stop(id, wave, AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION);
        break;
      }
      if (word == Loop) {
        if (step)
          stop(id, wave, AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP);
        break;
      }
      if (word == End) {
        if (step)
          push({AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED, id, nullptr, 0});
        ended.push_back(id);
        break;
      }
      if (word == Trap) {
        wave.pc += 4;
        stop(id, wave, AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT);
      } else if (word == Barrier && !code_object.empty()) {
        wave.pc += 4;
        arrive(id, wave);
        released |= !wave.at_barrier;
      } else if (word == Nop || word == Barrier) {
        wave.pc += 4;
        if (step)
          stop(id, wave, AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP);
      } else {
        stop(id, wave, AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION);
      }
    }
  for (uint64_t id : ended)
    waves.erase(id);
  return released;
}

void run() {
  if (no_forward || !attached)
    return;
  while (run_once())
    ;
}

char *text(const char *from) {
  char *copy = static_cast<char *>(callbacks.allocate_memory(strlen(from) + 1));
  return strcpy(copy, from);
}

template <typename T>
amd_dbgapi_status_t give(size_t size, void *value, const T &result) {
  if (size != sizeof(T))
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY;
  memcpy(value, &result, sizeof(T));
  return Ok;
}

template <typename T>
amd_dbgapi_status_t list(size_t *count, T **items,
                         const std::vector<uint64_t> &ids) {
  *count = ids.size();
  *items =
      static_cast<T *>(callbacks.allocate_memory(ids.size() * sizeof(T) + 1));
  for (size_t i = 0; i < ids.size(); ++i)
    (*items)[i] = T{ids[i]};
  return Ok;
}

enum Register : uint64_t { PC = 1, EXEC, V0, S0, STATUS, RegisterEnd };
struct RegisterFacts {
  const char *name;
  uint64_t size;
  const char *type;
  uint64_t dwarf;
} const registers[] = {{"", 0, "", 0},
                       {"pc", 8, "void (*)()", 16},
                       {"exec", 8, "uint64_t", 17},
                       {"v0", 256, "int32_t[64]", 2560},
                       {"s0", 4, "uint32_t", 32},
                       {"status", 4, "uint32_t", 128}};
uint32_t s0, status_register = 5;

struct SpaceFacts {
  const char *name;
  uint64_t bits, null, dwarf;
} const spaces[] = {{"", 0, 0, 0},
                    {"global", 64, 0, 0},
                    {"generic", 64, 0, 1},
                    {"local", 32, 0xffffffff, 3},
                    {"private_lane", 32, 0, 5},
                    {"private_wave", 32, 0, 6}};

Wave *find(amd_dbgapi_wave_id_t id) {
  auto found = waves.find(id.handle);
  return found == waves.end() ? nullptr : &found->second;
}

} // namespace

#define API extern "C" amd_dbgapi_status_t
API amd_dbgapi_address_dependency(
    amd_dbgapi_address_space_id_t space, amd_dbgapi_segment_address_t,
    amd_dbgapi_segment_address_dependency_t *dependency) {
  *dependency = space.handle == 4 ? AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_LANE
                : space.handle == 3
                    ? AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WORKGROUP
                    : AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WAVE;
  return Ok;
}

// Functions that the tests don't need exist only by name, since the server
// looks up all of them.
#define UNUSED(name)                                                           \
  extern "C" amd_dbgapi_status_t unused_##name() __asm__("amd_dbgapi_" #name); \
  amd_dbgapi_status_t unused_##name() {                                        \
    return AMD_DBGAPI_STATUS_ERROR_NOT_IMPLEMENTED;                            \
  }

extern "C" void amd_dbgapi_get_version(uint32_t *a, uint32_t *b, uint32_t *c) {
  *a = 0, *b = 77, *c = 0;
}
extern "C" const char *amd_dbgapi_get_build_name() { return "fake"; }
extern "C" void amd_dbgapi_set_log_level(amd_dbgapi_log_level_t) {}
API amd_dbgapi_get_status_string(amd_dbgapi_status_t, const char **string) {
  *string = "a status";
  return Ok;
}
API amd_dbgapi_initialize(amd_dbgapi_callbacks_t *given) {
  callbacks = *given;
  unsigned long long v[4];
  const char *plan = getenv("WAVELANE_FAKE_DBGAPI");
  if (!plan || sscanf(plan, "%llx,%llx,%llx,%llx", v, v + 1, v + 2, v + 3) != 4)
    return AMD_DBGAPI_STATUS_ERROR;
  r_brk = v[0], code = v[1], kernel = v[2], wave_count = v[3];
  fatal = strstr(plan, "fatal");
  if (const char *given = getenv("WAVELANE_FAKE_CODE_OBJECT"))
    if (const char *path = strchr(given, ',')) {
      code_in_object = strtoull(given, nullptr, 16);
      code_object = path + 1;
    }
  if (const char *path = getenv("WAVELANE_FAKE_LOG"))
    if ((requests = fopen(path, "we")))
      setvbuf(requests, nullptr, _IOLBF, 0);
  return Ok;
}
API amd_dbgapi_finalize() { return Ok; }
API amd_dbgapi_process_attach(amd_dbgapi_client_process_id_t given,
                              amd_dbgapi_process_id_t *process) {
  client = given;
  if (callbacks.client_process_get_info(client,
                                        AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID,
                                        sizeof(pid), &pid) != Ok)
    return AMD_DBGAPI_STATUS_ERROR;
  if (pipe2(notifier, O_NONBLOCK | O_CLOEXEC) != 0)
    return AMD_DBGAPI_STATUS_ERROR;
  attached = true;
  process->handle = 1;
  push({AMD_DBGAPI_EVENT_KIND_RUNTIME, 0, nullptr, 1});
  return Ok;
}
API amd_dbgapi_process_detach(amd_dbgapi_process_id_t) {
  attached = false;
  close(notifier[0]);
  close(notifier[1]);
  return Ok;
}
API amd_dbgapi_process_get_info(amd_dbgapi_process_id_t,
                                amd_dbgapi_process_info_t query, size_t size,
                                void *value) {
  if (query == AMD_DBGAPI_PROCESS_INFO_NOTIFIER)
    return give(size, value, notifier[0]);
  if (query == AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT)
    return give(size, value, size_t(4));
  return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
}
API amd_dbgapi_process_set_progress(amd_dbgapi_process_id_t,
                                    amd_dbgapi_progress_t progress) {
  no_forward = progress == AMD_DBGAPI_PROGRESS_NO_FORWARD;
  run();
  return Ok;
}
API amd_dbgapi_process_set_wave_creation(amd_dbgapi_process_id_t,
                                         amd_dbgapi_wave_creation_t) {
  return Ok;
}
API amd_dbgapi_process_next_pending_event(amd_dbgapi_process_id_t,
                                          amd_dbgapi_event_id_t *event,
                                          amd_dbgapi_event_kind_t *kind) {
  *event = AMD_DBGAPI_EVENT_NONE;
  *kind = AMD_DBGAPI_EVENT_KIND_NONE;
  if (pending.empty())
    return Ok;
  Event next = pending.front();
  pending.pop_front();
  if (next.kind == AMD_DBGAPI_EVENT_KIND_RUNTIME)
    callbacks.insert_breakpoint(client, r_brk, {7});
  event->handle = next_event++;
  *kind = next.kind;
  open_events[event->handle] = next;
  return Ok;
}
API amd_dbgapi_event_get_info(amd_dbgapi_event_id_t id,
                              amd_dbgapi_event_info_t query, size_t size,
                              void *value) {
  const Event &event = open_events[id.handle];
  switch (query) {
  case AMD_DBGAPI_EVENT_INFO_WAVE:
    return give(size, value, event.wave);
  case AMD_DBGAPI_EVENT_INFO_CLIENT_THREAD:
    return give(size, value, event.thread);
  case AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE:
    return give(size, value, amd_dbgapi_runtime_state_t(event.runtime));
  default:
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
API amd_dbgapi_event_processed(amd_dbgapi_event_id_t id) {
  const Event event = open_events[id.handle];
  open_events.erase(id.handle);
  if (Wave *wave = find({event.wave}))
    wave->event_open = false;
  // The thread may continue once the list has been read.
  if (event.kind == AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED)
    push({AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME, 0, event.thread, 0});
  return Ok;
}
API amd_dbgapi_report_breakpoint_hit(amd_dbgapi_breakpoint_id_t,
                                     amd_dbgapi_client_thread_id_t thread,
                                     amd_dbgapi_breakpoint_action_t *action) {
  *action = AMD_DBGAPI_BREAKPOINT_ACTION_HALT;
  push({AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED, 0, thread, 0});
  hit_reported = true;
  return Ok;
}
API amd_dbgapi_process_code_object_list(amd_dbgapi_process_id_t, size_t *count,
                                        amd_dbgapi_code_object_id_t **items,
                                        amd_dbgapi_changed_t *) {
  return list(count, items, {1});
}
API amd_dbgapi_code_object_get_info(amd_dbgapi_code_object_id_t,
                                    amd_dbgapi_code_object_info_t query,
                                    size_t size, void *value) {
  if (query == AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS)
    return give(size, value,
                code_object.empty() ? int64_t(0)
                                    : int64_t(code - code_in_object));
  if (!code_object.empty())
    return give(size, value, text(("file://" + code_object).c_str()));
  char path[4096] = "";
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  (void)!readlink(link.c_str(), path, sizeof(path) - 1);
  return give(size, value, text((std::string("file://") + path).c_str()));
}
API amd_dbgapi_process_agent_list(amd_dbgapi_process_id_t, size_t *count,
                                  amd_dbgapi_agent_id_t **items,
                                  amd_dbgapi_changed_t *) {
  return list(count, items, {1});
}
API amd_dbgapi_agent_get_info(amd_dbgapi_agent_id_t,
                              amd_dbgapi_agent_info_t query, size_t size,
                              void *value) {
  if (query == AMD_DBGAPI_AGENT_INFO_ARCHITECTURE)
    return give(size, value, uint64_t(1));
  if (query == AMD_DBGAPI_AGENT_INFO_NAME)
    return give(size, value, text("gfx90a:sramecc+:xnack-"));
  return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
}
API amd_dbgapi_architecture_get_info(amd_dbgapi_architecture_id_t,
                                     amd_dbgapi_architecture_info_t query,
                                     size_t size, void *value) {
  switch (query) {
  case AMD_DBGAPI_ARCHITECTURE_INFO_NAME:
    return give(size, value, text("gfx90a"));
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE:
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST:
    return give(size, value, uint64_t(4));
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION: {
    void *bytes = callbacks.allocate_memory(4);
    memcpy(bytes, &Trap, 4);
    return give(size, value, bytes);
  }
  case AMD_DBGAPI_ARCHITECTURE_INFO_PC_REGISTER:
    return give(size, value, uint64_t(PC));
  default:
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
API amd_dbgapi_architecture_register_list(amd_dbgapi_architecture_id_t,
                                          size_t *count,
                                          amd_dbgapi_register_id_t **items) {
  return list(count, items, {STATUS, V0, S0, EXEC, PC});
}
API amd_dbgapi_architecture_register_class_list(
    amd_dbgapi_architecture_id_t, size_t *count,
    amd_dbgapi_register_class_id_t **items) {
  return list(count, items, {1});
}
API amd_dbgapi_architecture_register_class_get_info(
    amd_dbgapi_register_class_id_t, amd_dbgapi_register_class_info_t,
    size_t size, void *value) {
  return give(size, value, text("system"));
}
API amd_dbgapi_register_is_in_register_class(
    amd_dbgapi_register_class_id_t, amd_dbgapi_register_id_t id,
    amd_dbgapi_register_class_state_t *state) {
  *state = id.handle == STATUS ? AMD_DBGAPI_REGISTER_CLASS_STATE_MEMBER
                               : AMD_DBGAPI_REGISTER_CLASS_STATE_NOT_MEMBER;
  return Ok;
}
API amd_dbgapi_register_get_info(amd_dbgapi_register_id_t id,
                                 amd_dbgapi_register_info_t query, size_t size,
                                 void *value) {
  const RegisterFacts &facts = registers[id.handle];
  switch (query) {
  case AMD_DBGAPI_REGISTER_INFO_NAME:
    return give(size, value, text(facts.name));
  case AMD_DBGAPI_REGISTER_INFO_SIZE:
    return give(size, value, facts.size);
  case AMD_DBGAPI_REGISTER_INFO_TYPE:
    return give(size, value, text(facts.type));
  case AMD_DBGAPI_REGISTER_INFO_DWARF:
    return give(size, value, facts.dwarf);
  default:
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
static void *location(Wave &wave, amd_dbgapi_register_id_t id) {
  switch (id.handle) {
  case PC:
    return &wave.pc;
  case EXEC:
    return &wave.exec;
  case V0:
    return wave.v0;
  case S0:
    return &s0;
  default:
    return &status_register;
  }
}
API amd_dbgapi_read_register(amd_dbgapi_wave_id_t id,
                             amd_dbgapi_register_id_t reg,
                             amd_dbgapi_size_t offset, amd_dbgapi_size_t size,
                             void *value) {
  Wave *wave = find(id);
  if (!wave)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (fatal && reg.handle == V0)
    return AMD_DBGAPI_STATUS_FATAL;
  if (reg.handle == STATUS)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  memcpy(value, static_cast<char *>(location(*wave, reg)) + offset, size);
  return Ok;
}
API amd_dbgapi_write_register(amd_dbgapi_wave_id_t id,
                              amd_dbgapi_register_id_t reg,
                              amd_dbgapi_size_t offset, amd_dbgapi_size_t size,
                              const void *value) {
  Wave *wave = find(id);
  if (!wave)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  memcpy(static_cast<char *>(location(*wave, reg)) + offset, value, size);
  return Ok;
}
API amd_dbgapi_architecture_address_space_list(
    amd_dbgapi_architecture_id_t, size_t *count,
    amd_dbgapi_address_space_id_t **items) {
  return list(count, items, {1, 2, 3, 4, 5});
}
API amd_dbgapi_dwarf_address_space_to_address_space(
    amd_dbgapi_architecture_id_t, uint64_t dwarf,
    amd_dbgapi_address_space_id_t *space) {
  for (uint64_t i = 1; i <= 5; ++i)
    if (spaces[i].dwarf == dwarf) {
      space->handle = i;
      return Ok;
    }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
}
API amd_dbgapi_address_space_get_info(amd_dbgapi_address_space_id_t id,
                                      amd_dbgapi_address_space_info_t query,
                                      size_t size, void *value) {
  const SpaceFacts &facts = spaces[id.handle];
  switch (query) {
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME:
    return give(size, value, text(facts.name));
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE:
    return give(size, value, facts.bits);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS:
    return give(size, value, facts.null);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF:
    return give(size, value, facts.dwarf);
  default:
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
static amd_dbgapi_status_t transfer(amd_dbgapi_wave_id_t id, uint32_t lane,
                                    uint64_t space, uint64_t address,
                                    uint64_t *size, void *read,
                                    const void *write) {
  if (space == 1)
    return memory(address, read, write, *size)
               ? Ok
               : AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  Wave *wave = find(id);
  if (!wave || space != 4 || lane >= 64 || address != 0)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  *size = *size < 4 ? *size : 4;
  if (read)
    memcpy(read, &wave->private_lane[lane], *size);
  else
    memcpy(&wave->private_lane[lane], write, *size);
  return Ok;
}
API amd_dbgapi_read_memory(amd_dbgapi_process_id_t, amd_dbgapi_wave_id_t wave,
                           amd_dbgapi_lane_id_t lane,
                           amd_dbgapi_address_space_id_t space,
                           amd_dbgapi_segment_address_t address,
                           amd_dbgapi_size_t *size, void *value) {
  return transfer(wave, lane, space.handle, address, size, value, nullptr);
}
API amd_dbgapi_write_memory(amd_dbgapi_process_id_t, amd_dbgapi_wave_id_t wave,
                            amd_dbgapi_lane_id_t lane,
                            amd_dbgapi_address_space_id_t space,
                            amd_dbgapi_segment_address_t address,
                            amd_dbgapi_size_t *size, const void *value) {
  return transfer(wave, lane, space.handle, address, size, nullptr, value);
}
API amd_dbgapi_process_wave_list(amd_dbgapi_process_id_t, size_t *count,
                                 amd_dbgapi_wave_id_t **items,
                                 amd_dbgapi_changed_t *) {
  // They begin at the first query, when a client has connected.
  if (hit_reported)
    for (uint64_t i = 0, n = std::exchange(wave_count, 0); i < n; ++i)
      waves[i + 1].pc = code + 4 * (i % 4);
  std::vector<uint64_t> ids;
  for (auto &[id, wave] : waves)
    ids.push_back(id);
  return list(count, items, ids);
}
API amd_dbgapi_wave_get_info(amd_dbgapi_wave_id_t id,
                             amd_dbgapi_wave_info_t query, size_t size,
                             void *value) {
  Wave *wave = find(id);
  if (!wave)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  switch (query) {
  case AMD_DBGAPI_WAVE_INFO_STATE:
    return give(size, value, wave->state);
  case AMD_DBGAPI_WAVE_INFO_STOP_REASON:
    return give(size, value, wave->reasons);
  case AMD_DBGAPI_WAVE_INFO_PC:
    return wave->state == AMD_DBGAPI_WAVE_STATE_STOP
               ? give(size, value, wave->pc)
               : AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  case AMD_DBGAPI_WAVE_INFO_EXEC_MASK:
    return give(size, value, wave->exec);
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD: {
    const uint32_t at[3] = {uint32_t(id.handle - 1) / 2, 0, 0};
    return give(size, value, at);
  }
  case AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP:
    return give(size, value, uint32_t(id.handle - 1) % 2);
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP:
    return give(size, value, workgroup_of(id.handle));
  case AMD_DBGAPI_WAVE_INFO_LANE_COUNT:
    return give(size, value, size_t(64));
  default:
    return give(size, value, uint64_t(1));
  }
}
API amd_dbgapi_dispatch_get_info(amd_dbgapi_dispatch_id_t,
                                 amd_dbgapi_dispatch_info_t query, size_t size,
                                 void *value) {
  const uint16_t workgroup[3] = {128, 1, 1};
  const uint32_t grid[3] = {1000, 1, 1};
  if (query == AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES)
    return give(size, value, workgroup);
  if (query == AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES)
    return give(size, value, grid);
  if (query == AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS)
    return give(size, value, kernel);
  return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
}
API amd_dbgapi_process_dispatch_list(amd_dbgapi_process_id_t, size_t *count,
                                     amd_dbgapi_dispatch_id_t **items,
                                     amd_dbgapi_changed_t *) {
  return list(count, items, {1});
}
API amd_dbgapi_wave_stop(amd_dbgapi_wave_id_t id) {
  note("stop", id.handle);
  Wave *wave = find(id);
  if (!wave)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (wave->state == AMD_DBGAPI_WAVE_STATE_STOP)
    return wave->event_open ? AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP
                            : AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED;
  stop(id.handle, *wave, 0);
  return Ok;
}
API amd_dbgapi_wave_resume(amd_dbgapi_wave_id_t id,
                           amd_dbgapi_resume_mode_t mode,
                           amd_dbgapi_exceptions_t exceptions) {
  note("resume", id.handle);
  Wave *wave = find(id);
  if (!wave)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (wave->event_open || wave->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_RESUMABLE;
  if (wave->displaced_from && mode != AMD_DBGAPI_RESUME_MODE_SINGLE_STEP)
    return AMD_DBGAPI_STATUS_ERROR_RESUME_DISPLACED_STEPPING;
  if (exceptions) {
    waves.erase(id.handle);
    return Ok;
  }
  wave->state = mode == AMD_DBGAPI_RESUME_MODE_SINGLE_STEP
                    ? AMD_DBGAPI_WAVE_STATE_SINGLE_STEP
                    : AMD_DBGAPI_WAVE_STATE_RUN;
  run();
  return Ok;
}
API amd_dbgapi_displaced_stepping_start(
    amd_dbgapi_wave_id_t id, const void *original,
    amd_dbgapi_displaced_stepping_id_t *displaced) {
  Wave *wave = find(id);
  // There is only one buffer; barriers where no wave waits must be executed in
  // line.
  uint32_t word;
  memcpy(&word, original, 4);
  if (word == Barrier && code_object.empty())
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
  if (displaced_busy)
    return AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE;
  displaced_busy = true;
  displaced->handle = id.handle;
  wave->displaced_from = wave->pc;
  wave->displaced_word = word;
  wave->pc = 0xd15b1aced;
  return Ok;
}
API amd_dbgapi_displaced_stepping_complete(amd_dbgapi_wave_id_t id,
                                           amd_dbgapi_displaced_stepping_id_t) {
  Wave *wave = find(id);
  displaced_busy = false;
  wave->pc = wave->displaced_from + (wave->pc - 0xd15b1aced);
  wave->displaced_from = 0;
  return Ok;
}
API amd_dbgapi_classify_instruction(amd_dbgapi_architecture_id_t,
                                    amd_dbgapi_global_address_t,
                                    amd_dbgapi_size_t *, const void *bytes,
                                    amd_dbgapi_instruction_kind_t *kind,
                                    amd_dbgapi_instruction_properties_t *,
                                    void **) {
  uint32_t word;
  memcpy(&word, bytes, 4);
  *kind = word == Barrier ? AMD_DBGAPI_INSTRUCTION_KIND_BARRIER
                          : AMD_DBGAPI_INSTRUCTION_KIND_SEQUENTIAL;
  return Ok;
}
API amd_dbgapi_disassemble_instruction(
    amd_dbgapi_architecture_id_t, amd_dbgapi_global_address_t,
    amd_dbgapi_size_t *, const void *, char **result,
    amd_dbgapi_symbolizer_id_t,
    amd_dbgapi_status_t (*)(amd_dbgapi_symbolizer_id_t,
                            amd_dbgapi_global_address_t, char **)) {
  *result = text("v_bogus_b32 v0");
  return Ok;
}
API amd_dbgapi_set_watchpoint(amd_dbgapi_process_id_t,
                              amd_dbgapi_global_address_t, amd_dbgapi_size_t,
                              amd_dbgapi_watchpoint_kind_t,
                              amd_dbgapi_watchpoint_id_t *) {
  return AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE;
}
UNUSED(get_architecture)
UNUSED(process_freeze)
UNUSED(process_unfreeze)
UNUSED(queue_get_info)
UNUSED(process_queue_list)
UNUSED(queue_packet_list)
UNUSED(workgroup_get_info)
UNUSED(process_workgroup_list)
UNUSED(displaced_stepping_get_info)
UNUSED(watchpoint_get_info)
UNUSED(remove_watchpoint)
UNUSED(set_memory_precision)
UNUSED(set_alu_exceptions_precision)
UNUSED(wave_register_exists)
UNUSED(wave_register_list)
UNUSED(dwarf_register_to_register)
UNUSED(prefetch_register)
UNUSED(address_class_get_info)
UNUSED(architecture_address_class_list)
UNUSED(dwarf_address_class_to_address_class)
UNUSED(address_is_in_address_class)
UNUSED(breakpoint_get_info)
UNUSED(convert_address_space)
