// Messages with a client's own model in them: wiped where they go.
#pragma once

namespace fedvs::v1 {
class SavedModel;
void wipe(SavedModel& model);
}  // namespace fedvs::v1

namespace fedvs::protocol {

// Of a message of its own, not of a part of one: that is made anew when the whole is read.
class WipedModel {
 public:
  explicit WipedModel(v1::SavedModel& model) : model_(model) {}
  WipedModel(const WipedModel&) = delete;
  WipedModel& operator=(const WipedModel&) = delete;
  ~WipedModel() { v1::wipe(model_); }

 private:
  v1::SavedModel& model_;
};

}  // namespace fedvs::protocol
