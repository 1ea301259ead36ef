//===-- InitCheck.h - values that were never written ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Undefined bits are followed through registers and memory, and reported where
// they decide something. Whether a result depends on them is found by executing
// the instruction aside with several values in their place: bits that differ
// are undefined. So nothing has to be known of an instruction, and what doesn't
// depend on undefined bits (padding, halves, masked bits) is never reported.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_INITCHECK_H
#define WAVELANE_SIMULATOR_CHECK_INITCHECK_H

#include "Check.h"
#include "DefinedMemory.h"
#include "Question.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/SmallSet.h"

#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace wavelane::check {

class InitCheck : public Check, private isa::Observer {
public:
  /// \param Limit Of the memory for shadows of global memory, in bytes.
  InitCheck(Reporter &R, const Blocks &Memory, uint64_t Limit);
  ~InitCheck() override;

  isa::Observer *observer() override { return this; }
  void waveBegins(const WaveInfo &W) override;
  void waveEnds(const WaveInfo &W) override;
  void waveRuns(const WaveInfo &W) override;
  void allocated(const AllocationRef &A) override;
  void freed(const AllocationRef &A) override;
  void copied(const CopyInfo &C) override;
  void moved(uint64_t To, uint64_t From, uint64_t Size) override;
  uint64_t shadowBytes() const override { return Global.bytes(); }

  unsigned observes() const override {
    return isa::observe::Accesses | isa::observe::OtherRegisters |
           isa::observe::Rows |
           (Current ? isa::observe::Registers | isa::observe::FilterRegisters
                    : 0);
  }
  /// Rows are observed by what enters() plans, and by quietRows().
  unsigned translatedObserves() const override {
    return isa::observe::Accesses | isa::observe::FilterAccesses |
           isa::observe::OtherRegisters | isa::observe::QuietRows |
           isa::observe::Guards;
  }
  bool observesVary() const override { return true; }
  bool needsRows(uint64_t) override { return false; }
  uint64_t state() override;
  bool enters(const isa::StraightCode &Code, uint64_t Exec, uint64_t &State,
              isa::PlannedRows &Rows) override;
  bool mayGoOn(uint64_t State) override {
    return !Current || Current->Number == State;
  }
  void left(const isa::StraightCode &Last, size_t Steps, uint64_t Exec,
            uint64_t State, uint64_t Next,
            const isa::PlannedRows &Rows) override;
  /// What is undefined is what it is with the number \a State.
  void setState(uint64_t State) override;
  isa::QuietRows quietRows() override;
  /// In translated code, whose registers are defined.
  bool needsAccesses(const isa::AccessBounds &B) override;
  bool needsRegisters(isa::InstClass,
                      const std::vector<isa::RegisterRange> &Reads,
                      const std::vector<isa::RegisterRange> &Writes) override;

private:
  class Evaluator;

  /// Where an undefined value was read first.
  struct Origin {
    WaveInfo Wave;
    uint64_t PC = 0;
    uint64_t Lanes = 0;
    isa::LaneAccess A;
    std::string Register; ///< "v60", if it isn't memory
    /// "global memory that was never written"
    std::string what() const;
  };
  /// Of undefined values that were stored.
  using OriginsByPlace = llvm::DenseMap<uint64_t, uint32_t>;
  /// Undefined bits of a register's lanes, and their origin.
  struct Bits {
    std::vector<uint32_t> Words;
    uint32_t From = 0;
    bool operator<(const Bits &O) const {
      return std::tie(From, Words) < std::tie(O.From, O.Words);
    }
    bool operator==(const Bits &O) const {
      return From == O.From && Words == O.Words;
    }
    uint64_t lanes() const;
  };
  /// A vector register, as an index of WaveState's, a scalar one (or SCC), or a
  /// dword of private memory by its offset in dwords.
  enum class PlaceKind : uint8_t { Vector, Scalar, Row };
  using UndefinedPlace = std::pair<PlaceKind, unsigned>;
  /// What is undefined of registers and of WaveShadow::Rows.
  using Undefined = std::map<UndefinedPlace, Bits>;
  /// What straight code uses of registers.
  struct Needs {
    /// Lanes of a vector register, which is an index of WaveState's.
    struct Lanes {
      size_t Register;
      bool OfExec = false;
      uint64_t Others = 0;
      uint64_t all(uint64_t Exec) const { return (OfExec ? Exec : 0) | Others; }
    };
    /// Of these, what it reads isn't what it has written before.
    std::vector<Lanes> Reads;
    std::vector<Lanes> Writes;
    std::bitset<isa::scalar::Count> ScalarReads, ScalarWrites;
    bool UsesSCC = false;
    bool UsesFirstLane = false; ///< lane 0 if EXEC is 0

    static Lanes &at(std::vector<Lanes> &List, size_t Register) {
      for (Lanes &L : List)
        if (L.Register == Register)
          return L;
      return List.emplace_back(Lanes{Register});
    }
    void read(const isa::WaveState &Wave, const isa::RegisterRange &R);
    void write(const isa::WaveState &Wave, const isa::RegisterRange &R);
    bool uses(UndefinedPlace Place) const;
  };
  /// What enters() has found: the state after the code.
  struct StateAfter {
    uint32_t State = 0;
    std::unique_ptr<isa::PlannedRows> Rows;
  };
  struct WaveShadow {
    uint32_t Number = 0; ///< see state(); 0: not known
    std::map<Undefined, uint32_t> Numbers;
    std::map<uint32_t, const Undefined *> States; ///< by number
    llvm::DenseMap<Question, StateAfter> Behinds;
    bool HasUndefined = false; ///< false: no register is undefined
    /// How many instructions haven't made anything undefined.
    unsigned Quiet = 0;
    /// As WaveState::VGPR; empty while all are defined.
    std::vector<uint32_t> Vector;
    /// By register: where what is undefined of it is from, if ever it was.
    std::vector<uint32_t> VectorFrom;
    uint32_t Scalar[isa::scalar::Count] = {};
    uint32_t ScalarFrom[isa::scalar::Count] = {};
    uint32_t SCCFrom = 0;
    /// What has been written since the wave began: undefined registers have
    /// no shadow before they are read.
    std::bitset<isa::scalar::Count> Written;
    std::vector<uint64_t> WrittenLanes; ///< by register
    /// By the offset of a dword: the lanes in which all of it is defined.
    std::vector<uint64_t> QuietLanes;
    /// By the offset of a dword: each other lane's. Those never stored to are
    /// absent.
    llvm::DenseMap<uint32_t, std::vector<uint32_t>> Private;
    uint32_t UnknownPrivate = ~0u; ///< the shadow of those that are absent
    /// The dwords in which undefined registers were saved: the first ones.
    llvm::SmallSet<uint32_t, 16> Rows;
    OriginsByPlace PrivateFrom; ///< by offset of a dword and lane
  };
  struct Group {
    unsigned Waves = 0;
    std::vector<uint8_t> Local;
    OriginsByPlace LocalFrom; ///< by offset of a dword
  };
  /// A change that is made when the instruction has been executed.
  struct Change {
    isa::RegisterRange::File In;
    uint16_t Register;
    uint8_t Lane;
    uint32_t Bits;   ///< that are written
    uint32_t Shadow; ///< of these, those that are undefined
    uint32_t From;   ///< an origin
  };
  struct Store {
    isa::LaneAccess A;
    uint8_t Shadow[64];
    uint32_t From = 0;
  };

  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;

  bool isDevice(uint64_t Address) const;
  uint32_t shadowOf(const isa::RegisterRange &R, unsigned N,
                    unsigned Lane) const;
  uint32_t fromOf(const isa::RegisterRange &R) const;
  bool decide(const isa::WaveState &Wave, const isa::ObservedInstruction &I);
  bool report(const isa::ObservedInstruction &I, Kind What, uint32_t From,
              uint64_t Lanes, const std::string &Text);
  void clear(const isa::RegisterRange &R);
  /// Whether a register of \p R may be undefined in some lane.
  bool mayBeUndefined(const isa::RegisterRange &R) const;
  /// Whether the active lanes of a register that an instruction reads were
  /// never written, or some lane of one that it writes.
  bool isUnwritten(const isa::RegisterRange &R, bool IsRead) const;
  /// The index of register \a N of a range in WaveState's vector registers.
  static size_t vectorIndex(const isa::WaveState &Wave,
                            isa::RegisterRange::File In, unsigned Register) {
    return Register + (In == isa::RegisterRange::Acc ? Wave.AccumOffset : 0);
  }
  const Needs &needsOf(const isa::StraightCode &Code);
  Undefined undefined() const;
  std::optional<StateAfter> behind(const isa::StraightCode &Code, uint64_t Exec,
                                   uint32_t State);
  void setPlace(UndefinedPlace Place, const Bits &B);
  void addRow(Undefined &To, uint32_t Dword) const;
  void setRow(uint32_t Dword, const Bits &B);
  uint32_t numberOf(Undefined State);
  isa::PlannedRows plan(const isa::StraightCode &Code, const Needs &N,
                        const Undefined &State) const;
  bool follow(const isa::StraightCode &Code, const Needs &N, size_t Steps,
              uint64_t Exec, Undefined &State, isa::PlannedRows &Rows) const;
  bool followRow(const isa::StraightCode::Row &R,
                 const isa::ObservedInstruction &I, uint64_t Exec,
                 Undefined &State, isa::PlannedRows::Row &Plan) const;
  template <typename F>
  void forEach(uint64_t Exec, const isa::RegisterRange &R, F Use) const;
  uint64_t copyLanes(Undefined &State, UndefinedPlace From, UndefinedPlace To,
                     uint64_t Exec) const;
  void noteRow(const isa::ObservedInstruction &I);
  void useRegisters(const isa::ObservedInstruction &I);
  void makeUndefined(const isa::ObservedInstruction &I,
                     const isa::RegisterRange &R);
  void markWritten(const isa::RegisterRange &R);
  /// Notices now and then that all registers are defined again.
  void rest();
  bool isDefined(const isa::LaneAccess &A) const;
  void readMemory(const isa::WaveState &Wave,
                  const isa::ObservedInstruction &I);
  void writeMemory(const isa::WaveState &Wave,
                   const isa::ObservedInstruction &I);
  void storeAll();
  void noteRowStore(const Store &S);
  uint8_t load(const isa::LaneAccess &A, unsigned N) const;
  void store(const isa::LaneAccess &A, unsigned N, uint8_t Shadow);
  void storePrivate(const isa::LaneAccess &A, unsigned N, uint8_t Shadow);
  bool isQuiet(uint64_t Dword, unsigned Lane) const {
    return Dword < Current->QuietLanes.size() &&
           (Current->QuietLanes[Dword] >> Lane & 1);
  }
  /// \return false if there is no room.
  bool setQuiet(uint64_t Dword, unsigned Lane);
  void compute(const isa::WaveState &Wave, const isa::ObservedInstruction &I,
               uint32_t From);
  void commit(const isa::WaveState &Wave, const Change &C);
  void reportLimit();
  std::pair<OriginsByPlace &, uint64_t> placeOf(const isa::LaneAccess &A,
                                                unsigned N);
  uint32_t newOrigin(const isa::ObservedInstruction &I,
                     const isa::LaneAccess &A,
                     const std::string &Register = std::string());

  Reporter &R;
  const Blocks &Memory;
  DefinedMemory Global;
  bool HasReportedLimit = false; ///< of Global
  OriginsByPlace GlobalFrom;     ///< by a dword's address
  llvm::DenseMap<uint64_t, std::unique_ptr<WaveShadow>> Waves; ///< by number
  llvm::DenseMap<uint64_t, std::unique_ptr<Group>> Groups;     ///< by number
  WaveShadow *Current = nullptr;
  Group *OfCurrent = nullptr;
  std::vector<Origin> Origins; ///< 0 is none
  uint32_t OfInstruction = 0;  ///< the present instruction's origin
  llvm::DenseMap<uint64_t, uint32_t> OriginOfPC;
  std::vector<Change> Changes;
  std::vector<Store> Stores;
  std::unique_ptr<Evaluator> Aside;
  uint32_t LastNumber = 0;                                 ///< see state()
  llvm::DenseMap<uint64_t, std::unique_ptr<Needs>> OfCode; ///< by its number
  /// By PC: the dword of private memory that all lanes have accessed last.
  llvm::DenseMap<uint64_t, uint32_t> RowOfPC;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_INITCHECK_H
