//===-- Fields.h - how a message becomes JSON and back ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message is a struct whose function map() names each of its fields once:
//
//   struct SavedCore {
//     std::string Path;
//     std::optional<uint64_t> Size;
//     template <typename Self, typename Fields>
//     static void map(Self &S, Fields &F) {
//       F("path", S.Path);
//       F("size", S.Size);
//     }
//   };
//
// That gives toJSON() and fromJSON(), as LLVM's JSON library finds them. An
// optional field may be missing, and F(KEY, FIELD, DEFAULT) stands for DEFAULT
// if it is; all others are required. Unknown keys are ignored, so that a newer
// side may add some.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_FIELDS_H
#define WAVELANE_PROTOCOL_FIELDS_H

#include "wavelane/Formats/JSON/Parse.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace wavelane::protocol {

/// A value of an enumeration and its word in messages. An enumeration E of
/// messages has a function getWords(E), which returns all of them.
template <typename E> using Word = std::pair<E, llvm::StringLiteral>;

template <typename E> llvm::StringRef getWord(E Value) {
  for (const Word<E> &Each : getWords(E()))
    if (Each.first == Value)
      return Each.second;
  return {};
}

template <typename E> std::optional<E> findWord(llvm::StringRef Text) {
  for (const Word<E> &Each : getWords(E()))
    if (Each.second == Text)
      return Each.first;
  return std::nullopt;
}

class FieldWriter {
public:
  template <typename T>
  void operator()(llvm::StringLiteral Key, const T &Field) {
    Object[Key] = toValue(Field);
  }
  template <typename T>
  void operator()(llvm::StringLiteral Key, const std::optional<T> &Field) {
    if (Field)
      (*this)(Key, *Field);
  }
  template <typename T, typename D>
  void operator()(llvm::StringLiteral Key, const T &Field, const D &Default) {
    if (!(Field == T(Default)))
      (*this)(Key, Field);
  }
  /// A list is left out if it has nothing.
  template <typename T>
  void operator()(llvm::StringLiteral Key, const std::vector<T> &Field,
                  const std::vector<T> &) {
    if (!Field.empty())
      (*this)(Key, Field);
  }

  llvm::json::Object Object;

private:
  template <typename T> static llvm::json::Value toValue(const T &Field) {
    if constexpr (std::is_same_v<T, bool>)
      return Field;
    else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
      return uint64_t(Field);
    else if constexpr (std::is_same_v<T, std::string>)
      return llvm::json::isUTF8(Field) ? Field : llvm::json::fixUTF8(Field);
    else
      return llvm::json::Value(Field);
  }
};

class FieldReader {
public:
  FieldReader(const llvm::json::Value &Value, llvm::json::Path At)
      : Mapper(Value, At), At(At), IsGood(bool(Mapper)) {}

  template <typename T> void operator()(llvm::StringLiteral Key, T &Field) {
    if (!IsGood)
      return;
    if constexpr (isSmall<T>()) {
      uint64_t Number = 0;
      IsGood = Mapper.map(Key, Number) && setSmall(Key, Number, Field);
    } else {
      IsGood = Mapper.map(Key, Field);
    }
  }
  template <typename T>
  void operator()(llvm::StringLiteral Key, std::optional<T> &Field) {
    if (!IsGood)
      return;
    if constexpr (isSmall<T>()) {
      std::optional<uint64_t> Number;
      IsGood = Mapper.map(Key, Number);
      Field.reset();
      if (IsGood && Number)
        IsGood = setSmall(Key, *Number, Field.emplace());
    } else {
      IsGood = Mapper.map(Key, Field);
    }
  }
  template <typename T, typename D>
  void operator()(llvm::StringLiteral Key, T &Field, const D &Default) {
    std::optional<T> Found;
    (*this)(Key, Found);
    Field = Found ? std::move(*Found) : T(Default);
  }

  bool isGood() const { return IsGood; }

private:
  /// LLVM's JSON cuts these off.
  template <typename T> static constexpr bool isSmall() {
    return std::is_integral_v<T> && std::is_unsigned_v<T> &&
           !std::is_same_v<T, bool> && sizeof(T) < sizeof(uint64_t);
  }
  template <typename T>
  bool setSmall(llvm::StringLiteral Key, uint64_t Number, T &Field) {
    if (Number > std::numeric_limits<T>::max()) {
      At.field(Key).report("number too large");
      return false;
    }
    Field = T(Number);
    return true;
  }

  llvm::json::ObjectMapper Mapper;
  llvm::json::Path At;
  bool IsGood;
};

template <typename T, typename = void> struct IsMessage : std::false_type {};
template <typename T>
struct IsMessage<T, decltype(T::map(std::declval<const T &>(),
                                    std::declval<FieldWriter &>()))>
    : std::true_type {};

template <typename T, std::enable_if_t<IsMessage<T>::value, int> = 0>
llvm::json::Value toJSON(const T &Message) {
  FieldWriter Fields;
  T::map(Message, Fields);
  return std::move(Fields.Object);
}

template <typename T, std::enable_if_t<IsMessage<T>::value, int> = 0>
bool fromJSON(const llvm::json::Value &Value, T &Message, llvm::json::Path At) {
  FieldReader Fields(Value, At);
  T::map(Message, Fields);
  return Fields.isGood();
}

template <typename E, std::enable_if_t<std::is_enum_v<E>, int> = 0>
auto toJSON(const E &Value)
    -> decltype(getWords(Value), llvm::json::Value(nullptr)) {
  return getWord(Value);
}

template <typename E, std::enable_if_t<std::is_enum_v<E>, int> = 0>
auto fromJSON(const llvm::json::Value &Value, E &Result, llvm::json::Path At)
    -> decltype(getWords(Result), true) {
  if (std::optional<llvm::StringRef> Text = Value.getAsString())
    if (std::optional<E> Found = findWord<E>(*Text)) {
      Result = *Found;
      return true;
    }
  At.report("unknown word");
  return false;
}

/// Sizes or a position: x, y and z.
struct Triple : std::array<uint32_t, 3> {};
inline llvm::json::Value toJSON(const Triple &Value) {
  return llvm::json::Array{Value[0], Value[1], Value[2]};
}
inline bool fromJSON(const llvm::json::Value &Value, Triple &Result,
                     llvm::json::Path At) {
  std::vector<uint64_t> Numbers;
  if (!llvm::json::fromJSON(Value, Numbers, At))
    return false;
  if (Numbers.size() != Result.size()) {
    At.report("expected three numbers");
    return false;
  }
  for (size_t I = 0; I < Result.size(); ++I) {
    if (Numbers[I] > UINT32_MAX) {
      At.index(I).report("number too large");
      return false;
    }
    Result[I] = uint32_t(Numbers[I]);
  }
  return true;
}

/// Bytes, in hexadecimal digits.
struct Bytes {
  std::string Data;
  bool operator==(const Bytes &Other) const { return Data == Other.Data; }
};
llvm::json::Value toJSON(const Bytes &Value);
bool fromJSON(const llvm::json::Value &Value, Bytes &Result,
              llvm::json::Path At);

/// A mask of lanes, bit 0 for lane 0: a string of hexadecimal digits.
struct LaneMask {
  uint64_t Bits = 0;
  bool operator==(const LaneMask &Other) const { return Bits == Other.Bits; }
};
llvm::json::Value toJSON(const LaneMask &Value);
bool fromJSON(const llvm::json::Value &Value, LaneMask &Result,
              llvm::json::Path At);

/// One of several requests of one kind. Each has a name, its constant Do, which
/// is written beside its fields.
inline constexpr llvm::StringLiteral DoKey = "do";

template <typename... Ts>
llvm::json::Value toJSON(const std::variant<Ts...> &Request) {
  return std::visit(
      [](const auto &One) {
        FieldWriter Fields;
        std::decay_t<decltype(One)>::map(One, Fields);
        Fields.Object[DoKey] = std::decay_t<decltype(One)>::Do;
        return llvm::json::Value(std::move(Fields.Object));
      },
      Request);
}

template <typename... Ts>
bool fromJSON(const llvm::json::Value &Value, std::variant<Ts...> &Request,
              llvm::json::Path At) {
  const llvm::json::Object *Object = Value.getAsObject();
  const std::optional<llvm::StringRef> Do =
      Object ? Object->getString(DoKey) : std::nullopt;
  bool IsKnown = false, IsGood = false;
  auto Try = [&](auto One) {
    if (!Do || *Do != decltype(One)::Do)
      return;
    IsKnown = true;
    IsGood = fromJSON(Value, One, At);
    Request = std::move(One);
  };
  (Try(Ts()), ...);
  if (!IsKnown)
    At.field(DoKey).report("unknown request");
  return IsGood;
}

/// An answer to a request that can't be done.
struct Failure {
  std::string Error;
  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("error", S.Error);
  }
};

/// Reads a message.
/// \param What  What the message is, for the error: "the answer".
template <typename T>
llvm::Expected<T> read(const llvm::json::Value &Value,
                       llvm::StringLiteral What) {
  T Message;
  llvm::json::Path::Root Root(What);
  if (fromJSON(Value, Message, Root))
    return Message;
  return Root.getError();
}

template <typename T>
llvm::Expected<T> parse(llvm::StringRef Text, llvm::StringLiteral What) {
  llvm::Expected<llvm::json::Value> Value = parseJSON(Text);
  if (!Value)
    return Value.takeError();
  return protocol::read<T>(*Value, What);
}

/// Reads an answer, which may be a Failure.
template <typename T>
llvm::Expected<T> parseAnswer(llvm::StringRef Text, llvm::StringLiteral What) {
  llvm::Expected<llvm::json::Value> Value = parseJSON(Text);
  if (!Value)
    return Value.takeError();
  if (const llvm::json::Object *Object = Value->getAsObject();
      Object && Object->get("error")) {
    llvm::Expected<Failure> Failed = protocol::read<Failure>(*Value, What);
    if (!Failed)
      return Failed.takeError();
    return llvm::createStringError(Failed->Error);
  }
  return protocol::read<T>(*Value, What);
}

/// The text of a message.
std::string getText(const llvm::json::Value &Value);
template <typename... Ts> std::string getText(const std::variant<Ts...> &One) {
  return getText(toJSON(One));
}
template <typename T, std::enable_if_t<IsMessage<T>::value, int> = 0>
std::string getText(const T &Message) {
  return getText(toJSON(Message));
}

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_FIELDS_H
