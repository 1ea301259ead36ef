//===-- CharArrayFormatter.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CharArrayFormatter.h"
#include "Core/Lane/WindowAddress.h"
#include "Core/Support/SummaryFlags.h"
#include "lldb/DataFormatters/DataVisualization.h"
#include "lldb/DataFormatters/StringPrinter.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/Utility/Stream.h"
#include "lldb/ValueObject/ValueObject.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static void PrintReason(Stream &stream, llvm::StringRef reason) {
  stream << '<' << reason.trim() << '>';
}

static void PrintString(ValueObject &value, Stream &stream,
                        llvm::ArrayRef<uint8_t> bytes, bool is_truncated) {
  while (!bytes.empty() && bytes.back() == 0)
    bytes = bytes.drop_back();
  using formatters::StringPrinter;
  StringPrinter::ReadBufferAndDumpToStreamOptions options(value);
  options.SetData(DataExtractor(
      std::make_shared<DataBufferHeap>(bytes.data(), bytes.size()),
      eByteOrderInvalid, 8));
  options.SetStream(&stream);
  options.SetPrefixToken(nullptr);
  options.SetQuote('"');
  options.SetSourceSize(uint32_t(bytes.size()));
  options.SetIsTruncated(is_truncated);
  options.SetBinaryZeroIsTerminator(false);
  StringPrinter::ReadBufferAndDumpToStream<
      StringPrinter::StringElementType::ASCII>(options);
}

/// Shows the elements one by one: parts that can be read as strings, and why
/// the others can't.
static void PrintElements(ValueObject &value, Stream &stream, uint32_t count) {
  std::vector<uint8_t> bytes;
  std::string reason;
  const char *separator = "";
  auto print_part = [&] {
    if (bytes.empty() && reason.empty())
      return;
    stream << separator;
    separator = ", ";
    if (reason.empty())
      PrintString(value, stream, bytes, /*is_truncated=*/false);
    else
      PrintReason(stream, reason);
    bytes.clear();
  };
  for (uint32_t i = 0; i < count; ++i) {
    ValueObjectSP element_sp = value.GetChildAtIndex(i);
    bool is_read = false;
    const uint64_t character =
        element_sp ? element_sp->GetValueAsUnsigned(0, &is_read) : 0;
    std::string problem;
    if (!is_read)
      problem = element_sp && element_sp->GetError().Fail()
                    ? element_sp->GetError().AsCString()
                    : "it can't be read";
    if (problem != reason) {
      print_part();
      reason = problem;
    }
    if (is_read)
      bytes.push_back(uint8_t(character));
  }
  print_part();
}

/// LLDB's text of a string without a known end.
static bool PrintUnbounded(ValueObject &value, Stream &stream,
                           const TypeSummaryOptions &options) {
  std::string text;
  StringSummaryFormat format(GetSummaryFlags(), "${var%s}");
  if (!format.FormatObject(&value, text, options))
    return false;
  stream << text;
  return true;
}

/// Whether numbers are asked for, as by `p/x`.
static bool WantsNumbers(ValueObject &value) {
  switch (value.GetFormat()) {
  case eFormatDefault:
  case eFormatChar:
  case eFormatCharPrintable:
  case eFormatCharArray:
  case eFormatCString:
  case eFormatVectorOfChar:
    return false;
  default:
    return true;
  }
}

/// Shows the elements in the array's format: "(0x61, 0x00)".
static void PrintNumbers(ValueObject &value, Stream &stream, uint32_t count,
                         bool is_truncated) {
  stream << '(';
  for (uint32_t i = 0; i < count; ++i) {
    stream << (i ? ", " : "");
    ValueObjectSP element_sp = value.GetChildAtIndex(i);
    if (element_sp)
      element_sp->SetFormat(value.GetFormat());
    const char *text = element_sp ? element_sp->GetValueAsCString() : nullptr;
    if (text)
      stream << text;
    else
      PrintReason(stream, element_sp && element_sp->GetError().Fail()
                              ? element_sp->GetError().AsCString()
                              : "it can't be read");
    // The element is also that of an array that is shown as text.
    if (element_sp)
      element_sp->SetFormat(eFormatDefault);
  }
  stream << (is_truncated ? ", ...)" : ")");
}

static bool PrintCharacters(ValueObject &value, Stream &stream,
                            const TypeSummaryOptions &options) {
  TargetSP target_sp = value.GetTargetSP();
  if (!target_sp)
    return false;
  bool is_incomplete = false;
  uint64_t size = 0;
  if (!value.GetCompilerType().IsArrayType(nullptr, &size, &is_incomplete))
    return false;
  llvm::Expected<uint32_t> counted = value.GetNumChildren();
  if (!counted) {
    PrintReason(stream, llvm::toString(counted.takeError()));
    return true;
  }
  const ValueObject::AddrAndType place = value.GetAddressOf(true);
  Status error;
  const bool is_unbounded = is_incomplete && *counted == 0;
  const uint32_t shown =
      std::min<uint32_t>(*counted, target_sp->GetMaximumSizeOfStringSummary());
  if (is_unbounded && place.type != eAddressTypeLoad) {
    PrintReason(stream, "the debug information doesn't say how many elements "
                        "the array has");
    return true;
  }
  if (!is_unbounded && WantsNumbers(value)) {
    PrintNumbers(value, stream, shown, shown < *counted);
    return true;
  }
  std::vector<uint8_t> bytes(is_unbounded ? 1 : shown);
  if (place.type == eAddressTypeLoad && place.address != LLDB_INVALID_ADDRESS) {
    Address address;
    address.SetLoadAddress(place.address, target_sp.get());
    target_sp->ReadMemory(address, bytes.data(), bytes.size(), error,
                          /*force_live_memory=*/true);
  } else {
    DataExtractor data;
    value.GetData(data, error);
    if (error.Success())
      data.ExtractBytes(0, std::min<size_t>(bytes.size(), data.GetByteSize()),
                        eByteOrderLittle, bytes.data());
  }
  if (is_unbounded && error.Success())
    return PrintUnbounded(value, stream, options);
  // Only objects without an address have parts without a value.
  if (error.Fail() && (!IsWindowAddress(place.address) || is_unbounded))
    PrintReason(stream, error.AsCString());
  else if (error.Fail())
    PrintElements(value, stream, shown);
  else
    PrintString(value, stream, bytes, shown < *counted);
  return true;
}

void lldb_private::wavelane::InitializeCharArrayFormatter() {
  TypeCategoryImplSP category_sp;
  DataVisualization::Categories::GetCategory(ConstString("char-arrays"),
                                             category_sp);
  category_sp->AddTypeSummary(
      R"(^((un)?signed )?char ?\[[0-9]*\]$)", eFormatterMatchRegex,
      std::make_shared<CXXFunctionSummaryFormat>(
          GetSummaryFlags(), PrintCharacters, "array of characters"));
}
