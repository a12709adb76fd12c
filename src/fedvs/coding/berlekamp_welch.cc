#include "fedvs/coding/berlekamp_welch.h"

#include <algorithm>

#include "fedvs/base/check.h"

namespace fedvs::coding {
namespace {

using field::Residue;
using Polynomial = std::vector<Residue>;           // lowest coefficient first
using System = std::vector<std::vector<Residue>>;  // rows of [A | b]

// row -= factor * pivot_row, from `column` on.
void eliminate(std::vector<Residue>& row, const std::vector<Residue>& pivot_row, Residue factor,
               std::size_t column, std::uint32_t prime) {
  for (std::size_t c = column; c < row.size(); ++c) {
    row[c] = field::subtract(row[c], field::multiply(factor, pivot_row[c], prime), prime);
  }
}

// Some x with A x = b, free unknowns zero; nothing if there is none. Gauss-Jordan.
std::optional<std::vector<Residue>> solve(System rows, std::uint32_t prime) {
  const std::size_t unknowns = rows[0].size() - 1;
  std::vector<std::size_t> pivot_columns;
  for (std::size_t column = 0; column < unknowns && pivot_columns.size() < rows.size(); ++column) {
    const auto top = rows.begin() + static_cast<std::ptrdiff_t>(pivot_columns.size());
    const auto pivot = std::find_if(top, rows.end(), [&](auto& r) { return r[column] != 0; });
    if (pivot == rows.end()) continue;
    std::iter_swap(top, pivot);
    const Residue scale = field::inverse((*top)[column], prime);
    for (Residue& value : *top) value = field::multiply(value, scale, prime);
    for (auto row = rows.begin(); row != rows.end(); ++row) {
      if (row != top && (*row)[column] != 0) eliminate(*row, *top, (*row)[column], column, prime);
    }
    pivot_columns.push_back(column);
  }
  for (std::size_t r = pivot_columns.size(); r < rows.size(); ++r) {
    if (rows[r].back() != 0) return std::nullopt;
  }
  std::vector<Residue> x(unknowns, 0);
  for (std::size_t r = 0; r < pivot_columns.size(); ++r) x[pivot_columns[r]] = rows[r].back();
  return x;
}

// Q(x_i) - y_i (E(x_i) - x_i^e) = y_i x_i^e: Q of terms + e coefficients, E monic of degree e.
System key_equations(std::span<const Residue> points, std::span<const Residue> values,
                     std::size_t terms, std::size_t errors, std::uint32_t prime) {
  System rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<Residue> row, powers{1};
    while (powers.size() < terms + errors) {
      powers.push_back(field::multiply(powers.back(), points[i], prime));
    }
    row = powers;
    for (std::size_t k = 0; k < errors; ++k) {
      row.push_back(field::subtract(0, field::multiply(values[i], powers[k], prime), prime));
    }
    row.push_back(field::multiply(values[i], powers[errors], prime));
    rows.push_back(std::move(row));
  }
  return rows;
}

// The quotient by a monic divisor; nothing if it leaves a rest.
std::optional<Polynomial> divide(Polynomial dividend, const Polynomial& divisor,
                                 std::uint32_t prime) {
  const std::size_t degree = divisor.size() - 1;
  for (std::size_t i = dividend.size(); i-- > degree;) {
    for (std::size_t k = 0; k < degree; ++k) {
      Residue& target = dividend[i - degree + k];
      target = field::subtract(target, field::multiply(dividend[i], divisor[k], prime), prime);
    }
  }
  const auto split = dividend.begin() + static_cast<std::ptrdiff_t>(degree);
  if (std::any_of(dividend.begin(), split, [](Residue r) { return r != 0; })) return std::nullopt;
  return Polynomial(split, dividend.end());
}

Residue evaluate(const Polynomial& f, Residue x, std::uint32_t prime) {
  Residue value = 0;
  for (std::size_t i = f.size(); i-- > 0;) {
    value = field::add(field::multiply(value, x, prime), f[i], prime);
  }
  return value;
}

}  // namespace

std::optional<std::vector<std::size_t>> wrong_values(std::span<const Residue> points,
                                                     std::span<const Residue> values,
                                                     std::size_t terms, std::size_t errors,
                                                     std::uint32_t prime) {
  FEDVS_CHECK(points.size() == values.size() && points.size() >= terms + 2 * errors,
              "terms + 2 errors values");
  const auto solution = solve(key_equations(points, values, terms, errors, prime), prime);
  if (!solution) return std::nullopt;
  const auto split = solution->begin() + static_cast<std::ptrdiff_t>(terms + errors);
  Polynomial locator(split, solution->end());
  locator.push_back(1);
  const auto f = divide(Polynomial(solution->begin(), split), locator, prime);
  if (!f) return std::nullopt;
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (evaluate(*f, points[i], prime) != values[i]) wrong.push_back(i);
  }
  if (wrong.size() > errors) return std::nullopt;
  return wrong;
}

}  // namespace fedvs::coding
