// check(): are the files of a built-in set what they should be?
#include <fmt/format.h>

#include <filesystem>

#include "fedvs/base/digest.h"
#include "fedvs/base/files.h"
#include "fedvs/data/catalog.h"

namespace fedvs::data {
namespace {

FileCheck check_file(const CatalogEntry& entry, const CatalogFile& file) {
  const std::string folder = folder_of(entry);
  FileCheck check{file.name, (std::filesystem::path(folder) / file.name).string(), false, ""};
  std::error_code ignored;
  check.found = !folder.empty() && std::filesystem::exists(check.path, ignored);
  if (!check.found) {
    check.problem = folder.empty() ? "not found: FEDVS_DATA is not set" : "not found in " + folder;
    return check;
  }
  const Result<std::string> bytes = read_file(check.path);
  if (!bytes) {
    check.problem = bytes.error().message;
  } else if (file.bytes != 0 && bytes->size() != file.bytes) {
    check.problem = fmt::format("{} bytes, expected {}", bytes->size(), file.bytes);
  } else if (file.bytes != 0) {
    const std::string digest = to_hex(Hasher().add(std::string_view(*bytes)).finish());
    if (digest != file.sha256)
      check.problem = fmt::format("sha256 {}, expected {}", digest, file.sha256);
  }
  return check;
}

std::string shape_text(std::size_t rows, std::size_t test_rows, std::size_t features, int classes) {
  return fmt::format("{} rows{}, {} features, {} classes", rows,
                     test_rows == 0 ? "" : fmt::format(" ({} for testing)", test_rows), features,
                     classes);
}

void check_shape(const CatalogEntry& entry, CheckReport& report) {
  DataJob job;
  job.name = entry.name;
  const Result<Dataset> set = load(job);
  if (!set) {
    report.shape_problem = set.error().message;
    return;
  }
  const std::size_t rows = set->features.rows;
  report.shape =
      shape_text(rows, rows - set->test_from.value_or(rows), set->features.cols, set->classes);
  const std::string expected =
      shape_text(entry.rows, entry.test_rows, entry.features, entry.classes);
  if (report.shape != expected) report.shape_problem = "expected " + expected;
}

}  // namespace

bool CheckReport::ok() const {
  for (const FileCheck& file : files)
    if (!file.problem.empty()) return false;
  return shape_problem.empty();
}

std::string CheckReport::text() const {
  std::string out = fmt::format("{}: {}\n", name, ok() ? "all is well" : "NOT as it should be");
  for (const FileCheck& file : files)
    out += fmt::format("  {:<40} {}\n", file.file, file.problem.empty() ? "ok" : file.problem);
  const std::string problem = shape_problem.empty() ? "ok" : shape_problem;
  return out + fmt::format("  shape: {}{}{}\n", shape, shape.empty() ? "" : ": ", problem);
}

Result<CheckReport> check(const std::string& name) {
  FEDVS_TRY(const CatalogEntry entry, find_entry(name));
  CheckReport report;
  report.name = name;
  for (const CatalogFile& file : entry.files) report.files.push_back(check_file(entry, file));
  check_shape(entry, report);
  return report;
}

}  // namespace fedvs::data
