// A strict reader of Prometheus' text exposition format, version 0.0.4: what promtool would refuse,
// this refuses too.
#pragma once
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace fedvs::status {

struct Exposition {
  std::map<std::string, double> series;      // by name and labels, as written
  std::map<std::string, std::string> types;  // by name
  std::string wrong;                         // the first thing that is; empty if nothing
};

class ExpositionReader {
 public:
  static Exposition read(const std::string& text) {
    ExpositionReader reader;
    if (!text.ends_with('\n')) reader.refuse("no line end at the end");
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) reader.take(line);
    return reader.all_;
  }

 private:
  void take(const std::string& line) {
    static const std::string kName = "([a-zA-Z_:][a-zA-Z0-9_:]*)";
    static const std::string kLabel = R"([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*")";
    static const std::regex kHelp("# HELP " + kName + " (?:[^\\\\]|\\\\\\\\|\\\\n)+");
    static const std::regex kType("# TYPE " + kName + " (gauge|counter)");
    static const std::regex kSample(kName + "(\\{" + kLabel + "(?:," + kLabel + ")*\\})? " +
                                    R"((NaN|[+-]Inf|-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?))");
    std::smatch parts;
    if (std::regex_match(line, parts, kHelp)) return begin(parts[1]);
    if (std::regex_match(line, parts, kType)) return type(parts[1], parts[2]);
    if (std::regex_match(line, parts, kSample)) return sample(parts[1], parts[2], parts[3]);
    refuse("not of the grammar: " + line);
  }
  void begin(const std::string& name) {
    if (!begun_.insert(name).second) refuse("two families of one name: " + name);
    family_ = name;
  }
  void type(const std::string& name, const std::string& kind) {
    if (name != family_ || all_.types.contains(name)) refuse("TYPE does not follow HELP: " + name);
    if ((kind == "counter") != name.ends_with("_total")) refuse("counters end in _total: " + name);
    all_.types[name] = kind;
  }
  void sample(const std::string& name, const std::string& labels, const std::string& value) {
    if (name != family_ || !all_.types.contains(name)) refuse("outside of its family: " + name);
    if (!all_.series.emplace(name + labels, std::stod(value)).second) {
      refuse("twice: " + name + labels);
    }
  }
  void refuse(const std::string& why) {
    if (all_.wrong.empty()) all_.wrong = why;
  }

  Exposition all_;
  std::set<std::string> begun_;
  std::string family_;
};

}  // namespace fedvs::status
