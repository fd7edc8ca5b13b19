#include "engine/ranks/process_group.h"

#include <list>
#include <map>

#include "engine/plan/rank_context.h"
#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/scoped_variable.h"

namespace gpubench::test::launch_test {

namespace {

std::optional<Launch> make_launch(const std::map<std::string, std::string>& variables) {
  std::list<ScopedVariable> set;
  for (const auto& [name, value] : variables) set.emplace_back(name.c_str(), value);
  return read_launch();
}

}  // namespace

TEST_CASE("a process without a launcher, or a single process, has no launch") {
  CHECK_FALSE(make_launch({}));
  CHECK_FALSE(make_launch({{"RANK", "0"}}));
  CHECK_FALSE(make_launch({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  CHECK_FALSE(
      make_launch({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}));  // An allocation without a step.
}

TEST_CASE("each launcher's variables give this rank and the host of rank 0") {
  const auto torchrun = make_launch({{"RANK", "3"},
                                     {"WORLD_SIZE", "4"},
                                     {"LOCAL_RANK", "1"},
                                     {"LOCAL_WORLD_SIZE", "2"},
                                     {"MASTER_ADDR", "node-a"},
                                     {"MASTER_PORT", "29400"},
                                     {"TORCHELASTIC_RUN_ID", "42"}});
  REQUIRE(torchrun);
  CHECK(torchrun->launcher == "torchrun");
  CHECK(torchrun->rank == 3);
  CHECK(torchrun->local_rank == 1);
  CHECK(torchrun->host == "node-a");
  CHECK(torchrun->port == 29400);
  CHECK_FALSE(torchrun->is_on_one_machine());
  const auto with_agent = make_launch({{"RANK", "0"},
                                       {"WORLD_SIZE", "2"},
                                       {"LOCAL_WORLD_SIZE", "2"},
                                       {"MASTER_ADDR", "localhost"},
                                       {"MASTER_PORT", "29400"},
                                       {"TORCHELASTIC_RUN_ID", "42"},
                                       {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  REQUIRE(with_agent);
  CHECK(with_agent->port != 29400);  // The agent listens there.

  const auto openmpi = make_launch({{"OMPI_COMM_WORLD_RANK", "1"},
                                    {"OMPI_COMM_WORLD_SIZE", "2"},
                                    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                    {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  REQUIRE(openmpi);
  CHECK(openmpi->launcher == "openmpi");
  CHECK(openmpi->host == "127.0.0.1");

  const auto hydra =
      make_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "3"}});
  REQUIRE(hydra);
  CHECK(hydra->launcher == "hydra");
  CHECK(hydra->ranks == 3);

  const auto slurm = make_launch({{"SLURM_PROCID", "5"},
                                  {"SLURM_STEP_NUM_TASKS", "6"},
                                  {"SLURM_LOCALID", "2"},
                                  {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"},
                                  {"SLURM_STEP_ID", "0"},
                                  {"SLURM_JOB_ID", "17"},
                                  {"SLURM_STEP_NODELIST", "n[07-08]"}});
  REQUIRE(slurm);
  CHECK(slurm->launcher == "slurm");
  CHECK(slurm->local_ranks == 3);
  CHECK(slurm->host == "n07");
}

TEST_CASE("RANK takes precedence over the variables of other launchers") {
  const auto launch = make_launch({{"RANK", "1"},
                                   {"WORLD_SIZE", "2"},
                                   {"LOCAL_RANK", "1"},
                                   {"LOCAL_WORLD_SIZE", "2"},
                                   {"PMI_RANK", "0"},
                                   {"PMI_SIZE", "8"}});
  REQUIRE(launch);
  CHECK(launch->rank == 1);
  CHECK(launch->ranks == 2);
}

TEST_CASE("ranks of one job choose the same default port, and different jobs usually different ports") {
  const auto find_port = [](const std::string& rank, const std::string& job) {
    return make_launch({{"SLURM_PROCID", rank},
                        {"SLURM_STEP_NUM_TASKS", "4"},
                        {"SLURM_LOCALID", "0"},
                        {"SLURM_STEP_TASKS_PER_NODE", "1(x4)"},
                        {"SLURM_STEP_ID", "1"},
                        {"SLURM_JOB_ID", job},
                        {"SLURM_STEP_NODELIST", "a,b,c,d"}})
        ->port;
  };
  CHECK(find_port("0", "7") == find_port("3", "7"));
  CHECK(find_port("0", "7") != find_port("0", "8"));
}

TEST_CASE("contradictory variables are refused by name") {
  const std::pair<std::map<std::string, std::string>, std::string> faults[] = {
      {{{"RANK", "2"}, {"WORLD_SIZE", "2"}}, "RANK=2: must be 0 to 1 (WORLD_SIZE is 2)"},
      {{{"RANK", "-1"}, {"WORLD_SIZE", "2"}}, "RANK=-1: must be 0 to 1"},
      {{{"RANK", "x"}, {"WORLD_SIZE", "2"}}, "RANK=x: not a number"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "99999999"}}, "WORLD_SIZE=99999999: must be 1 to"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "3"}, {"LOCAL_WORLD_SIZE", "2"}}, "LOCAL_RANK=3"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_PORT", "0"}},
       "MASTER_PORT=0"},
      {{{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "1"}}, "set MASTER_ADDR"}};
  for (const auto& [variables, part] : faults) {
    try {
      make_launch(variables);
      FAIL("no error: " << part);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      CHECK_THAT(error.what(), contains_text(part));
    }
  }
}

TEST_CASE("first_host() parses Slurm host lists") {
  CHECK(first_host("a") == "a");
  CHECK(first_host("a,b") == "a");
  CHECK(first_host("a[01-03,7],b") == "a01");
  CHECK(first_host("a[3,7]-x.org,b") == "a3-x.org");
  CHECK(first_host("a,b[1-2]") == "a");
}

TEST_CASE("rank shares cover a batch without overlap and differ by at most one sample") {
  for (const std::int64_t ranks : {1, 2, 3, 7}) {
    for (const std::int64_t count : {7, 8, 100, 1023}) {
      std::int64_t next = 0;
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const RankShare share{rank, ranks};
        CHECK(share.first(count) == next);
        CHECK(share.size(count) >= count / ranks);
        CHECK(share.size(count) <= (count + ranks - 1) / ranks);
        next += share.size(count);
      }
      CHECK(next == count);
    }
  }
}

}  // namespace gpubench::test::launch_test
