//===-- ReportPageTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Report/ReportPage.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;

TEST(ReportPage, EscapesText) {
  EXPECT_EQ(EscapeHTML("a<b> & \"c\" 'd'"),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(EscapeHTML("tab\tline\n"), "tab\tline\n");
  EXPECT_EQ(EscapeHTML(llvm::StringRef("\0\x1b\x7f", 3)),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(EscapeHTML("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(EscapeHTML("\xc3\xa9"), "\xc3\xa9");
}

/// Each text of a report is this string, which must not become part of the
/// page's markup.
static const char Bad[] = "</title><script>alert('1')</script>\"onload=\"";

static Report MakeBadReport() {
  Report report;
  report.program = report.time = report.stop = Bad;
  report.agents = {Bad};
  report.kernels.push_back({Bad, Bad, Bad, {4, 1, 2, 1, true}});
  report.findings.push_back({1, Bad, Bad, Bad, Bad});
  report.lines.push_back({Bad, Bad, Bad, {{Bad, 3}, {"running", 1}}, 4});
  report.waves = 4;
  report.divergence.push_back({Bad, llvm::BitVector(64, true), 1, Bad});
  Report::Variable variable{Bad, Bad, {}, 3, "", Bad};
  variable.rows.push_back({Bad,
                           {{Report::Value::eShown, Bad, {}},
                            {Report::Value::eError, Bad, {}},
                            {Report::Value::eShown, Bad, 7.0}}});
  report.variables.push_back(variable);
  report.variables.push_back({Bad, Bad, {}, 0, Bad, ""});
  return report;
}

static void ExpectNoMarkup(const std::string &page) {
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("\"onload"), std::string::npos);
  EXPECT_EQ(page.find("</title>"), page.rfind("</title>\n<style>"))
      << "the first is the page's own";
  EXPECT_NE(page.find("&lt;script&gt;alert(&#39;1&#39;)"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

TEST(ReportPage, NothingOfTheProgramBecomesMarkup) {
  ExpectNoMarkup(WritePage(MakeBadReport()));
}

TEST(ReportPage, NothingOfAJobBecomesMarkup) {
  JobReport report;
  report.title = report.time = Bad;
  report.ranks.push_back({0, 100, 4, Bad, Bad, Bad, Bad});
  report.activities = {Bad};
  report.stacks = {Bad};
  report.parts.push_back({0, MakeBadReport(), ""});
  report.parts.push_back({1, std::nullopt, Bad});
  ExpectNoMarkup(WritePage(report));
}

TEST(ReportPage, ShowsEachRank) {
  JobReport report;
  report.title = "mpirun -n 2 ./ring";
  report.ranks.push_back({0, 100, 0, "a", "exited with status 1", "", ""});
  report.ranks.push_back({7, 200, 64, "b", "stopped", "breakpoint 1.1",
                          "64 waves of f at f.hip:3"});
  report.activities = {"rank 7: 64 waves of f at f.hip:3"};
  report.stacks = {"main  [ranks 0,7]", "  MPI_Barrier  [rank 7]"};
  Report waves;
  waves.waves = 64;
  report.parts.push_back({7, waves, ""});
  const std::string page = WritePage(report);
  EXPECT_NE(page.find("<h1>mpirun -n 2 ./ring</h1>"), std::string::npos);
  EXPECT_NE(page.find("<p>2 ranks<br>"), std::string::npos);
  EXPECT_NE(page.find("200<td>stopped<td>breakpoint 1.1"), std::string::npos);
  EXPECT_NE(page.find("main  [ranks 0,7]\n"
                      "  MPI_Barrier  [rank 7]\n"),
            std::string::npos);
  EXPECT_NE(page.find("<summary>rank 7: 64 waves</summary>"),
            std::string::npos);
}

TEST(ReportPage, ReportsWhatItLeavesOut) {
  Report report;
  report.divergence.push_back({"a.hip:1", llvm::BitVector(4), 1, "w"});
  report.more_divergence = 1;
  Report::Variable variable{"i", "f", {{"w", {{}}}}, 17, ""};
  report.variables.push_back(variable);
  const std::string page = WritePage(report);
  EXPECT_NE(page.find("1 more set not shown, each"), std::string::npos);
  EXPECT_NE(page.find("17 more waves not shown"), std::string::npos);
  EXPECT_NE(page.find("There are no waves."), std::string::npos);
  EXPECT_NE(page.find("No kernel is running."), std::string::npos);
}

TEST(ReportPage, ShadesFromLowestToHighest) {
  Report report;
  const double huge = 1.7e308;
  Report::Variable variable{"x", "f", {}, 0, ""};
  variable.rows.push_back({"w",
                           {{Report::Value::eShown, "a", -huge},
                            {Report::Value::eShown, "b", huge},
                            {Report::Value::eInactive, "", {}}}});
  report.variables.push_back(variable);
  const std::string page = WritePage(report);
  EXPECT_NE(page.find("fill=\"#440154\"><title>lane 0: a"), std::string::npos);
  EXPECT_NE(page.find("fill=\"#fde725\"><title>lane 1: b"), std::string::npos);
  EXPECT_NE(page.find("class=\"off\"><title>lane 2: inactive"),
            std::string::npos);
}
