// Writes what the fuzzers start from: real messages and envelopes of every kind.
//   make_corpus DIR   fills DIR/decode_message and DIR/decode_envelope
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "fedvs/net/wire/codec.h"
#include "fuzz/fuzzed_jobs.h"

namespace {

using namespace fedvs;

bool put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file.good();
}

bool put_messages(const std::filesystem::path& folder) {
  bool written = true;
  for (std::size_t job = 0; job < fuzz::jobs().size(); ++job) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      for (const auto& message : testing::WireSamples(fuzz::jobs()[job], seed).all()) {
        const auto name =
            fmt::format("{}-{}-{}", wire::kind_name(wire::kind_of(message)), job, seed);
        written &= put(folder / name, static_cast<char>(job) + wire::encode(message));
      }
    }
  }
  return written;
}

bool put_envelopes(const std::filesystem::path& folder) {
  bool written = true;
  for (const auto& envelope : testing::WireSamples(fuzz::jobs()[0], 1).envelopes()) {
    written &= put(folder / fmt::format("envelope-{}", envelope.index()), wire::encode(envelope));
  }
  return written;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_corpus DIR\n", stderr);
    return 2;
  }
  const std::filesystem::path root = argv[1];
  for (const char* folder : {"decode_message", "decode_envelope"}) {
    std::filesystem::create_directories(root / folder);
  }
  if (put_messages(root / "decode_message") && put_envelopes(root / "decode_envelope")) return 0;
  fmt::print(stderr, "make_corpus: cannot write to {}\n", root.string());
  return 1;
}
