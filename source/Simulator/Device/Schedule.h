//===-- Schedule.h - in which order waves run -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number is a schedule: with it, the same program and inputs give the same
// run. 0 is the usual one, round robin. Even numbers give waves turns of any
// length in any order, workgroups begin in any order, and the lanes of half of
// the dispatches store in the opposite order; odd ones also hold waves for a
// long time (chaos).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_SCHEDULE_H
#define WAVELANE_SIMULATOR_DEVICE_SCHEDULE_H

#include <cstdint>

namespace wavelane::simulator {

/// Numbers of a dispatch's schedule (SplitMix64).
class ScheduleRandom {
public:
  ScheduleRandom() = default;
  explicit ScheduleRandom(uint64_t Seed) : State(Seed) {}
  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
    return Z ^ Z >> 31;
  }
  /// From 0 to \a End - 1.
  uint64_t below(uint64_t End) { return next() % End; }

private:
  uint64_t State = 0;
};

class Schedule {
public:
  explicit Schedule(uint64_t Number = 0) : Number(Number) {}
  bool isUsual() const { return Number == 0; }
  bool isChaos() const { return Number & 1; }
  /// The numbers of a queue's dispatch.
  ScheduleRandom of(uint32_t Queue, uint64_t Dispatch) const {
    ScheduleRandom R(Number);
    ScheduleRandom S(R.next() ^ (uint64_t(Queue) << 40) ^ Dispatch);
    return ScheduleRandom(S.next());
  }

private:
  uint64_t Number;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_SCHEDULE_H
