// Between JobValue and toml++ nodes. Only .cc files of this folder include it.
#pragma once
#include <toml++/toml.h>

#include <optional>
#include <string>

#include "fedvs/job/keys.h"

namespace fedvs {

std::optional<JobValue> from_toml(const toml::node& node);  // nothing for dates, mixed lists, ...
// What somebody typed after "key=": TOML, or bare words where the key's type leaves no doubt.
JobValue from_text(const JobKey& key, const std::string& text);
std::string to_toml_text(const toml::node& node);
std::string to_toml_text(const JobValue& value);

}  // namespace fedvs
