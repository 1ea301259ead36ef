//===-- ReportPage.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportPage.h"
#include "Core/Format/NumberRange.h"
#include "Core/Record/LaneText.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace lldb_private::wavelane;
using llvm::formatv;

std::string lldb_private::wavelane::EscapeHTML(llvm::StringRef text) {
  const std::string valid =
      llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  std::string result;
  for (char c : valid)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    case '\t':
    case '\n':
      result += c;
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        result += "\xef\xbf\xbd";
      else
        result += c;
    }
  return result;
}

namespace {

const char g_head[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>)";

const char g_style[] = R"(</title>
<style>
:root { color-scheme: light dark; --on: #2a9d55; --off: #8884; --bad: #d33; --wait: #c9a227; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; }
h2 { margin-top: 2em; }
table { border-collapse: collapse; }
th, td { white-space: nowrap; text-align: left; padding: .15em .8em .15em 0; vertical-align: top; }
td.number { text-align: right; }
code, pre, .mono, .name { font-family: ui-monospace, monospace; font-size: 13px; white-space: pre; }
.bar { display: flex; width: 20em; height: 1em; background: var(--off); }
.bar i { display: block; height: 100%; }
.done { background: var(--on); } .running { background: var(--wait); }
.scroll { overflow-x: auto; }
svg { display: block; } text { font-size: 10px; fill: currentColor; }
rect.on { fill: var(--on); } rect.off { fill: var(--off); } rect.bad { fill: var(--bad); }
.key { display: inline-block; width: 1em; height: 1em; vertical-align: -.1em; margin: 0 .3em 0 1em; }
.ramp { display: inline-block; width: 10em; height: 1em; vertical-align: -.1em; margin: 0 .5em; }
</style>
</head>
<body>
)";

/// From dark to bright, so the order is visible to the color-blind.
struct Color {
  int red, green, blue;
};
constexpr Color g_ramp[] = {{68, 1, 84},    {65, 68, 135},  {42, 120, 142},
                            {34, 168, 132}, {122, 209, 81}, {253, 231, 37}};
constexpr size_t g_steps = std::size(g_ramp) - 1;

std::string Shade(double part) {
  part = std::min(1.0, std::max(0.0, part)) * double(g_steps);
  const size_t step = std::min(g_steps - 1, size_t(part));
  const double rest = part - double(step);
  auto mix = [&](int a, int b) { return int(std::lround(a + (b - a) * rest)); };
  const Color &a = g_ramp[step], &b = g_ramp[step + 1];
  return formatv("#{0:x-2}{1:x-2}{2:x-2}", mix(a.red, b.red),
                 mix(a.green, b.green), mix(a.blue, b.blue));
}

constexpr unsigned g_cell = 11, g_gap = 1;

/// A row of lanes. \a draw writes a lane's attributes and tooltip.
template <typename F>
void DrawRow(llvm::raw_ostream &out, size_t lanes, F draw) {
  out << formatv("<svg width=\"{0}\" height=\"{1}\" role=\"img\">",
                 lanes * g_cell, unsigned(g_cell));
  for (size_t lane = 0; lane < lanes; ++lane) {
    out << formatv("<rect x=\"{0}\" width=\"{1}\" height=\"{1}\" ",
                   lane * g_cell, g_cell - g_gap);
    draw(lane);
    out << "</rect>";
  }
  out << "</svg>";
}

void WriteKernels(const Report &report, llvm::raw_ostream &out) {
  out << "<h2>Kernels</h2>\n";
  if (report.kernels.empty()) {
    out << "<p>No kernel is running.</p>\n";
    return;
  }
  out << "<table "
         "class=\"kernels\"><tr><th>kernel<th>grid<th>workgroup<th>progress<th>"
         "</"
         "tr>\n";
  for (const Report::Kernel &kernel : report.kernels) {
    const DispatchProgress &progress = kernel.progress;
    auto width = [&](uint64_t count) {
      return formatv("{0:f1}%",
                     progress.workgroups
                         ? 100 * double(count) / double(progress.workgroups)
                         : 0.0)
          .str();
    };
    out << formatv(
        "<tr><td class=\"name\">{0}<td class=\"mono\">{1}<td class=\"mono\">{2}"
        "<td><div class=\"bar\"><i class=\"done\" style=\"width:{3}\"></i>"
        "<i class=\"running\" style=\"width:{4}\"></i></div><td>{5}</tr>\n",
        EscapeHTML(kernel.name), EscapeHTML(kernel.grid),
        EscapeHTML(kernel.workgroup), width(progress.done),
        width(progress.running), progress.Format());
  }
  out << "</table>\n";
}

void WriteFindings(const Report &report, llvm::raw_ostream &out) {
  if (report.findings.empty())
    return;
  out << "<h2>Findings</h2>\n<p>What the checks of kernels have found.</p>\n";
  for (const Report::Finding &finding : report.findings) {
    out << "<details><summary>" << finding.number << ": "
        << EscapeHTML(finding.summary) << " [" << EscapeHTML(finding.check)
        << "]";
    if (!finding.place.empty())
      out << ", at " << EscapeHTML(finding.place);
    out << "</summary>\n<pre>" << EscapeHTML(finding.text)
        << "</pre></details>\n";
  }
}

void WriteLines(const Report &report, llvm::raw_ostream &out) {
  out << "<h2>Waves by line and state</h2>\n";
  if (report.lines.empty()) {
    out << "<p>There are no waves.</p>\n";
    return;
  }
  out << "<p>" << FormatCount(report.waves, "wave") << " at "
      << FormatCount(report.lines.size(), "place") << ".</p>\n"
      << "<table "
         "class=\"lines\"><tr><th>place<th>function<th>waves<th><th>state<th>"
         "source</tr>\n";
  uint64_t most = 1;
  for (const Report::Line &line : report.lines)
    most = std::max(most, line.waves);
  for (const Report::Line &line : report.lines) {
    std::string states;
    for (const auto &[state, count] : line.states)
      states += (states.empty() ? "" : ", ") +
                (line.states.size() > 1 ? formatv("{0} {1}", count, state).str()
                                        : state);
    out << formatv("<tr><td class=\"mono\">{0}<td class=\"name\">{1}"
                   "<td class=\"number\">{2}<td><div class=\"bar\">"
                   "<i class=\"done\" style=\"width:{3:f1}%\"></i></div>"
                   "<td>{4}<td><code>{5}</code></tr>\n",
                   EscapeHTML(line.place), EscapeHTML(line.function),
                   line.waves, 100 * double(line.waves) / double(most),
                   EscapeHTML(states), EscapeHTML(line.source));
  }
  out << "</table>\n";
}

void WriteDivergence(const Report &report, llvm::raw_ostream &out) {
  if (report.divergence.empty())
    return;
  out << "<h2>Divergence</h2>\n"
         "<p>Which lanes are active, for each set of waves at the same "
         "place "
         "with the same lanes active."
         "<span class=\"key\" style=\"background:var(--on)\"></span>active"
         "<span class=\"key\" style=\"background:var(--off)\"></span>inactive"
         "</p>\n<div class=\"scroll\"><table class=\"divergence\">"
         "<tr><th>place<th>waves<th>lanes<th>active<th>such as</tr>\n";
  for (const Report::Divergence &entry : report.divergence) {
    out << formatv("<tr><td class=\"mono\">{0}<td class=\"number\">{1}<td>",
                   EscapeHTML(entry.place), entry.waves);
    DrawRow(out, entry.active.size(), [&](size_t lane) {
      out << formatv("class=\"{0}\"><title>lane {1}</title>",
                     entry.active.test(unsigned(lane)) ? "on" : "off", lane);
    });
    out << formatv("<td>{0} of {1}<td class=\"name\">{2}</tr>\n",
                   entry.active.count(), entry.active.size(),
                   EscapeHTML(entry.example));
  }
  out << "</table></div>\n";
  if (report.more_divergence)
    out << "<p>" << FormatCount(report.more_divergence, "more set")
        << " not shown, each with no more waves than these.</p>\n";
}

void WriteVariable(const Report::Variable &variable, llvm::raw_ostream &out) {
  out << "<h2>Values of <code>" << EscapeHTML(variable.expression)
      << "</code></h2>\n";
  if (!variable.error.empty()) {
    out << "<pre class=\"error\">" << EscapeHTML(variable.error) << "</pre>\n";
    return;
  }
  // Keep the texts of the extremes, to show them unchanged.
  NumberRange range;
  const Report::Value *lowest = nullptr, *highest = nullptr;
  size_t lanes = 0;
  for (const Report::Row &row : variable.rows) {
    lanes = std::max(lanes, row.values.size());
    for (const Report::Value &value : row.values)
      if (value.number) {
        if (!lowest || *value.number < range.low)
          lowest = &value;
        if (!highest || *value.number > range.high)
          highest = &value;
        range.Add(*value.number);
      }
  }
  out << "<p>In each lane (across) of each wave (down) in <code>"
      << EscapeHTML(variable.function) << "</code>.";
  if (lowest && range.low == range.high) {
    out << " All are " << EscapeHTML(lowest->text) << ".";
  } else if (lowest) {
    out << " <span class=\"range\">" << EscapeHTML(lowest->text)
        << "<span class=\"ramp\" style=\"background:linear-gradient(to right";
    for (size_t i = 0; i <= g_steps; ++i)
      out << ',' << Shade(double(i) / double(g_steps));
    out << ")\"></span>" << EscapeHTML(highest->text) << "</span>";
  }
  out << "</p>\n";
  out << "<div class=\"scroll\"><table class=\"values\">\n<tr><td><td>"
      << formatv("<svg width=\"{0}\" height=\"{1}\">", lanes * g_cell,
                 unsigned(g_cell));
  for (size_t lane = 0; lane < lanes; lane += 8)
    out << formatv("<text x=\"{0}\" y=\"{1}\">{2}</text>", lane * g_cell,
                   g_cell - 2, lane);
  out << "</svg></tr>\n";
  for (const Report::Row &row : variable.rows) {
    out << "<tr><td class=\"name\">" << EscapeHTML(row.wave) << "<td>";
    DrawRow(out, row.values.size(), [&](size_t lane) {
      const Report::Value &value = row.values[lane];
      if (value.number)
        out << "fill=\"" << Shade(range.GetPart(*value.number)) << "\"";
      else
        out << "class=\""
            << (value.kind == Report::Value::eInactive ? "off" : "bad") << "\"";
      out << "><title>lane " << lane << ": "
          << (value.kind == Report::Value::eInactive ? std::string("inactive")
                                                     : EscapeHTML(value.text))
          << "</title>";
    });
    out << "</tr>\n";
  }
  out << "</table></div>\n";
  if (!variable.stale.empty())
    out << "<p>Stale: " << EscapeHTML(variable.stale)
        << "; it may have changed since.</p>\n";
  if (variable.more_waves)
    out << "<p>" << FormatCount(variable.more_waves, "more wave")
        << " not shown: --waves sets how many are.</p>\n";
}

void WriteStop(const Report &report, llvm::raw_ostream &out) {
  out << "<p>" << EscapeHTML(report.stop) << "</p>\n<p>";
  for (const std::string &agent : report.agents)
    out << EscapeHTML(agent) << "<br>";
  out << EscapeHTML(report.time) << "</p>\n";
  WriteKernels(report, out);
  WriteFindings(report, out);
  WriteLines(report, out);
  WriteDivergence(report, out);
  for (const Report::Variable &variable : report.variables)
    WriteVariable(variable, out);
}

void WriteRanks(const JobReport &report, llvm::raw_ostream &out) {
  out << "<h2>Ranks</h2>\n<table class=\"ranks\"><tr><th>rank<th>host<th>pid"
         "<th>state<th>reason<th>waves<th>where</tr>\n";
  for (const JobReport::Rank &rank : report.ranks)
    out << formatv("<tr><td class=\"number\">{0}<td>{1}<td class=\"number\">"
                   "{2}<td>{3}<td>{4}<td class=\"number\">{5}"
                   "<td class=\"name\">{6}</tr>\n",
                   rank.number, EscapeHTML(rank.host), rank.pid,
                   EscapeHTML(rank.state), EscapeHTML(rank.reason), rank.waves,
                   EscapeHTML(rank.where));
  out << "</table>\n";
}

void WriteActivities(const JobReport &report, llvm::raw_ostream &out) {
  out << "<h2>What the ranks do</h2>\n<ul class=\"activities\">\n";
  for (const std::string &activity : report.activities)
    out << "<li class=\"name\">" << EscapeHTML(activity) << "</li>\n";
  out << "</ul>\n";
}

void WriteStacks(const JobReport &report, llvm::raw_ostream &out) {
  if (report.stacks.empty())
    return;
  out << "<h2>Stacks</h2>\n<pre class=\"stacks\">";
  for (const std::string &line : report.stacks)
    out << EscapeHTML(line) << "\n";
  out << "</pre>\n";
}

void WritePart(const JobReport::Part &part, llvm::raw_ostream &out) {
  out << "<details class=\"part\"><summary>rank " << part.rank;
  if (part.report)
    out << ": " << FormatCount(part.report->waves, "wave");
  out << "</summary>\n";
  if (part.report)
    WriteStop(*part.report, out);
  else
    out << "<pre class=\"error\">" << EscapeHTML(part.error) << "</pre>\n";
  out << "</details>\n";
}

/// \param[in] write Writes what is below the title.
std::string WriteDocument(const std::string &title,
                          llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const std::string escaped = EscapeHTML(title);
  out << g_head << escaped << " - Wavelane" << g_style << "<h1>" << escaped
      << "</h1>\n";
  write(out);
  out << "</body>\n</html>\n";
  return text;
}

} // namespace

std::string lldb_private::wavelane::WritePage(const Report &report) {
  return WriteDocument(report.program,
                       [&](llvm::raw_ostream &out) { WriteStop(report, out); });
}

std::string lldb_private::wavelane::WritePage(const JobReport &report) {
  return WriteDocument(report.title, [&](llvm::raw_ostream &out) {
    out << "<p>" << FormatCount(report.ranks.size(), "rank") << "<br>"
        << EscapeHTML(report.time) << "</p>\n";
    WriteRanks(report, out);
    WriteActivities(report, out);
    WriteStacks(report, out);
    if (report.parts.empty())
      return;
    out << "<h2>Waves of each rank</h2>\n";
    for (const JobReport::Part &part : report.parts)
      WritePart(part, out);
  });
}
