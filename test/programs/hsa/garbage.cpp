// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes nonsense, named by the first argument, to a queue of AMD's runtime, and reports the queue's error.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <hsa/hsa.h>

static std::atomic<int> queueStatus{0};

static hsa_agent_t findGpu() {
  hsa_agent_t found = {0};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void *data) {
        hsa_device_type_t type;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        if (type == HSA_DEVICE_TYPE_GPU)
          *static_cast<hsa_agent_t *>(data) = agent;
        return HSA_STATUS_SUCCESS;
      },
      &found);
  return found;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (hsa_init() != HSA_STATUS_SUCCESS)
    return 2;
  hsa_queue_t *queue;
  if (hsa_queue_create(
          findGpu(), 128, HSA_QUEUE_TYPE_MULTI, [](hsa_status_t status, hsa_queue_t *, void *) { queueStatus = status; },
          nullptr, UINT32_MAX, UINT32_MAX, &queue) != HSA_STATUS_SUCCESS)
    return 3;
  auto *packets = static_cast<hsa_kernel_dispatch_packet_t *>(queue->base_address);
  hsa_kernel_dispatch_packet_t packet;
  memset(&packet, 0xa5, sizeof(packet));
  uint64_t index = 0;
  if (!strcmp(what, "code")) {
    packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
    packet.setup = 1;
    packet.workgroup_size_x = packet.grid_size_x = 64;
    packet.completion_signal.handle = 0;
  } else if (!strcmp(what, "size")) {
    packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
    packet.setup = 3;
  } else if (!strcmp(what, "doorbell")) {
    // Far beyond the queue, which holds no packets.
    index = uint64_t(1) << 40;
    packet.header = HSA_PACKET_TYPE_INVALID;
  } else {
    packet.header = 0x77; // no packet's type
  }
  packets[0] = packet;
  hsa_queue_store_write_index_screlease(queue, index + 1);
  hsa_signal_store_screlease(queue->doorbell_signal, index);
  if (strcmp(what, "doorbell"))
    while (!queueStatus)
      ;
  printf("%s: status 0x%x\n", what, queueStatus.load());
  hsa_queue_destroy(queue);
  // Another queue still works.
  printf("another: 0x%x\n", hsa_queue_create(findGpu(), 128, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &queue));
  hsa_queue_destroy(queue);
  return hsa_shut_down() != HSA_STATUS_SUCCESS;
}
