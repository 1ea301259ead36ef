//===-- PrintJSON.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrintJSON.h"
#include "Core/Record/JSONSchema.h"

#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Utility/StreamString.h"

using namespace lldb;
using namespace lldb_private;

static void AddSchema(StructuredData::Object &value) {
  if (StructuredData::Dictionary *object = value.GetAsDictionary())
    object->AddIntegerItem(wavelane::kSchemaKey, wavelane::kSchemaVersion);
}

void lldb_private::wavelane::AppendJSON(CommandReturnObject &result,
                                        StructuredData::Object &value) {
  AddSchema(value);
  if (StructuredData::Array *array = value.GetAsArray())
    array->ForEach([](StructuredData::Object *element) {
      if (element)
        AddSchema(*element);
      return true;
    });
  StreamString text;
  value.Dump(text, /*pretty_print=*/true);
  result.AppendMessage(text.GetString().rtrim());
  result.SetStatus(eReturnStatusSuccessFinishResult);
}
