#include "fedvs/net/wire/frame.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <climits>
#include <optional>

#include "fedvs/net/wire/kinds.h"
#include "fedvs/v1/protocol.pb.h"

namespace fedvs::wire {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr std::uint32_t kValues = v1::Message::kValuesFieldNumber;
enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

Error refused(const std::string& what) {
  return {ErrorCode::kRefused, fmt::format("not a message: {}", what)};
}

std::uint32_t tag_of(std::uint32_t field) { return field << 3 | kLength; }

void append_varint(std::string& out, std::uint32_t value) {
  std::uint8_t bytes[5];
  const std::uint8_t* const end = CodedOutputStream::WriteVarint32ToArray(value, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(end - bytes));
}

struct Field {
  std::uint32_t number;
  std::optional<std::string_view> bytes;  // of length-delimited ones
};

class Fields {
 public:
  explicit Fields(std::string_view bytes)
      : bytes_(bytes),
        input_(reinterpret_cast<const std::uint8_t*>(bytes.data()),
               static_cast<int>(bytes.size())) {}
  bool at_end() const { return position() == bytes_.size(); }
  Result<Field> next() {
    const std::uint32_t tag = input_.ReadTag();
    Field field{tag >> 3, std::nullopt};
    if (field.number == 0) return refused(fmt::format("no field begins at byte {}", position()));
    if (!((tag & 7) == kLength ? read(field) : skip(tag & 7))) {
      return refused(fmt::format("field {} is cut short at byte {} of {}", field.number, position(),
                                 bytes_.size()));
    }
    return field;
  }

 private:
  std::size_t position() const { return static_cast<std::size_t>(input_.CurrentPosition()); }
  bool read(Field& field) {
    std::uint32_t size = 0;
    if (!input_.ReadVarint32(&size) || size > bytes_.size() - position()) return false;
    field.bytes = bytes_.substr(position(), size);
    return input_.Skip(static_cast<int>(size));
  }
  bool skip(std::uint32_t wire_type) {
    std::uint64_t ignored = 0;
    if (wire_type == kVarint) return input_.ReadVarint64(&ignored);
    if (wire_type == kFixed64) return input_.Skip(8);
    return wire_type == kFixed32 && input_.Skip(4);
  }
  std::string_view bytes_;
  CodedInputStream input_;
};

Status take(Frame& frame, const Field& field) {
  if (field.number > kValues) return {};  // of a later minor version
  if (field.number != kValues && !is_kind(field.number)) {
    return refused(
        fmt::format("of kind {}, which this version does not know; all parties must run "
                    "the same version of fedvs",
                    field.number));
  }
  if (!field.bytes) return refused(fmt::format("field {} is a number", field.number));
  if (field.number == kValues) {
    if (frame.values.data() != nullptr) return refused("values twice");
    frame.values = *field.bytes;
    return {};
  }
  if (frame.kind != 0) {
    return refused(fmt::format("two kinds at once, {} and {}", frame.kind, field.number));
  }
  frame.kind = field.number;
  frame.head = *field.bytes;
  return {};
}

}  // namespace

std::string begin_frame(std::uint32_t kind, const google::protobuf::MessageLite& head,
                        std::size_t values_size) {
  const std::size_t head_size = head.ByteSizeLong();
  FEDVS_CHECK(head_size + values_size < INT_MAX - 64u, "a message has less than 2 GiB");
  std::string out;
  out.reserve(head_size + values_size + 16);
  append_varint(out, tag_of(kind));
  append_varint(out, static_cast<std::uint32_t>(head_size));
  head.AppendToString(&out);
  if (values_size == 0) return out;
  append_varint(out, tag_of(kValues));
  append_varint(out, static_cast<std::uint32_t>(values_size));
  return out;
}

Result<Frame> split_frame(std::string_view bytes) {
  if (bytes.size() > INT_MAX) return refused(fmt::format("{} bytes", bytes.size()));
  Frame frame;
  for (Fields fields(bytes); !fields.at_end();) {
    FEDVS_TRY(const Field field, fields.next());
    FEDVS_TRY_STATUS(take(frame, field));
  }
  if (frame.kind == 0) return refused(fmt::format("no kind in {} bytes", bytes.size()));
  return frame;
}

}  // namespace fedvs::wire
