//===-- ImageMemory.cpp - image instructions and typed buffers ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images have one level. HSA's images in an opaque layout are only accessed by
// these instructions; here, their elements are in rows without gaps, which take
// less memory than the hardware's tiles.
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "ImageFormat.h"
#include "MemoryMoves.h"

#include <cmath>

namespace wavelane::isa {

using namespace memory;

namespace {

enum : u32 { HasLevel = 1, HasBias = 2, HasGradients = 4 };

u32 field(u32 Word, unsigned At, unsigned Size) {
  return Word >> At & ((1u << Size) - 1);
}

/// An unpacked resource descriptor of an image.
struct Resource {
  u64 Base;
  u32 Width, Height, Slices, FirstSlice, Pitch;
  bool IsArray, IsLevel0Only;
  unsigned Type; ///< 8: 1D, 9: 2D, 10: 3D, 12 and 13: arrays of 1D and of 2D
  ImageFormat Format;
  ImageSelection Selection;

  Resource(const u32 *D, gpu::Descriptors In) {
    Base = u64(D[0]) << 8 | u64(D[1] & 0xff) << 40;
    Type = D[3] >> 28;
    IsArray = Type == 12 || Type == 13;
    IsLevel0Only = field(D[3], 12, 4) == 0 && field(D[3], 16, 4) == 0;
    Selection.Fields = D[3] & 0xfff;
    if (In == gpu::Descriptors::GFX9) {
      Format = ImageFormat::find(In, field(D[1], 20, 6), field(D[1], 26, 4));
      Width = field(D[2], 0, 14) + 1;
      Height = field(D[2], 14, 14) + 1;
      FirstSlice = field(D[5], 0, 13);
    } else {
      Format = ImageFormat::find(
          In, field(D[1], 20, In == gpu::Descriptors::GFX10 ? 9 : 8), 0);
      Width = (field(D[1], 30, 2) | field(D[2], 0, 12) << 2) + 1;
      Height = field(D[2], 14, 14) + 1;
      FirstSlice = field(D[4], 16, 13);
    }
    const bool IsFlat = Type == 8 || Type == 9;
    Slices = IsFlat ? 1 : field(D[4], 0, 13) + 1;
    if (IsArray) // It is the last one's number.
      Slices = Slices > FirstSlice ? Slices - FirstSlice : 0;
    else
      FirstSlice = 0;
    if (Type == 8 || Type == 12)
      Height = 1;
    Pitch = Width;
    if (field(D[3], 20, 5) == 0 && Format.Bytes) { // linear
      const u32 Aligned = ((Width * Format.Bytes + 255) & ~255u) / Format.Bytes;
      const u32 Given = In == gpu::Descriptors::GFX9 ? field(D[4], 13, 16) + 1
                        : IsFlat                     ? field(D[4], 0, 14) + 1
                                                     : 0;
      // Not every GPU of gfx10 has the field; a row has at least 256 bytes.
      Pitch = Given >= Width && Given * Format.Bytes >= 256 ? Given : Aligned;
    }
  }
  bool isNull() const { return Type < 8; }
  u64 address(u32 X, u32 Y, u32 Slice) const {
    return Base +
           ((u64(Slice + FirstSlice) * Height + Y) * Pitch + X) * Format.Bytes;
  }
};

/// An unpacked sampler descriptor.
struct Sampler {
  unsigned Clamp[3];
  bool Unnormalized, IsLinear, IsLinearZ;
  unsigned Border;

  explicit Sampler(const u32 *D) {
    for (unsigned N = 0; N < 3; ++N)
      Clamp[N] = field(D[0], 3 * N, 3);
    Unnormalized = field(D[0], 15, 1);
    IsLinear = field(D[2], 20, 2) & 1;
    const unsigned Z = field(D[2], 24, 2);
    IsLinearZ = Z ? Z == 2 : IsLinear;
    Border = D[3] >> 30;
  }
};

/// One image instruction of a wave.
struct ImageOp : MemoryOp {
  const ImageForm Form;
  const Resource R;
  Dimension Dim;
  bool Ok = true;
  const u32 *Address[12] = {nullptr};

  ImageOp(Machine &M, const Inst &I)
      : MemoryOp(M, I), Form(I.Imm),
        R(&M.W.Scalar[I.Memory.SAddr], M.features().Descriptor), Dim(Form.Dim) {
    if (Dim == Dimension::Resource)
      Dim = R.Type == 10   ? Dimension::D3
            : R.Type == 12 ? Dimension::D1Array
            : R.Type == 13 ? Dimension::D2Array
            : R.Type == 8  ? Dimension::D1
                           : Dimension::D2;
  }

  void refuse(const char *Why) {
    M.unmodeled(I, Why);
    Ok = false;
  }
  /// Stops the wave if something of the resource isn't modeled.
  void check() {
    if (R.isNull())
      return;
    if (R.Type == 11 || R.Type > 13)
      refuse("images of cubes or with several samples aren't modeled");
    else if (!R.Format.Bytes)
      refuse("this format of an image isn't modeled");
    else if (!R.IsLevel0Only)
      refuse("images with several levels aren't modeled");
  }

  unsigned coordinates() const {
    return Dim == Dimension::D1                                ? 1
           : Dim == Dimension::D3 || Dim == Dimension::D2Array ? 3
                                                               : 2;
  }
  bool isArray() const {
    return Dim == Dimension::D1Array || Dim == Dimension::D2Array;
  }
  /// How many coordinates are within a slice.
  unsigned inner() const { return coordinates() - (isArray() ? 1 : 0); }

  /// Finds the registers of \a Count address operands, or of the half as many
  /// that hold them with a16.
  bool findAddress(unsigned Count) {
    const unsigned Registers = Form.ShortAddress ? (Count + 1) / 2 : Count;
    const u8 *Named = reinterpret_cast<const u8 *>(&I.Words[2]);
    for (unsigned N = 0; N < Registers && Ok; ++N) {
      unsigned Reg = I.Memory.VAddr + N;
      if (Form.Separate > 1 && N) {
        const unsigned Last = Form.Separate - 1u;
        Reg = N <= Last ? Named[N - 1] : Named[Last - 1] + N - Last;
      }
      if (Reg < M.W.AccumOffset) {
        Address[N] = M.vgpr(Reg);
        continue;
      }
      M.illegal(I, "address beyond the wave's vector registers");
      Ok = false;
    }
    return Ok;
  }
  u32 integer(unsigned N, unsigned Lane) const {
    return Form.ShortAddress ? Address[N / 2][Lane] >> (N % 2 * 16) & 0xffff
                             : Address[N][Lane];
  }
  float real(unsigned N, unsigned Lane) const {
    return Form.ShortAddress ? floatOf(u16(integer(N, Lane)))
                             : bitCast<float>(integer(N, Lane));
  }

  /// The address of an element; 0 if there is none.
  u64 element(i64 X, i64 Y, i64 Slice) const {
    const bool Is = !R.isNull() && X >= 0 && Y >= 0 && Slice >= 0 &&
                    X < i64(R.Width) && Y < i64(R.Height) &&
                    Slice < i64(R.Slices);
    return Is ? R.address(u32(X), u32(Y), u32(Slice)) : 0;
  }
  /// The element of a load or store; 0 if there is none.
  u64 elementAt(unsigned Lane, unsigned Level) const {
    u32 C[3] = {0, 0, 0};
    for (unsigned N = 0; N < inner(); ++N)
      C[N] = integer(N, Lane);
    if (isArray())
      C[2] = integer(inner(), Lane);
    if (Level && integer(coordinates(), Lane) != 0)
      return 0;
    return element(C[0], C[1], C[2]);
  }

  /// Whether an access is only reported to an observer, or would have to be
  /// tried again: then nothing else may happen.
  bool isOnlyLookedAt(unsigned Lane, u64 At, Access Kind) {
    if (!At)
      return false;
    if (M.Probe)
      note(Lane, {Space::Global, At}, R.Format.Bytes, Kind,
           LaneAccess::NoRegister);
    else if (M.Retries)
      for (u64 Byte : {At, At + R.Format.Bytes - 1})
        if (!M.global(Byte, 1, Kind)) {
          fault(Lane, Byte, Kind);
          break;
        }
    return M.Probe != nullptr;
  }
  /// The components of an element.
  bool read(unsigned Lane, u64 At, u32 Components[4]) {
    u8 Bytes[16] = {0};
    std::fill_n(Components, 4, 0);
    if (!At)
      return true;
    if (!move<false>(Lane, {Space::Global, At}, R.Format.Bytes, Bytes))
      return false;
    R.Format.load(Bytes, Components);
    return true;
  }

  unsigned dataRegistersOf(unsigned Values) const {
    return Form.ShortData ? (Values + 1) / 2 : Values;
  }
  /// Stores a result to a lane's registers.
  void setResult(u32 *D, unsigned Lane, unsigned N, u32 Value) const {
    if (!Form.ShortData) {
      D[N * M.Lanes + Lane] = Value;
      return;
    }
    const u32 Short =
        R.Format.isInteger() ? Value & 0xffff : halfOf(bitCast<float>(Value));
    u32 &To = D[N / 2 * M.Lanes + Lane];
    To = N % 2 ? (To & 0xffff) | Short << 16 : Short;
  }
  /// The values of a store, by component.
  u32 data(const u32 *D, unsigned Lane, unsigned N) const {
    if (!Form.ShortData)
      return D[N * M.Lanes + Lane];
    const u32 Short = D[N / 2 * M.Lanes + Lane] >> (N % 2 * 16) & 0xffff;
    return R.Format.Is == ImageFormat::Sint ? u32(i32(int16_t(Short)))
           : R.Format.Is == ImageFormat::Uint
               ? Short
               : bitCast<u32>(floatOf(u16(Short)));
  }
  void select(u32 *D, unsigned Lane, const u32 Components[4]) const {
    unsigned To = 0;
    for (unsigned N = 0; N < 4; ++N)
      if (Form.Mask >> N & 1)
        setResult(D, Lane, To++,
                  R.Selection.select(N, Components, R.Format.isInteger()));
  }
};

/// Calls \a F for each active lane.
template <class Fn> void eachLane(Machine &M, Fn F) {
  for (u64 Left = M.exec(); Left; Left &= Left - 1)
    F(unsigned(__builtin_ctzll(Left)));
}

void imageLoad(Machine &M, const Inst &I) {
  ImageOp O(M, I);
  O.check();
  const unsigned Level = I.O->Data & HasLevel;
  if (!O.Ok || !M.exec() || !O.findAddress(O.coordinates() + Level))
    return;
  u32 *D = dataRegisters(
      M, I, I.Dst,
      O.dataRegistersOf(unsigned(__builtin_popcount(O.Form.Mask))));
  if (!D)
    return;
  eachLane(M, [&](unsigned L) {
    O.isOnlyLookedAt(L, O.elementAt(L, Level), Access::Read);
  });
  if (M.Probe || O.report())
    return;
  eachLane(M, [&](unsigned L) {
    u32 Components[4];
    if (O.read(L, O.elementAt(L, Level), Components))
      O.select(D, L, Components);
  });
  O.report();
}

void imageStore(Machine &M, const Inst &I) {
  ImageOp O(M, I);
  O.check();
  const unsigned Level = I.O->Data & HasLevel;
  if (!O.Ok || !M.exec() || !O.findAddress(O.coordinates() + Level))
    return;
  const u32 *D = dataRegisters(
      M, I, I.Memory.VData,
      O.dataRegistersOf(unsigned(__builtin_popcount(O.Form.Mask))));
  if (!D)
    return;
  eachLane(M, [&](unsigned L) {
    O.isOnlyLookedAt(L, O.elementAt(L, Level), Access::Write);
  });
  if (M.Probe || O.report())
    return;
  eachLane(M, [&](unsigned L) {
    const u64 At = O.elementAt(L, Level);
    if (!At)
      return;
    u32 Values[4] = {0}, Components[4];
    unsigned From = 0;
    for (unsigned N = 0; N < 4; ++N)
      if (O.Form.Mask >> N & 1)
        Values[N] = O.data(D, L, From++);
    O.R.Selection.distribute(Values, Components);
    u8 Bytes[16];
    O.R.Format.store(Components, Bytes);
    O.move<true>(L, {Space::Global, At}, O.R.Format.Bytes, Bytes);
  });
  O.report();
}

/// A coordinate's one or two elements and the weight of the second.
struct Taps {
  i64 At[2];
  float Weight = 0;
  unsigned Count = 1;
};

/// The element that an address mode takes for one outside; -1: the border.
i64 clamped(i64 X, i64 Size, unsigned Mode) {
  const auto Within = [&](i64 V) { return std::clamp<i64>(V, 0, Size - 1); };
  const i64 Mirrored = X < 0 ? -1 - X : X;
  switch (Mode) {
  case 0: // wrap
    return ((X % Size) + Size) % Size;
  case 1: { // mirror
    const i64 Twice = ((X % (2 * Size)) + 2 * Size) % (2 * Size);
    return Twice < Size ? Twice : 2 * Size - 1 - Twice;
  }
  case 2: // last element
    return Within(X);
  case 3: // mirror once
    return Within(Mirrored);
  case 6: // border
    return X < 0 || X >= Size ? -1 : X;
  default: // mirror once, then the border
    return Mirrored >= Size ? -1 : Mirrored;
  }
}

Taps tapsOf(float Coordinate, i64 Size, unsigned Mode, bool Normalized,
            bool Linear) {
  Taps T;
  double C = Normalized ? double(Coordinate) * double(Size) : Coordinate;
  // Far outside, and not numbers.
  C = std::isnan(C) ? 0 : std::clamp(C, -0x1p40, 0x1p40);
  // Coordinates are rounded to 8 bits after the point.
  i64 Fixed = i64(std::floor(C * 256 + 0.5));
  if (!Linear) {
    T.At[0] = clamped(Fixed >> 8, Size, Mode);
    return T;
  }
  Fixed -= 128;
  T.At[0] = clamped(Fixed >> 8, Size, Mode);
  T.At[1] = clamped((Fixed >> 8) + 1, Size, Mode);
  T.Weight = float(Fixed & 255) / 256;
  T.Count = 2;
  return T;
}

/// image_sample and image_gather4, of images with one level: whatever says
/// which level is ignored.
struct SampleOp : ImageOp {
  const Sampler S;
  unsigned First = 0; ///< the number of operands before the coordinates

  SampleOp(Machine &M, const Inst &I)
      : ImageOp(M, I), S(&M.W.Scalar[I.Memory.SOffset]) {
    check();
    const u32 Extra = I.O->Data;
    First =
        (Extra & HasBias ? 1 : 0) + (Extra & HasGradients ? 2 * inner() : 0);
    for (unsigned N = 0; N < inner(); ++N)
      if (Ok && (S.Clamp[N] == 4 || S.Clamp[N] == 5))
        refuse("this address mode of a sampler isn't modeled");
    if (Ok && S.Border == 3)
      refuse("a sampler with its own border color isn't modeled");
    if (Ok)
      findAddress(First + coordinates() + (Extra & HasLevel ? 1 : 0));
  }

  Taps taps(unsigned N, unsigned Lane, bool Linear) const {
    const i64 Size = N == 0 ? R.Width : N == 1 ? R.Height : R.Slices;
    return tapsOf(real(First + N, Lane), std::max<i64>(Size, 1), S.Clamp[N],
                  !S.Unnormalized && !Form.Unnormalized, Linear);
  }
  i64 slice(unsigned Lane) const {
    const double C = real(First + inner(), Lane);
    return std::isnan(C) ? 0
                         : i64(std::clamp(std::nearbyint(C), 0.0,
                                          std::max(0.0, R.Slices - 1.0)));
  }
  void border(u32 Components[4]) const {
    const u32 One = R.Format.isInteger() ? 1 : 0x3f800000;
    for (unsigned N = 0; N < 4; ++N)
      Components[N] = S.Border == 2 || (S.Border == 1 && N == 3) ? One : 0;
  }

  /// Calls \a F with the address of each element that a lane reads, 0 for the
  /// border, and its weight.
  template <class Fn> void eachElement(unsigned Lane, bool Linear, Fn F) const {
    Taps T[3];
    const unsigned Inner = inner();
    for (unsigned N = 0; N < Inner; ++N)
      T[N] = taps(N, Lane, N == 2 ? Linear && S.IsLinearZ : Linear);
    for (unsigned N = Inner; N < 3; ++N)
      T[N].At[0] = 0;
    if (isArray())
      T[2].At[0] = slice(Lane);
    for (unsigned Z = 0; Z < T[2].Count; ++Z)
      for (unsigned Y = 0; Y < T[1].Count; ++Y)
        for (unsigned X = 0; X < T[0].Count; ++X) {
          const auto Part = [](const Taps &P, unsigned N) {
            return P.Count == 1 ? 1 : N ? P.Weight : 1 - P.Weight;
          };
          F(element(T[0].At[X], T[1].At[Y], T[2].At[Z]),
            Part(T[0], X) * Part(T[1], Y) * Part(T[2], Z));
        }
  }
  bool readOrBorder(unsigned Lane, u64 At, u32 Components[4]) {
    if (At)
      return read(Lane, At, Components);
    border(Components);
    return true;
  }
  /// \return Whether the lanes' elements can be read now.
  bool look(bool Linear) {
    eachLane(M, [&](unsigned L) {
      eachElement(L, Linear,
                  [&](u64 At, float) { isOnlyLookedAt(L, At, Access::Read); });
    });
    return !M.Probe && !report();
  }
};

void imageSample(Machine &M, const Inst &I) {
  SampleOp O(M, I);
  if (!O.Ok || !M.exec())
    return;
  u32 *D = dataRegisters(
      M, I, I.Dst,
      O.dataRegistersOf(unsigned(__builtin_popcount(O.Form.Mask))));
  // Integers aren't filtered.
  const bool Linear = O.S.IsLinear && !O.R.Format.isInteger();
  if (!D || !O.look(Linear))
    return;
  eachLane(M, [&](unsigned L) {
    u32 Components[4], Sum[4] = {0};
    O.eachElement(L, Linear, [&](u64 At, float Weight) {
      if (!O.readOrBorder(L, At, Components))
        return;
      for (unsigned N = 0; N < 4; ++N)
        Sum[N] = !Linear ? Components[N]
                         : bitCast<u32>(bitCast<float>(Sum[N]) +
                                        Weight * bitCast<float>(Components[N]));
    });
    if (!(O.Faults >> L & 1))
      O.select(D, L, Sum);
  });
  O.report();
}

/// One component of the four elements that a linear filter would take.
void imageGather(Machine &M, const Inst &I) {
  SampleOp O(M, I);
  if (!O.Ok || !M.exec())
    return;
  if (O.inner() != 2)
    return O.refuse("gathering is only modeled in images of two dimensions");
  u32 *D = dataRegisters(M, I, I.Dst, O.dataRegistersOf(4));
  if (!D || !O.look(true))
    return;
  const unsigned Which = O.Form.Mask ? unsigned(__builtin_ctz(O.Form.Mask)) : 0;
  eachLane(M, [&](unsigned L) {
    // From the lower left counter-clockwise.
    static constexpr unsigned Order[] = {3, 2, 0, 1};
    unsigned N = 0;
    O.eachElement(L, true, [&](u64 At, float) {
      u32 Components[4];
      if (O.readOrBorder(L, At, Components))
        O.setResult(
            D, L, Order[N],
            O.R.Selection.select(Which, Components, O.R.Format.isInteger()));
      ++N;
    });
  });
  O.report();
}

/// Width, height, depth or number of slices, and the number of levels.
void imageInfo(Machine &M, const Inst &I) {
  ImageOp O(M, I);
  O.check();
  u32 *D = O.Ok ? dataRegisters(M, I, I.Dst,
                                unsigned(__builtin_popcount(O.Form.Mask)))
                : nullptr;
  if (!D)
    return;
  const bool Is = !O.R.isNull();
  const u32 Sizes[4] = {Is ? O.R.Width : 0,
                        !Is                           ? 0
                        : O.Dim == Dimension::D1Array ? O.R.Slices
                                                      : O.R.Height,
                        Is ? O.R.Slices : 0, Is ? 1u : 0};
  eachLane(M, [&](unsigned L) {
    unsigned To = 0;
    for (unsigned N = 0; N < 4; ++N)
      if (O.Form.Mask >> N & 1)
        D[To++ * M.Lanes + L] = Sizes[N];
  });
}

//===-- Typed buffers -----------------------------------------------------===//

struct TypedBuffer {
  ImageFormat Format;
  ImageSelection Selection;

  TypedBuffer(const u32 *D, gpu::Descriptors In) {
    Selection.Fields = D[3] & 0xfff;
    Format =
        In == gpu::Descriptors::GFX9
            ? ImageFormat::find(In, field(D[3], 15, 4), field(D[3], 12, 3))
            : ImageFormat::find(
                  In, field(D[3], 12, In == gpu::Descriptors::GFX10 ? 7 : 6),
                  0);
  }
};

template <bool Write> void typedBuffer(Machine &M, const Inst &I) {
  constexpr Access Kind = Write ? Access::Write : Access::Read;
  const unsigned Count = I.O->Data;
  MemoryOp O(M, I);
  const BufferAddress A(M, I, O);
  const TypedBuffer B(&M.W.Scalar[I.Memory.SAddr], M.features().Descriptor);
  if (!A.Ok || !M.exec())
    return;
  // Without records, the descriptor may be all zero.
  if (!B.Format.Bytes && A.B.Records)
    return M.unmodeled(I, "this format of a buffer isn't modeled");
  const unsigned Size = std::max<unsigned>(B.Format.Bytes, 1);
  u32 *D = dataRegisters(M, I, Write ? I.Memory.VData : I.Dst, Count);
  if (!D || probed(O, A, Size, Kind, LaneAccess::NoRegister) ||
      mustWait(O, A, Size, Kind))
    return;
  eachLane(M, [&](unsigned L) {
    u8 Bytes[16] = {0};
    u32 Components[4] = {0}, Values[4] = {0};
    const Place P = A(L, Size);
    if (Write) {
      for (unsigned N = 0; N < Count; ++N)
        Values[N] = D[N * M.Lanes + L];
      B.Selection.distribute(Values, Components);
      B.Format.store(Components, Bytes);
      O.move<true>(L, P, Size, Bytes);
      return;
    }
    if (!O.move<false>(L, P, Size, Bytes))
      return;
    if (P.In != Space::Nowhere)
      B.Format.load(Bytes, Components);
    for (unsigned N = 0; N < Count; ++N)
      D[N * M.Lanes + L] =
          B.Selection.select(N, Components, B.Format.isInteger());
  });
  O.report();
}

} // namespace

void addImageOps(OpTable &T) {
  T.add("image_load", makeLoad(imageLoad, 0));
  T.add("image_load_mip", makeLoad(imageLoad, HasLevel));
  T.add("image_store", make(imageStore, 0));
  T.add("image_store_mip", make(imageStore, HasLevel));
  T.add("image_get_resinfo", inert(imageInfo, Op::HasDst));
  static const struct {
    const char *Suffix;
    u32 Extra;
  } Forms[] = {{"", 0}, {"_lz", 0}, {"_l", HasLevel}, {"_b", HasBias}};
  for (const auto &F : Forms) {
    T.add((std::string("image_sample") + F.Suffix).c_str(),
          makeLoad(imageSample, F.Extra));
    T.add((std::string("image_gather4") + F.Suffix).c_str(),
          makeLoad(imageGather, F.Extra));
  }
  T.add("image_sample_d", makeLoad(imageSample, HasGradients));
  static const char *const Counts[] = {"x", "xy", "xyz", "xyzw"};
  for (unsigned N = 0; N < 4; ++N) {
    T.add((std::string("buffer_load_format_") + Counts[N]).c_str(),
          makeLoad(typedBuffer<false>, N + 1));
    T.add((std::string("buffer_store_format_") + Counts[N]).c_str(),
          make(typedBuffer<true>, N + 1));
  }
}

} // namespace wavelane::isa
