#include "fedvs/protocol/message_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "fedvs/field/panels.h"
#include "fedvs/protocol/chunks.h"

namespace fedvs::protocol {
namespace {

Error malformed(const std::string& what) {
  return {ErrorCode::kRefused, fmt::format("a malformed message: {}", what)};
}

struct FormCheck {
  const Agreement& agreement;

  std::size_t parties() const { return static_cast<std::size_t>(agreement.shape.parties); }

  Status party(int number) const {
    if (number >= 0 && number < agreement.shape.parties) return {};
    return malformed(fmt::format("client {} of {}", number + 1, agreement.shape.parties));
  }
  Status length(const char* list, std::size_t size) const {
    if (size == parties()) return {};
    return malformed(fmt::format("{} of {} clients instead of {}", list, size, parties()));
  }
  Status part(data::Part number) const {
    if (static_cast<unsigned>(number) < data::kParts) return {};
    return malformed("no such part of the data");
  }
  template <class Values>  // Share or RingMatrix
  Status shape(const Values* values, std::size_t rows, std::size_t cols) const {
    if (values == nullptr) {
      return rows * cols == 0 ? Status{} : malformed("no values");
    }
    const bool empty = rows * cols == 0 && values->rows() * values->cols() == 0;
    if (empty ||
        (values->rows() == rows && values->cols() == cols && values->ring() == agreement.ring)) {
      return {};
    }
    return malformed(fmt::format("{} x {} values instead of {} x {}", values->rows(),
                                 values->cols(), rows, cols));
  }
  Status plan(const Plan& plan) const {
    FEDVS_TRY_STATUS(part(plan.part));
    return length("versions", plan.versions.size());
  }
  Status holdings(const Holdings& holdings) const {
    FEDVS_TRY_STATUS(length("newest versions", holdings.newest.size()));
    for (const auto& older : holdings.older) FEDVS_TRY_STATUS(party(older.sender));
    return holdings.rows_held.empty() ? Status{} : rows_held(holdings.rows_held);
  }
  Status rows_held(const std::vector<std::uint64_t>& held) const {
    FEDVS_TRY_STATUS(length("rows held", held.size()));
    std::uint64_t all = 0;
    for (int p = 0; p < data::kParts; ++p) all += agreement.coded_rows(static_cast<data::Part>(p));
    for (const auto rows : held) {
      if (rows > all) return malformed(fmt::format("{} of {} coded rows held", rows, all));
    }
    return {};
  }

  Status operator()(const Hello& hello) const { return party(hello.from); }
  Status operator()(const Welcome& welcome) const {
    if (!welcome.cards.empty()) FEDVS_TRY_STATUS(length("keys of lives", welcome.cards.size()));
    FEDVS_TRY_STATUS(length("sharings", welcome.sharings.size()));
    FEDVS_TRY_STATUS(length("lists of seeds", welcome.seeds.size()));
    if (!welcome.named.empty()) FEDVS_TRY_STATUS(length("named steps", welcome.named.size()));
    return length("incarnations", welcome.clients.size());
  }
  Status operator()(const RowKey& key) const { return party(key.from); }
  Status operator()(const RowCheck& check) const { return party(check.from); }
  Status operator()(const RowVerdict& verdict) const {
    FEDVS_TRY_STATUS(party(verdict.from));
    for (const int other : verdict.differ) FEDVS_TRY_STATUS(party(other));
    const bool rising =
        std::ranges::adjacent_find(verdict.differ, std::greater_equal<>()) == verdict.differ.end();
    return rising ? Status{} : malformed("a verdict that names clients out of order");
  }
  Status chunk(data::Part of, std::size_t first_row) const {
    FEDVS_TRY_STATUS(part(of));
    const std::size_t rows = agreement.coded_rows(of);
    if (first_row < rows && first_row % kChunkRows == 0) return {};
    return malformed(fmt::format("a chunk that starts at row {} of {}", first_row, rows));
  }
  Status operator()(const DataRequest& request) const {
    FEDVS_TRY_STATUS(party(request.from));
    return chunk(request.part, request.first_row);
  }
  Status operator()(const DataShare& share) const {
    FEDVS_TRY_STATUS(party(share.from));
    FEDVS_TRY_STATUS(chunk(share.part, share.first_row));
    const std::size_t left = agreement.coded_rows(share.part) - share.first_row;
    const std::size_t count = std::min(kChunkRows, left);
    if (!share.values) return {};  // the recipient knows whether it needs them
    return shape(share.values.get(), 1, count * agreement.inputs(share.from));
  }
  Status operator()(const ModelShare& share) const {
    FEDVS_TRY_STATUS(party(share.from));
    return shape(share.values.get(), field::panel_rows(agreement.width),
                 field::panel_cols(agreement.padded_inputs(share.from)));
  }
  Status operator()(const ModelRequest& request) const { return party(request.from); }
  Status operator()(const Echo& echo) const { return party(echo.from); }
  Status operator()(const MissedPlan& missed) const {
    if (!missed.step.plan || missed.step.gradient) {
      return malformed("a missed plan without the plan, or with a gradient");
    }
    return (*this)(missed.step);
  }
  // What it is worth is for the book of seeds to say.
  Status operator()(const SeedShare& share) const {
    FEDVS_TRY_STATUS(party(share.from));
    return party(share.maker);
  }
  Status operator()(const SeedRequest& request) const { return party(request.from); }
  Status operator()(const Step& step) const {
    FEDVS_TRY_STATUS(length("share flags", step.share.size()));
    FEDVS_TRY_STATUS(length("frozen flags", step.frozen.size()));
    FEDVS_TRY_STATUS(length("released flags", step.released.size()));
    if (step.plan) FEDVS_TRY_STATUS(plan(*step.plan));
    if (!(step.rate_factor > 0 && step.rate_factor <= 1)) return malformed("a rate factor");
    if (!step.gradient) return {};
    FEDVS_TRY_STATUS(plan(step.gradient->plan()));
    const std::size_t values = step.gradient->plan().rows.size() * agreement.width *
                               static_cast<std::size_t>(agreement.shape.blocks);
    if (step.gradient->values().size() == values) return {};
    return malformed(fmt::format("a gradient of {} values instead of {}",
                                 step.gradient->values().size(), values));
  }
  Status operator()(const Upload& upload) const {
    FEDVS_TRY_STATUS(party(upload.from));
    FEDVS_TRY_STATUS(holdings(upload.holdings));
    const std::size_t held = upload.values ? upload.values->rows() : 0;
    const std::size_t rows = std::min(held, agreement.most_rows());
    return shape(upload.values.get(), std::max<std::size_t>(rows, 1), agreement.width);
  }
  Status operator()(const Report& report) const {
    FEDVS_TRY_STATUS(party(report.from));
    return holdings(report.holdings);
  }
  Status operator()(const ReportRequest&) const { return {}; }
  Status operator()(const Refusal& refusal) const { return party(refusal.from); }
  Status operator()(const Complaint& complaint) const {
    FEDVS_TRY_STATUS(party(complaint.from));
    return party(complaint.about);
  }
  Status operator()(const Regather&) const { return {}; }
  Status operator()(const Farewell&) const { return {}; }
};

}  // namespace

Status check_form(const Agreement& agreement, const Message& message) {
  return std::visit(FormCheck{agreement}, message);
}

}  // namespace fedvs::protocol
