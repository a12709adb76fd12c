"""Every figure under a flat key, with its spread over the repetitions."""
import json
import statistics


class Figures:
    def __init__(self):
        self.values, self.spreads = {}, {}

    def put(self, key, value, each=()):
        """`each`: the same figure from every repetition."""
        self.values[key] = value
        if each:
            self.spreads[key] = [min(each), statistics.median(each), max(each)]

    def put_rates(self, key, rates, unit=1e9):
        self.put(key, max(rates) / unit, [rate / unit for rate in rates])

    def compare_rates(self, key, own, peer):
        """Best against best; more is better."""
        self.put(key, max(own) / max(peer), [o / p for o, p in zip(own, peer)])

    def compare_times(self, key, own, peer):
        """Best against best; less is better."""
        self.put(key, min(own) / min(peer), [o / p for o, p in zip(own, peer)])

    def get(self, key):
        return self.values.get(key)

    def starting(self, prefix):
        return {key: value for key, value in self.values.items() if key.startswith(prefix)}

    def write(self, path, machine, commit, verdicts):
        rounded = {key: round(value, 6) for key, value in sorted(self.values.items())}
        spreads = {key: [round(value, 6) for value in spread]
                   for key, spread in sorted(self.spreads.items())}
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"machine": machine, "commit": commit, **rounded, "goals": verdicts,
                       "spread": spreads}, out, indent=1)
            out.write("\n")
