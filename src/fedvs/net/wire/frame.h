// The outermost layer of a message's bytes: its kind, the kind's own small message (the head) and
// its values. Written and read field by field here and not by generated code, so that values, which
// are large and mostly secret, are copied once and stay out of protobuf's memory.
// Any protobuf parser reads the same bytes as Message (proto/fedvs/v1/protocol.proto).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"

namespace google::protobuf {
class MessageLite;
}

namespace fedvs::wire {

struct Frame {  // views of the bytes it was read from
  std::uint32_t kind = 0;
  std::string_view head;
  std::string_view values;  // empty where there are none
};

// The caller appends exactly `values_size` bytes, for which there is room already.
std::string begin_frame(std::uint32_t kind, const google::protobuf::MessageLite& head,
                        std::size_t values_size);
// kRefused unless there is one known kind and at most one field of values. Fields that a later
// minor version may have added are passed over. O(fields), allocates nothing.
Result<Frame> split_frame(std::string_view bytes);

}  // namespace fedvs::wire
