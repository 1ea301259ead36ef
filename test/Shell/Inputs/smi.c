// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the GPUs that AMD's library for system management finds.
#include <rocm_smi/rocm_smi.h>
#include <stdio.h>

int main(void) {
  uint32_t count = 0;
  uint64_t total = 0, used = 0, place = 0;
  rsmi_init(0);
  rsmi_num_monitor_devices(&count);
  for (uint32_t i = 0; i < count; ++i) {
    rsmi_dev_memory_total_get(i, RSMI_MEM_TYPE_VRAM, &total);
    rsmi_dev_memory_usage_get(i, RSMI_MEM_TYPE_VRAM, &used);
    rsmi_dev_pci_id_get(i, &place);
    printf("%u: %lu of %lu bytes, at 0x%lx\n", i, used, total, place);
  }
  rsmi_shut_down();
  return count == 0;
}
