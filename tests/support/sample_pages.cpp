#include "support/sample_pages.h"

#include <cmath>
#include <limits>

namespace gpubench::test {
namespace {

// Must not have an effect in text, attributes, scripts or styles.
constexpr const char* kHostile =
    "</script><script>alert(1)</script></title></style>\" onmouseover='alert(2)' &amp;";
const std::string kBroken("\x1b[31m\x00 \xff\xc0\xaf \xed\xa0\x80 end", 19);

Point measured(double x, double y, double spread) { return {x, y, y * (1 - spread), y * (1 + spread)}; }

/// Returns epoch times by batch size, with a part that shrinks with the batch size and a constant part.
Series timing(const std::string& name, double per_batch, double floor) {
  Series series{name, {}};
  for (double batch = 16; batch <= 4096; batch *= 4) {
    series.points.push_back(measured(batch, per_batch / batch + floor, 0.04 + 1 / batch));
  }
  return series;
}

Chart timing_chart() {
  Chart chart = make_line_chart({timing("cnn on alpha (Xeon 8480C, 16 threads)", 160, 1.9),
                                 timing("cnn on beta (NVIDIA H200)", 310, 0.21),
                                 timing("mlp on alpha (Xeon 8480C, 16 threads)", 40, 0.55)});
  chart.title = "Time of an epoch by batch size";
  chart.x = {"batch size", "samples", true};
  chart.y = {"epoch time, median", "s", true};
  chart.notes = {"Bars are 95 % intervals of the median, by bootstrap over epochs."};
  return chart;
}

Chart accuracy_chart() {
  Series alpha{"alpha", {}};
  Series beta{"beta", {}};
  for (int epoch = 1; epoch <= 17; ++epoch) {
    alpha.points.push_back(measured(epoch, 91 - 40 / (1.0 + epoch), 0.01));
    beta.points.push_back(measured(epoch, 92 - 48 / (1.0 + epoch), 0.015));
  }
  Chart chart = make_line_chart({alpha, beta});
  chart.title = "Accuracy on test data";
  chart.x = {"epoch"};
  chart.y = {"accuracy", "%"};
  chart.baseline = 90;
  return chart;
}

Chart ratio_chart() {
  const std::vector<std::string> names = {"mlp, Fashion-MNIST, 128", "cnn, CIFAR-10, 128",
                                          "resnet50, CIFAR-10, 64", "lstm, Fashion-MNIST, 256",
                                          "transformer_lm, WikiText-2, 20"};
  Chart chart = make_bar_chart(
      names,
      {{"beta",
        {measured(0, 1.31, 0.05), measured(1, 6.4, 0.03), measured(2, 31, 0.02), measured(3, 0.62, 0.08),
         measured(4, 12.5, 0.04)}},
       {"gamma",
        {measured(0, 0.91, 0.12), measured(1, 2.4, 0.06), measured(2, 7.9, 0.05), measured(4, 3.1, 0.04)}}});
  chart.title = "Speed-up over alpha";
  chart.y = {"times as fast as alpha", "x", true};
  chart.baseline = 1.0;
  chart.notes = {"Longer to the right is faster than alpha; gamma has no result for lstm."};
  return chart;
}

Chart machine_chart() {
  Chart chart =
      make_bar_chart({"alpha (Xeon 8480C, 16 threads)", "beta (NVIDIA H200)",
                      "a laptop with a name of forty characters", "gamma, published"},
                     {{"all", {{0, 1}, measured(1, 12.34, 0.15), measured(2, 0.412, 0.3), {3, 1.9}}}});
  chart.title = "Speed of 4 machines";
  chart.y = {"times as fast as alpha", "x", true};
  chart.baseline = 1.0;
  chart.is_in_text = true;
  return chart;
}

std::vector<Cell> ratio_row(const std::string& model, double batch, double alpha, double beta, Tone tone) {
  const auto figure = [](double value) {
    std::string text = std::to_string(value);
    return Cell{text.substr(0, text.find('.') + 4), value};
  };
  Cell ratio = figure(alpha / beta);
  ratio.tone = tone;
  return {{model}, {std::to_string(static_cast<int>(batch)), batch}, figure(alpha), figure(beta), ratio};
}

Table ratio_table() {
  Table table{"Cases that both machines finished",
              {{"model"},
               {"batch_size", "samples", true},
               {"alpha", "s", true},
               {"beta", "s", true},
               {"speed-up", "x", true}},
              {}};
  table.rows = {
      ratio_row("mlp", 128, 0.862, 0.658, Tone::kGood), ratio_row("cnn", 128, 3.15, 0.492, Tone::kGood),
      ratio_row("lstm", 256, 1.24, 2.0, Tone::kBad), ratio_row("vae", 1024, 0.41, 0.402, Tone::kWarning)};
  table.rows[3][4].note = "The interval of the ratio includes 1: no difference is shown.";
  table.rows[1][3].note = "The clock of the device was throttled for 2 of 10 epochs.";
  table.rows.push_back({{"resnet50"},
                        {"1024", 1024.0},
                        {"58.200", 58.2},
                        {"oom", {}, "Out of memory in the first step.", Tone::kBad},
                        {"-", {}, "Out of memory in the first step.", Tone::kMuted}});
  table.rows.push_back(ratio_row("vit", 64, 7.61, 0.98, Tone::kGood));
  table.notes = {"Caution: other processes used 12 % of the CPU time of alpha.",
                 "Speed-up is the ratio of medians, alpha / beta; above 1 beta is faster."};
  return table;
}

Table wide_table() {
  Table table{"All figures of beta", {{"model"}}, {}};
  for (const char* name : {"epoch", "first epoch", "interval, low", "interval, high"}) {
    table.columns.push_back({name, "s", true});
  }
  for (const char* name : {"energy", "idle energy"}) table.columns.push_back({name, "J", true});
  for (const char* name : {"throughput", "throughput, low", "throughput, high"}) {
    table.columns.push_back({name, "samples/s", true, /*is_detail=*/true});
  }
  table.columns.insert(table.columns.end(), {{"accuracy", "%", true}, {"state"}});
  const std::vector<std::string> models = {"mlp", "cnn", "transformer_lm"};
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::vector<Cell> row = {{models[i]}};
    for (std::size_t column = 1; column + 1 < table.columns.size(); ++column) {
      const auto value = static_cast<double>(10000 * (i + 1) + 137 * column);
      row.push_back({std::to_string(10000 * (i + 1) + 137 * column), value});
    }
    row.push_back({"steady", {}, "", Tone::kGood});
    table.rows.push_back(row);
  }
  return table;
}

Chart awkward(const std::string& title, bool is_logarithmic, std::vector<Series> series) {
  Chart chart = make_line_chart(std::move(series));
  chart.title = title;
  chart.x.is_logarithmic = is_logarithmic;
  chart.y.is_logarithmic = is_logarithmic;
  return chart;
}

Series parallel(const std::string& name, double level) {
  return {name, {{1, level}, {2, level}, {3, level}}};
}

std::vector<Series> many_series() {
  std::vector<Series> series;
  for (int i = 0; i < 11; ++i) series.push_back(parallel("machine number " + std::to_string(i + 1), 1 + i));
  return series;
}

Chart many_bars() {
  std::vector<std::string> categories;
  std::vector<Series> series(3);
  for (int i = 0; i < 24; ++i) {
    categories.push_back("case " + std::to_string(i + 1));
    for (std::size_t s = 0; s < 3; ++s)
      series[s].points.push_back(measured(i, std::pow(1.1, i - 8 + static_cast<int>(s)), 0.1));
  }
  for (std::size_t s = 0; s < 3; ++s) series[s].name = std::string(1, "abc"[s]);
  Chart chart = make_bar_chart(categories, series);
  chart.title = "Many categories";
  chart.baseline = 1.0;
  chart.y = {"ratio", "x", true};
  return chart;
}

}  // namespace

Chart make_line_chart(std::vector<Series> series) {
  Chart chart;
  chart.title = "Lines";
  chart.x.label = "place";
  chart.y.label = "value";
  chart.series = std::move(series);
  return chart;
}

Chart make_bar_chart(std::vector<std::string> categories, std::vector<Series> series) {
  Chart chart = make_line_chart(std::move(series));
  chart.title = "Bars";
  chart.kind = ChartKind::kBars;
  chart.x = {"", "", false, std::move(categories)};
  return chart;
}

Page sample_page() {
  Page page;
  page.title = "beta (NVIDIA H200) compared with alpha (Xeon 8480C)";
  page.summary = {
      {"beta trains 3.2 times as fast as alpha (95 % interval 2.9 to 3.5), by the geometric mean of 4 cases.",
       Tone::kGood},
      {"lstm is slower on beta; below a batch of 89 samples cnn is, too.", Tone::kBad},
      {"One case did not fit into the memory of beta and is not part of the mean.", Tone::kWarning},
      {"Both ran gpubench 0.1.0 with LibTorch 2.9.1."}};
  page.sections = {
      {"", {machine_chart()}},
      {"Ratios",
       {ratio_table(), ratio_chart(), Paragraph{"Cases of one machine alone are left out.", Tone::kMuted}}},
      {"Batch sizes", {timing_chart(), Paragraph{"Two of the lines cross.", Tone::kWarning}}},
      {"Learning", {accuracy_chart()}},
      {"Figures", {wide_table()}}};
  page.data = {
      "data", {{"model"}, {"epoch", "s", true}}, {{{"mlp"}, {"0.66", 0.658}}, {{"resnet50"}, {"oom"}}}};
  return page;
}

Page hostile_page() {
  const std::string text = kHostile;
  Chart lines = make_line_chart({{text, {measured(1, 2, 0.1), measured(2, 3, 0.1)}}, {kBroken, {{1, 1}}}});
  lines.title = text;
  lines.x = {text, text};
  lines.y = {kBroken, text};
  lines.notes = {text, kBroken};
  Chart bars = make_bar_chart({text, kBroken}, {{text, {{0, 1}, {1, 2}}}});
  bars.y = {text, text};
  const Table table{text,
                    {{text, text}, {kBroken, kBroken, true}},
                    {{{text, {}, text, Tone::kBad}, {kBroken, 1.0, kBroken}}},
                    {text, kBroken}};
  return {text,
          {{text, Tone::kBad}, {kBroken}},
          {{text, {Paragraph{text, Tone::kMuted}, table, lines, bars}}},
          table};
}

Page awkward_page() {
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  Page page{"Charts at the edge", {}, {{"all", {}}}, {}};
  page.sections[0].blocks = {
      awkward("A single point", false, {{"alone", {{3, 7}}}}),
      awkward("A single point, logarithmic", true, {{"alone", {{3, 7}}}}),
      awkward("No series", false, {}),
      awkward("No point", true, {{"empty", {}}}),
      awkward("Equal values", false, {parallel("flat", 5)}),
      awkward("Zeros", false, {parallel("zero", 0)}),
      awkward("Below zero", false, {{"fall", {{-3, -20}, {-2, 5}, {-1, -8}}}}),
      awkward("Everything", true, {{"wide", {{1e-90, 1e-90}, {1, 1}, {1e90, 1e90}}}}),
      awkward("Everything, linear", false, {{"wide", {{-1e90, -1e90}, {1, 1}, {1e90, 1e90}}}}),
      awkward(
          "Some values outside the axis", true,
          {{"some", {{0, 1}, {1, -1}, {2, nan}, {3, infinite}, {4, 2, nan, infinite}, {5, 4, 0.0, 5.0}}}}),
      awkward("All values outside the axis", false, {{"none", {{nan, infinite}, {1, nan}}}}),
      awkward("Many lines", false, many_series()),
      many_bars(),
      make_bar_chart({}, {{"no category", {{0, 1}}}}),
      make_bar_chart({"no series"}, {}),
      make_bar_chart({"one"}, {{"", {{0, -2, -3.0, 1.0}, {7, 1}, {0, nan}}}})};
  return page;
}

}  // namespace gpubench::test
