#include "fedvs/data/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "fedvs/base/files.h"

namespace fedvs::data {
namespace {

constexpr std::size_t kFirstGuess = std::size_t{1} << 16;

bool is_gzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }

Error damaged(const std::string& name, std::size_t read, std::string_view why) {
  return {ErrorCode::kBadFile,
          fmt::format("{}: the gzip data is {} after {} bytes of output; copy the file again", name,
                      why, read)};
}

struct Inflater {
  z_stream stream{};
  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    FEDVS_CHECK(inflateInit2(&stream, kGzipOnly) == Z_OK, "zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

uInt clamp(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

// Runs until zlib wants attention; grows `out` as needed. `used` and `made` count bytes.
int inflate_some(z_stream& stream, std::string_view bytes, std::size_t& used, std::string& out,
                 std::size_t& made) {
  if (made == out.size()) out.resize(std::max(out.size() * 2, kFirstGuess));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + used));
  stream.avail_in = clamp(bytes.size() - used);
  stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
  stream.avail_out = clamp(out.size() - made);
  const uInt in = stream.avail_in, room = stream.avail_out;
  const int code = inflate(&stream, Z_NO_FLUSH);
  used += in - stream.avail_in;
  made += room - stream.avail_out;
  return code;
}

}  // namespace

Result<std::string> gunzip(std::string_view bytes, const std::string& name) {
  Inflater inflater;
  std::string out(std::max(bytes.size() * 4, kFirstGuess), '\0');
  std::size_t used = 0, made = 0;
  for (;;) {
    const int code = inflate_some(inflater.stream, bytes, used, out, made);
    if (code == Z_STREAM_END) {
      if (!is_gzip(bytes.substr(used))) break;
      inflateReset(&inflater.stream);
    } else if (code == Z_BUF_ERROR || (code == Z_OK && used == bytes.size() && made < out.size())) {
      return damaged(name, made, "cut short");
    } else if (code != Z_OK) {
      return damaged(name, made, "damaged");
    }
  }
  out.resize(made);
  return out;
}

Result<std::string> read_maybe_gzip(const std::string& path) {
  FEDVS_TRY(std::string bytes, read_file(path));
  if (!is_gzip(bytes)) return bytes;
  return gunzip(bytes, path);
}

}  // namespace fedvs::data
