// A folder that appears all at once, or not at all.
#pragma once
#include <filesystem>

#include "fedvs/base/result.h"

namespace fedvs::deploy {

// Filled beside its place under a temporary name, with mode 0700; removed again unless it is
// committed.
class NewFolder {
 public:
  // kRefused if something of that name is there, even an empty folder; kBadFile where none can be
  // made. Missing parents are made.
  static Result<NewFolder> begin(const std::filesystem::path& place);
  NewFolder(NewFolder&& other) noexcept;
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  const std::filesystem::path& path() const { return temporary_; }  // until commit()
  // kRefused if something has appeared in its place meanwhile.
  Status commit();

 private:
  NewFolder(std::filesystem::path place, std::filesystem::path temporary)
      : place_(std::move(place)), temporary_(std::move(temporary)) {}
  std::filesystem::path place_, temporary_;  // temporary_ is empty when there is none to remove
};

Status make_folder(const std::filesystem::path& path);  // mode 0700; its parent exists

}  // namespace fedvs::deploy
