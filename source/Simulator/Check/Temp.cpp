#include "wavelane/Simulator/Observer.h"
using namespace wavelane::isa;
Observer::~Observer() = default;
bool Observer::before(const WaveState &, const ObservedInstruction &) {
  return true;
}
void Observer::after(const WaveState &, const ObservedInstruction &) {}
