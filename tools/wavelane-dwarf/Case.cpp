//===-- Case.cpp ----------------------------------------------------------===//

#include "Case.h"
#include "CaseContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace llvm;
using namespace wavelane::location;

// Without a wanted size this much of a location is shown.
static constexpr uint64_t DefaultBytes = 16;
static constexpr uint64_t MaxBytes = 1 << 20;

Expected<json::Array> wavelane::location::readCases(StringRef Path) {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  Expected<json::Value> Parsed = json::parse((*Buffer)->getBuffer());
  if (!Parsed)
    return createStringError(Path + ": " + toString(Parsed.takeError()));
  if (json::Array *List = Parsed->getAsArray())
    return std::move(*List);
  // A file may also hold its list under a key, beside remarks.
  if (json::Object *Object = Parsed->getAsObject())
    if (json::Array *List = Object->getArray("cases"))
      return std::move(*List);
  return createStringError(Path + ": not a list of cases");
}

static EvaluationOptions getOptions(const json::Object &Case) {
  EvaluationOptions O;
  StringRef Semantics = Case.getString("semantics").value_or("any");
  if (Semantics == "amd")
    O.Dialect = Dialect::AMD;
  else if (Semantics == "dwarf6-strict")
    O.Dialect = Dialect::Strict;
  return O;
}

static Expected<std::vector<uint8_t>> getExpression(const json::Object &Case,
                                                    CaseContext &C) {
  if (const json::Array *Expression = Case.getArray("expression"))
    return C.encode(*Expression);
  std::string Bytes;
  std::optional<StringRef> Encoded = Case.getString("encoded");
  if (!Encoded || !tryGetFromHex(*Encoded, Bytes))
    return createStringError("the case has no expression");
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

static ResultKind getResultKind(const json::Object &Case) {
  StringRef Kind = Case.getString("result_kind").value_or("");
  return Kind == "value"      ? ResultKind::Value
         : Kind == "location" ? ResultKind::Location
                              : ResultKind::Any;
}

//===-- Showing a location ------------------------------------------------===//

/// Leaves of a location's storage, in bits from the storage's first one.
struct Leaf {
  BitCount Begin;
  BitCount End;
  Location Place;
};

static void addLeaves(const Location &L, BitCount Begin, BitCount End,
                      std::vector<Leaf> &Leaves, unsigned Depth = 0) {
  if (L.Kind != StorageKind::Composite || Depth > 64) {
    Leaves.push_back({Begin, End, L});
    return;
  }
  for (const CompositeStorage::Part &Part : L.getComposite()->Parts) {
    // The part of this part that [Begin, End) shows, L.Offset being at Begin.
    const BitCount From = std::max(Part.Begin, L.Offset);
    const BitCount To = std::min(Part.End, L.Offset + (End - Begin));
    if (From >= To)
      continue;
    Location Inner = Part.Place;
    Inner.Offset += From - Part.Begin;
    addLeaves(Inner, Begin + (From - L.Offset), Begin + (To - L.Offset), Leaves,
              Depth + 1);
  }
}

static std::vector<Leaf> getLeaves(const Location &L) {
  std::vector<Leaf> Leaves;
  if (L.Kind == StorageKind::Composite) {
    Location Whole = L;
    Whole.Offset = 0;
    addLeaves(Whole, 0, L.getComposite()->getSize(), Leaves);
  } else {
    Leaves.push_back({0, CompositeStorage::Unbounded, L});
  }
  return Leaves;
}

static const char *getStorageName(StorageKind Kind) {
  switch (Kind) {
  case StorageKind::Undefined: return "undefined";
  case StorageKind::Memory: return "memory";
  case StorageKind::Register: return "register";
  case StorageKind::Implicit: return "implicit";
  case StorageKind::ImplicitPointer: return "implicit_pointer";
  case StorageKind::Composite: return "composite";
  case StorageKind::Multi: return "multi";
  }
  llvm_unreachable("a kind of storage");
}

static json::Value bytesOf(BitCount Bits) {
  if (Bits % 8 == 0) {
    const BitCount Bytes = Bits / 8;
    if (Bytes < 0)
      return json::Value(int64_t(Bytes));
    return json::Value(uint64_t(Bytes));
  }
  return json::Value(double(Bits) / 8);
}

static json::Array describeParts(const Location &L) {
  json::Array Parts;
  for (const Leaf &Item : getLeaves(L)) {
    json::Object Part{{"start", bytesOf(Item.Begin)},
                      {"end", Item.End >= CompositeStorage::Unbounded
                                  ? json::Value(nullptr)
                                  : bytesOf(Item.End)},
                      {"storage", getStorageName(Item.Place.Kind)}};
    if (Item.Place.Kind == StorageKind::Register)
      Part["register"] = Item.Place.Number;
    if (Item.Place.Kind == StorageKind::Memory)
      Part["aspace"] = Item.Place.Number;
    if (Item.Place.Kind != StorageKind::Undefined)
      Part["offset"] = bytesOf(Item.Place.Offset);
    Parts.push_back(std::move(Part));
  }
  return Parts;
}

/// "01 02 ??" without the blanks.
static std::string showBytes(ArrayRef<uint8_t> Bytes, ArrayRef<uint8_t> Mask) {
  std::string Text;
  for (size_t I = 0; I < Bytes.size(); ++I)
    Text += Mask[I] ? "??" : toHex(Bytes[I], /*LowerCase=*/true);
  return Text;
}

static Error showLocation(const Location &L, const json::Object &Case,
                          CaseContext &C, const EvaluationOptions &O,
                          json::Object &Out) {
  const json::Object *Want = Case.getObject("want");
  Out["kind"] = "location";
  Out["storage"] = getStorageName(L.Kind);
  Out["offset"] = bytesOf(L.Offset);
  std::optional<BitCount> Size;
  if (Expected<std::optional<BitCount>> S = L.getStorageSize(C)) {
    Size = *S;
    if (Size)
      Out["storage_size"] = bytesOf(*Size);
  } else {
    consumeError(S.takeError());
  }
  Out["parts"] = describeParts(L);

  uint64_t Bits = 0;
  bool AsBits = false;
  if (Want && Want->getString("bits")) {
    Bits = Want->getString("bits")->size();
    AsBits = true;
  } else if (Want && Want->getInteger("bit_size")) {
    Bits = uint64_t(*Want->getInteger("bit_size"));
    Out["bit_size"] = Bits;
  } else if (Want && Want->getInteger("size")) {
    Bits = uint64_t(*Want->getInteger("size")) * 8;
  } else if (Size) {
    Bits = uint64_t(
        std::min<BitCount>(std::max<BitCount>(*Size - L.Offset, 0), DefaultBytes * 8));
  } else if (L.Kind != StorageKind::Undefined) {
    Bits = DefaultBytes * 8;
  }
  if (Bits > MaxBytes * 8)
    return createStringError("more than a megabyte is wanted");
  if (!AsBits)
    Out["size"] = (Bits + 7) / 8;

  if (L.Kind == StorageKind::ImplicitPointer) {
    Expected<Location> Target = followImplicitPointer(L, C, O);
    if (!Target) {
      Out["pointee_error"] = toString(Target.takeError());
      return Error::success();
    }
    uint64_t PointeeBits = DefaultBytes * 8;
    if (Want && Want->getString("pointee"))
      PointeeBits = Want->getString("pointee")->size() / 2 * 8;
    std::vector<uint8_t> Bytes((PointeeBits + 7) / 8), Mask(Bytes.size());
    if (Error E = Target->read(C, PointeeBits, Bytes, Mask))
      Out["pointee_error"] = toString(std::move(E));
    else
      Out["pointee"] = showBytes(Bytes, Mask);
    return Error::success();
  }
  if (Bits == 0) {
    Out["bytes"] = "";
    return Error::success();
  }
  std::vector<uint8_t> Bytes((Bits + 7) / 8), Mask(Bytes.size());
  if (Error E = L.read(C, Bits, Bytes, Mask)) {
    Out["read_error"] = toString(std::move(E));
    return Error::success();
  }
  if (AsBits) {
    std::string Text;
    for (uint64_t I = 0; I < Bits; ++I)
      Text += Mask[I / 8] >> (I % 8) & 1    ? '?'
              : Bytes[I / 8] >> (I % 8) & 1 ? '1'
                                            : '0';
    Out["bits"] = Text;
  } else {
    Out["bytes"] = showBytes(Bytes, Mask);
  }
  return Error::success();
}

Expected<json::Object>
wavelane::location::runCase(const json::Object &Case) {
  const EvaluationOptions O = getOptions(Case);
  Expected<std::unique_ptr<CaseContext>> C = CaseContext::create(Case, O);
  if (!C)
    return C.takeError();
  Expected<std::vector<uint8_t>> Bytes = getExpression(Case, **C);
  if (!Bytes)
    return Bytes.takeError();
  json::Object Out;
  Out["id"] = Case.getString("id").value_or("");
  auto Fail = [&](Error E) {
    Out["error"] = toString(std::move(E));
    return std::move(Out);
  };
  Expected<std::vector<Entry>> Initial = (*C)->getInitialStack();
  if (!Initial)
    return Fail(Initial.takeError());
  Expected<Entry> Result =
      evaluate(*Bytes, **C, getResultKind(Case), O, *Initial);
  if (!Result)
    return Fail(Result.takeError());
  if (Result->IsImplicitPointer)
    return Fail(failed("the value of an implicit pointer is not known"));
  if (Result->IsValue) {
    const Value &V = Result->Value;
    Out["kind"] = "value";
    Out["type"] = CaseContext::getTypeName(V.Type);
    if (V.Type.Kind == Type::Float)
      Out["value"] = V.getFloat();
    else if (V.Type.Kind == Type::Signed)
      Out["value"] = V.getSigned();
    else
      Out["value"] = V.getUnsigned();
    return std::move(Out);
  }
  if (Error E = showLocation(Result->Location, Case, **C, O, Out))
    return std::move(E);
  return std::move(Out);
}

//===-- Comparing ---------------------------------------------------------===//

static std::string show(const json::Value &V) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << V;
  return Text;
}

static std::string strip(StringRef Text) {
  std::string Out;
  for (char C : Text)
    if (C != ' ')
      Out += toLower(C);
  return Out;
}

static std::optional<double> getDouble(const json::Object &O, StringRef Key) {
  const json::Value *V = O.get(Key);
  return V ? V->getAsNumber() : std::nullopt;
}

static std::optional<uint64_t> getPartNumber(const json::Object &Part) {
  for (const char *Key : {"number", "register", "reg", "aspace", "address_space"})
    if (const json::Value *V = Part.get(Key))
      if (std::optional<uint64_t> N = V->getAsUINT64())
        return N;
  return std::nullopt;
}

/// Whether two lists of parts name the same bytes.
static bool sameParts(const json::Array &Want, const json::Array &Got) {
  for (const json::Value &W : Want) {
    const json::Object *Part = W.getAsObject();
    if (!Part)
      return false;
    const double Start = getDouble(*Part, "start").value_or(0);
    const double End = getDouble(*Part, "end").value_or(INFINITY);
    StringRef Storage = Part->getString("storage").value_or("");
    bool Met = Start == End;
    for (const json::Value &G : Got) {
      const json::Object &Mine = *G.getAsObject();
      // A location that is no composite is one part, wherever that ends.
      const bool IsOnly = Got.size() == 1 && Want.size() == 1;
      const double MyStart = getDouble(Mine, "start").value_or(0);
      const double MyEnd = getDouble(Mine, "end").value_or(INFINITY);
      const double Low = std::max(Start, MyStart), High = std::min(End, MyEnd);
      if (!IsOnly && Low >= High)
        continue;
      Met = true;
      if (Mine.getString("storage") != Storage)
        return false;
      if (Storage == "undefined")
        continue;
      if (std::optional<uint64_t> N = getPartNumber(*Part))
        if (N != getPartNumber(Mine))
          return false;
      std::optional<double> Offset = getDouble(*Part, "offset");
      if (Offset && *Offset + (Low - Start) !=
                        getDouble(Mine, "offset").value_or(0) + (Low - MyStart))
        return false;
    }
    if (!Met)
      return false;
  }
  return true;
}

std::optional<std::string>
wavelane::location::compareCase(const json::Object &Case,
                                const json::Object &Result) {
  const json::Object *Want = Case.getObject("want");
  if (!Want)
    return "the case wants nothing";
  const bool Failed = Result.get("error") != nullptr;
  if (Want->getBoolean("error").value_or(false)) {
    if (Failed)
      return std::nullopt;
    // Reading the result may be what must fail.
    if (Result.get("read_error"))
      return std::nullopt;
    return "an error is wanted";
  }
  if (Failed)
    return "it fails";
  if (Want->get("kind") && Want->getString("kind") != Result.getString("kind"))
    return "the kinds differ";
  if (Want->getString("kind") == StringRef("value")) {
    StringRef WantType = Want->getString("type").value_or("generic");
    StringRef GotType = Result.getString("type").value_or("");
    if (Want->get("type") && WantType != GotType)
      return "the types differ";
    const json::Value *V = Want->get("value"), *G = Result.get("value");
    if (!V)
      return std::nullopt;
    if (GotType.starts_with("f")) {
      const double A = V->getAsNumber().value_or(NAN);
      const double B = G->getAsNumber().value_or(NAN);
      return A == B || (std::isnan(A) && std::isnan(B))
                 ? std::nullopt
                 : std::optional<std::string>("the numbers differ");
    }
    auto Bits = [](const json::Value &N) {
      if (std::optional<uint64_t> U = N.getAsUINT64())
        return *U;
      return uint64_t(N.getAsInteger().value_or(0));
    };
    uint64_t Mask = ~uint64_t(0);
    if (GotType == "generic")
      if (const json::Object *Dwarf = Case.getObject("dwarf"))
        if (Dwarf->getInteger("address_size") == int64_t(4))
          Mask = 0xffffffff;
    if ((Bits(*V) & Mask) != (Bits(*G) & Mask))
      return "the numbers differ";
    return std::nullopt;
  }
  for (const char *Key : {"bytes", "bits", "pointee"}) {
    std::optional<StringRef> W = Want->getString(Key);
    if (!W)
      continue;
    if (StringRef(Key) == "bytes" && W->empty())
      continue;
    if (strip(*W) != strip(Result.getString(Key).value_or("nothing")))
      return std::string("the ") + Key + " differ";
  }
  if (Want->get("offset") && Result.getString("storage") != StringRef("undefined") &&
      getDouble(*Want, "offset") != getDouble(Result, "offset"))
    return "the offsets differ";
  if (std::optional<double> Size = getDouble(*Want, "storage_size"))
    if (Size != getDouble(Result, "storage_size"))
      return "the sizes of the storage differ";
  if (const json::Array *Parts = Want->getArray("parts"))
    if (!sameParts(*Parts, *Result.getArray("parts")))
      return "the parts differ: wanted " + show(json::Value(json::Array(*Parts)));
  return std::nullopt;
}

//===-- Explaining --------------------------------------------------------===//

Error wavelane::location::explainCase(const json::Object &Case,
                                      raw_ostream &OS) {
  const EvaluationOptions O = getOptions(Case);
  Expected<std::unique_ptr<CaseContext>> C = CaseContext::create(Case, O);
  if (!C)
    return C.takeError();
  Expected<std::vector<uint8_t>> Bytes = getExpression(Case, **C);
  if (!Bytes)
    return Bytes.takeError();
  Expected<std::vector<Entry>> Initial = (*C)->getInitialStack();
  if (!Initial)
    return Initial.takeError();
  auto Print = [&](const Operation &Op, ArrayRef<Entry> Stack) {
    OS << formatv("{0,-40} ", Op.describe());
    ListSeparator Comma("; ");
    for (const Entry &Item : Stack)
      OS << Comma << Item.describe(C->get());
    OS << (Stack.empty() ? "(nothing)\n" : "\n");
  };
  TraceFunction Trace = Print;
  Expected<Entry> Result =
      evaluate(*Bytes, **C, getResultKind(Case), O, *Initial, &Trace);
  if (!Result) {
    OS << "error: " << toString(Result.takeError()) << "\n";
    return Error::success();
  }
  OS << "result: " << (Result->IsValue ? "value " : "location ")
     << Result->describe(C->get()) << "\n";
  return Error::success();
}
