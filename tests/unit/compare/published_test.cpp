#include "compare/published.h"

#include "compare/figures.h"
#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::published_test {

TEST_CASE("a publication is known by its name, and each of its devices by its own") {
  const RunRecord whole = published_run("m1-ultra-rtx-2070-super");
  const RunRecord part = published_run("rtx-2070-super");
  CHECK(whole.cases.size() == 33);
  CHECK(part.cases.size() < whole.cases.size());
  CHECK(part.published->figures.size() == part.cases.size());
  CHECK(make_candidates(part, "x").size() == 1);
  CHECK(make_candidates(whole, "x").size() == 3);
}

TEST_CASE("the energy of a published epoch is its power times its time") {
  const Candidate device = make_candidates(published_run("rtx-2070-super"), "x").at(0);
  const RowFigures& figures = device.rows.at(0);
  CHECK(figures.identity.subject() == "dcgan");
  CHECK(figures.epoch_joules.value().value == approx(84 * figures.seconds.value().value));
}

TEST_CASE("an unknown publication is refused with the nearest known one") {
  CHECK_THROWS_WITH(published_run("rtx-2070-supper"), contains_text("rtx-2070-super"));
}

}  // namespace gpubench::test::published_test
