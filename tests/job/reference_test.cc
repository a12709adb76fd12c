// docs/job.md is made from the table of keys, and must not fall behind it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fedvs/base/files.h"
#include "fedvs/job/print.h"

namespace fedvs {
namespace {

std::string page() {
  return "# The keys of a job\n\n"
         "A job is a TOML file: `[train]` and below it `epochs = 20`. On the command line, "
         "`--set train.epochs=20`\noverrides a key, and `fedvs train --print-job` prints the "
         "complete job. Defaults are those of no data set in\nparticular: a built-in set brings "
         "its "
         "own rates and sizes (`fedvs train --data NAME --print-job`).\n\n"
         "This page is made from the table that the parser uses: `FEDVS_WRITE_DOCS=1 ctest "
         "--preset release -R\njob/reference`.\n\n" +
         job_reference_markdown();
}

TEST(JobReference, PageInDocsIsUpToDate) {
  const std::string path = FEDVS_DOCS "/job.md";
  if (std::getenv("FEDVS_WRITE_DOCS") != nullptr) {
    ASSERT_TRUE(write_atomically(path, page()));
  }
  const auto written = read_file(path);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(*written == page())
      << path << " differs from the table of keys in src/fedvs/job/keys.cc. Write it anew with "
      << "FEDVS_WRITE_DOCS=1 ctest --preset release -R job/reference";
}

}  // namespace
}  // namespace fedvs
