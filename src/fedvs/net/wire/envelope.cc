#include "fedvs/net/wire/envelope.h"

#include <algorithm>
#include <climits>

#include "fedvs/net/wire/kinds.h"
#include "fedvs/net/wire/read_parts.h"
#include "fedvs/net/wire/text.h"
#include "fedvs/net/wire/write_parts.h"
#include "fedvs/v1/party.pb.h"

namespace fedvs::wire {
namespace {

void write(Introduction&& from, v1::Envelope& envelope) {
  v1::Introduction& out = *envelope.mutable_introduction();
  out.set_protocol_version(from.protocol_version);
  out.set_job_digest(bytes_of(from.job_digest));
  out.set_roster_digest(bytes_of(from.roster_digest));
  out.set_name(std::move(from.name));
  out.set_features(from.features);
  out.set_rows(from.rows);
  out.set_data_id(bytes_of(from.data_id));
}

void write(RowsOffer&& from, v1::Envelope& envelope) {
  envelope.mutable_rows_offer()->set_row_ids(bytes_of(from.row_ids));
  envelope.mutable_rows_offer()->set_total_rows(from.total_rows);
  envelope.mutable_rows_offer()->set_scores(from.scores);
}

void write(RowsAnswer&& from, v1::Envelope& envelope) {
  envelope.mutable_rows_answer()->set_same(from.same);
}

void write(Terms&& from, v1::Envelope& envelope) {
  v1::Terms& out = *envelope.mutable_terms();
  out.mutable_features()->Assign(from.features.begin(), from.features.end());
  out.set_train_rows(from.rows[0]);
  out.set_validation_rows(from.rows[1]);
  out.set_test_rows(from.rows[2]);
  out.set_classes(from.classes);
  out.set_run_id(bytes_of(from.run_id));
  out.set_row_ids(bytes_of(from.row_ids));
  out.set_total_rows(from.total_rows);
  out.mutable_versions()->Assign(from.versions.begin(), from.versions.end());
}

void write(OpenMessage&& from, v1::Envelope& envelope) {
  envelope.set_message(std::move(from.bytes));
}

void write(Sealed&& from, v1::Envelope& envelope) {
  v1::Sealed& out = *envelope.mutable_sealed();
  out.set_from(static_cast<std::uint32_t>(from.from));
  out.set_to(static_cast<std::uint32_t>(from.to));
  out.set_kind(from.kind);
  out.set_id(from.id);
  out.set_position(from.position);
  out.set_sealed(std::move(from.sealed));
}

Status in_range(const char* what, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return {};
  return refused(fmt::format("{} {}, where {} to {} are possible", value, what, least, most));
}

Status check_version(std::uint32_t version) {
  if (version == kProtocolVersion) return {};
  return refused(
      fmt::format("it speaks version {} of the protocol and this party version {}; all "
                  "parties must run the same version of fedvs",
                  version, kProtocolVersion));
}

Result<std::string> read_name(std::string_view name) {
  if (!name.empty() && name.size() <= kNameBytes && printable(name, kNameBytes) == name) {
    return std::string(name);
  }
  return refused(fmt::format("a name of {} bytes; names have 1 to {} and are plain text",
                             name.size(), kNameBytes));
}

struct EnvelopeReader {
  const EnvelopeLimits& limits;

  Result<int> party(std::uint32_t number) const {
    if (number < static_cast<std::uint32_t>(limits.parties)) return static_cast<int>(number);
    return refused(fmt::format("client {} of {}", std::uint64_t{number} + 1, limits.parties));
  }

  Result<Envelope> introduction(const v1::Introduction& from) const {
    Introduction read;
    FEDVS_TRY_STATUS(check_version(from.protocol_version()));
    FEDVS_TRY(read.job_digest, read_digest(from.job_digest()));
    FEDVS_TRY(read.roster_digest, read_digest(from.roster_digest()));
    FEDVS_TRY(read.name, read_name(from.name()));
    FEDVS_TRY_STATUS(in_range("features", from.features(), 1, kMostFeatures));
    FEDVS_TRY_STATUS(in_range("rows", from.rows(), 1, kMostRows));
    FEDVS_TRY(read.data_id, read_digest(from.data_id()));
    read.features = from.features();
    read.rows = from.rows();
    return Envelope(std::move(read));
  }

  Result<Envelope> rows_offer(const v1::RowsOffer& from) const {
    RowsOffer read;
    FEDVS_TRY(read.row_ids, read_digest(from.row_ids()));
    FEDVS_TRY_STATUS(in_range("rows", from.total_rows(), 1, kMostRows));
    read.total_rows = from.total_rows();
    read.scores = from.scores();
    return Envelope(read);
  }

  Status check_features(const v1::Terms& from) const {
    if (from.features_size() != limits.parties) {
      return refused(fmt::format("features of {} clients instead of {}", from.features_size(),
                                 limits.parties));
    }
    for (const std::uint32_t features : from.features()) {
      FEDVS_TRY_STATUS(in_range("features", features, 1, kMostFeatures));
    }
    return {};
  }

  Result<Envelope> terms(const v1::Terms& from) const {
    FEDVS_TRY_STATUS(check_features(from));
    if (from.versions_size() != 0 && from.versions_size() != limits.parties) {
      return refused(fmt::format("versions of {} clients instead of {}", from.versions_size(),
                                 limits.parties));
    }
    FEDVS_TRY_STATUS(in_range("classes", from.classes(), 1, kMostClasses));
    FEDVS_TRY_STATUS(in_range("rows", from.total_rows(), 1, kMostRows));
    Terms read;
    read.rows = {from.train_rows(), from.validation_rows(), from.test_rows()};
    for (const std::uint64_t rows : read.rows) {
      FEDVS_TRY_STATUS(in_range("rows in a part", rows, 0, from.total_rows()));
    }
    FEDVS_TRY_STATUS(in_range("rows in all parts", read.rows[0] + read.rows[1] + read.rows[2], 1,
                              from.total_rows()));
    FEDVS_TRY(read.run_id, exactly<16>("a run's name", from.run_id()));
    FEDVS_TRY(read.row_ids, read_digest(from.row_ids()));
    read.features = {from.features().begin(), from.features().end()};
    read.classes = from.classes();
    read.total_rows = from.total_rows();
    read.versions = {from.versions().begin(), from.versions().end()};
    return Envelope(std::move(read));
  }

  Result<Envelope> message(std::string* bytes) const {
    FEDVS_TRY_STATUS(in_range("bytes of a message", bytes->size(), 1, limits.contents));
    return Envelope(OpenMessage{std::move(*bytes)});
  }

  Result<Envelope> sealed(v1::Sealed* from) const {
    Sealed read;
    FEDVS_TRY(read.from, party(from->from()));
    FEDVS_TRY(read.to, party(from->to()));
    if (read.from == read.to) return refused(fmt::format("client {} to itself", read.from + 1));
    if (!is_kind(from->kind())) {
      return refused(fmt::format("a sealed message of kind {}", from->kind()));
    }
    const std::size_t most = limits.contents == 0 ? 0 : limits.contents + kSealingBytes;
    FEDVS_TRY_STATUS(in_range("sealed bytes", from->sealed().size(), 1, most));
    read.kind = from->kind();
    read.id = from->id();
    read.position = from->position();
    read.sealed = std::move(*from->mutable_sealed());
    return Envelope(std::move(read));
  }

  Result<Envelope> read(v1::Envelope& from) const {
    switch (from.content_case()) {
      case v1::Envelope::kIntroduction:
        return introduction(from.introduction());
      case v1::Envelope::kRowsOffer:
        return rows_offer(from.rows_offer());
      case v1::Envelope::kRowsAnswer:
        return Envelope(RowsAnswer{from.rows_answer().same()});
      case v1::Envelope::kTerms:
        return terms(from.terms());
      case v1::Envelope::kMessage:
        return message(from.mutable_message());
      case v1::Envelope::kSealed:
        return sealed(from.mutable_sealed());
      case v1::Envelope::CONTENT_NOT_SET:
        break;
    }
    return refused("no content that this version knows");
  }
};

Error within(const Error& error) {
  return {error.code, fmt::format("a malformed envelope: {}", error.message)};
}

}  // namespace

std::string encode(Envelope&& envelope) {
  v1::Envelope out;
  out.set_version(kProtocolVersion);
  std::visit([&](auto&& content) { write(std::move(content), out); }, std::move(envelope));
  return out.SerializeAsString();
}

Result<Envelope> decode_envelope(const EnvelopeLimits& limits, std::string_view bytes) {
  const std::size_t most = largest_envelope(limits);
  if (bytes.size() > most) {
    return within(refused(fmt::format("{} bytes, where {} are the most", bytes.size(), most)));
  }
  v1::Envelope envelope;
  if (!envelope.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return within(refused(fmt::format("its {} bytes cannot be parsed", bytes.size())));
  }
  if (auto status = check_version(envelope.version()); !status) return within(status.error());
  auto read = EnvelopeReader{limits}.read(envelope);
  if (!read) return within(read.error());
  return read;
}

std::size_t largest_envelope(const EnvelopeLimits& limits) {
  const std::size_t opening = 4096 + 16 * static_cast<std::size_t>(limits.parties);
  return std::min<std::size_t>(std::max(opening, limits.contents + kSealingBytes + 1024), INT_MAX);
}

}  // namespace fedvs::wire
