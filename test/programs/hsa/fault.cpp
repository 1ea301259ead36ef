// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Over HSA alone, launches the kernel of compilers/kernel.hip in the code object named by the first argument, with a null
// pointer: the runtime ends the program.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

static void check(hsa_status_t status, const char *what) {
  if (status == HSA_STATUS_SUCCESS)
    return;
  printf("%s: 0x%x\n", what, status);
  exit(2);
}
#define CHECK(call) check(call, #call)

static hsa_agent_t gpu, host;
static hsa_amd_memory_pool_t arguments;

static hsa_status_t onAgent(hsa_agent_t agent, void *) {
  hsa_device_type_t type;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  (type == HSA_DEVICE_TYPE_GPU ? gpu : host) = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t onPool(hsa_amd_memory_pool_t pool, void *) {
  uint32_t flags = 0;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
    arguments = pool;
  return HSA_STATUS_SUCCESS;
}

int main(int, char **argv) {
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(onAgent, nullptr));
  CHECK(hsa_amd_agent_iterate_memory_pools(host, onPool, nullptr));
  hsa_code_object_reader_t reader;
  hsa_executable_t code;
  hsa_executable_symbol_t symbol;
  CHECK(hsa_code_object_reader_create_from_file(open(argv[1], O_RDONLY), &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &code));
  CHECK(hsa_executable_load_agent_code_object(code, gpu, reader, nullptr, nullptr));
  CHECK(hsa_executable_freeze(code, nullptr));
  CHECK(hsa_executable_get_symbol_by_name(code, "kernel.kd", &gpu, &symbol));

  hsa_kernel_dispatch_packet_t packet = {};
  uint32_t size;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &packet.private_segment_size));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &packet.group_segment_size));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &size));
  CHECK(hsa_amd_memory_pool_allocate(arguments, size, 0, &packet.kernarg_address));
  CHECK(hsa_amd_agents_allow_access(1, &gpu, nullptr, packet.kernarg_address));
  memset(packet.kernarg_address, 0, size);
  CHECK(hsa_signal_create(1, 0, nullptr, &packet.completion_signal));
  packet.setup = 1;
  packet.workgroup_size_x = packet.grid_size_x = 64;
  packet.workgroup_size_y = packet.workgroup_size_z = packet.grid_size_y = packet.grid_size_z = 1;
  packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH | HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE;

  hsa_queue_t *queue;
  CHECK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &queue));
  static_cast<hsa_kernel_dispatch_packet_t *>(queue->base_address)[0] = packet;
  hsa_queue_store_write_index_screlease(queue, 1);
  hsa_signal_store_screlease(queue->doorbell_signal, 0);
  hsa_signal_wait_scacquire(packet.completion_signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  puts("the kernel has ended");
  return 1;
}
