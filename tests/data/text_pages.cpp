#include "data/text_pages.h"

namespace gpubench::test {
namespace {

Table figures_table() {
  Table table{"Figures", {{"model"}, {"median", "s", true}, {"", "x", true}, {"remark"}}, {}, {}};
  table.rows = {
      {{"mlp"}, {"0.510", 0.51}, {"1.00", 1.0}, {""}},
      {{"cnn"}, {"12.250", 12.25, "times were still changing", Tone::kWarning}, {"0.04", 0.04}, {"slow"}},
      {{"lstm"},
       {"-", {}, "out of memory", Tone::kBad},
       {"-"},
       {"a remark that is far longer than a column of a terminal should be, and is continued below"}},
      {{"vae"}, {"-", {}, "out of memory", Tone::kBad}, {"-"}, {""}},
  };
  table.notes = {
      "x: time of the first over time of the other",
      "a sentence that is long enough to be continued on a second line, where it begins below its own "
      "first word"};
  return table;
}

Chart batch_chart() {
  Chart chart{"Epoch time", ChartKind::kLines, {"batch", "", true}, {"median epoch", "s", true}, {}};
  chart.series = {{"mlp on cpu", {{32, 6.4, 6.3, 6.5}, {128, 2.4, 2.39, 2.9}, {1024, 0.55}}},
                  {"mlp on cuda:0", {{32, 2.1}, {128, 0.0412}}}};
  chart.notes = {"medians of all epochs after the warm-up"};
  return chart;
}

Chart ratio_chart() {
  Chart chart{"Ratios", ChartKind::kBars, {"model"}, {"speed", "x"}, {}};
  chart.x.categories = {"mlp", "cnn", "lstm"};
  chart.series = {{"batch 32", {{0, 1.5, 1.4, 1.6}, {1, 0.25}, {2, 1}}}, {"batch 128", {{0, 3}, {2, 0.75}}}};
  chart.baseline = 1;
  return chart;
}

Chart startup_chart() {
  Chart chart{"", ChartKind::kBars, {"model"}, {"start-up", "s"}, {{"", {{0, 2.5}, {1, -0.75}, {2, 0}}}}};
  chart.x.categories = {"mlp", "cnn", "lstm"};
  return chart;
}

Chart long_chart() {
  Chart chart{"Epoch by epoch", ChartKind::kLines, {"epoch"}, {"time of an epoch", "s"}, {}};
  for (const double factor : {1.0, 2.0}) {
    Series series{factor == 1 ? "mlp" : "resnet50, throttled", {}};
    for (int epoch = 1; epoch <= 60; ++epoch) series.points.push_back({double(epoch), factor + 1.0 / epoch});
    chart.series.push_back(series);
  }
  return chart;
}

}  // namespace

Page long_text_page() {
  Page page{"Measurements", {}, {}, {}};
  page.summary = {{"A summary, in words that go on until they no longer fit into a line of one hundred "
                   "characters, and then some."},
                  {"A caution.", Tone::kWarning},
                  {"1. A failure.", Tone::kBad}};
  page.sections = {{"Cases", {Paragraph{"Text before the table."}, figures_table()}},
                   {"Charts", {batch_chart(), ratio_chart(), startup_chart(), long_chart()}}};
  page.data = {"", {{"model"}, {"median", "s", true}}, {{{"mlp"}, {"0.51", 0.51}}}, {}};
  return page;
}

Page hostile_text_page() {
  const std::string text =
      "a|b <script>alert(1)</script> *b* _i_ `code` [x](http://evil) \\ &lt; #1\n# www.evil\r\t\x1b[31m\x07"
      "\xc2\x9b"
      "2J \xe2\x80\xae"
      "txt \xff\xc3\x28 \xe2\x80";
  Page page{text, {{text}, {"- " + text}, {"    ```\n" + text, Tone::kBad}}, {}, {}};
  Table table{text, {{text, text}, {text}}, {{{text, {}, text}, {text}}}, {text}};
  Chart chart{text, ChartKind::kBars, {text, text}, {text, text}, {{text, {{0, 1}}}}};
  chart.x.categories = {"```" + text};
  chart.notes = {text};
  Chart lines{text, ChartKind::kLines, {text, text}, {text, text}, {{"```\n" + text, {{0, 1}, {1, 2}}}}};
  page.sections = {{text, {Paragraph{text}, table, chart, lines}}};
  page.data = table;
  return page;
}

}  // namespace gpubench::test
