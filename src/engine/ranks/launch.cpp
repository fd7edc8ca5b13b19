#include "engine/ranks/process_group.h"

#include <charconv>
#include <cstdlib>
#include <sstream>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::uint32_t kLowestPort = 20000;
constexpr std::uint32_t kPorts = 10000;
constexpr std::int64_t kMaxRanks = 65536;

/// Names of the environment variables that a launcher sets.
struct LauncherVariables {
  const char* launcher;
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* local_ranks;
};

constexpr LauncherVariables kLaunchers[] = {
    {"env", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

std::optional<std::string> find_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

/// Returns the number before "(", "," or the end, such as 2 for "2(x3),1".
std::optional<std::int64_t> leading_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && (*end == '\0' || *end == '(' || *end == ',');
  return is_number ? std::optional(number) : std::nullopt;
}

/// Returns the tasks on node `node` from Slurm's "2(x3),1": two on each of three nodes, then one.
std::optional<std::int64_t> tasks_on_node(const std::string& text, std::int64_t node) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto tasks = leading_number(part);
    const std::size_t times = part.find("(x");
    const auto nodes = times == std::string::npos
                           ? std::optional<std::int64_t>(1)
                           : leading_number(part.substr(times + 2, part.size() - times - 3));
    if (!tasks || !nodes) return std::nullopt;
    if (node < *nodes) return tasks;
    node -= *nodes;
  }
  return std::nullopt;
}

std::int64_t number_in(const char* name, std::int64_t fallback) {
  const auto text = find_variable(name);
  if (!text) return fallback;
  const auto number = leading_number(*text);
  require(number.has_value(), "{}={}: not a number; unset it, or start gpubench with a launcher", name,
          *text);
  return *number;
}

/// Rejects Slurm allocations without a step, and Hydra's variables from srun, which lack the local rank.
bool has_started(const LauncherVariables& names) {
  const std::string launcher = names.launcher;
  const bool is_step = find_variable("SLURM_STEP_ID").has_value();
  if (launcher == "slurm" && !is_step) return false;
  if (launcher == "hydra" && is_step && !find_variable(names.local_ranks)) return false;
  return find_variable(names.rank) && find_variable(names.ranks);
}

void check(const Launch& launch, const LauncherVariables& names) {
  require(launch.ranks >= 1 && launch.ranks <= kMaxRanks, "{}={}: must be 1 to {}", names.ranks, launch.ranks,
          kMaxRanks);
  require(launch.rank >= 0 && launch.rank < launch.ranks, "{}={}: must be 0 to {} ({} is {})", names.rank,
          launch.rank, launch.ranks - 1, names.ranks, launch.ranks);
  require(
      launch.local_rank >= 0 && launch.local_rank < launch.local_ranks && launch.local_ranks <= launch.ranks,
      "{}={}: does not fit {}={} and {}={}", names.local_rank, launch.local_rank, names.local_ranks,
      launch.local_ranks, names.ranks, launch.ranks);
}

std::string find_job(const Launch& launch) {
  std::string job = launch.launcher;
  for (const char* name : {kJobVariable, "TORCHELASTIC_RUN_ID", "OMPI_MCA_orte_hnp_uri", "PMIX_NAMESPACE",
                           "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    if (const auto value = find_variable(name)) job += " " + *value;
  }
  return job;
}

/// Returns the port on which rank 0 listens, the same on all machines.
std::int64_t find_port(const Launch& launch) {
  const auto given = find_variable("MASTER_PORT");
  // Under torchrun, the agent already listens on MASTER_PORT.
  const bool is_taken = find_variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (given && !is_taken) return number_in("MASTER_PORT", 0);
  std::uint32_t hash = 2166136261U;  // FNV-1a; see http://www.isthe.com/chongo/tech/comp/fnv/.
  for (const char c : given ? launch.job + " " + *given : launch.job)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return kLowestPort + hash % kPorts;
}

std::string host_of_rank_0(const Launch& launch) {
  if (const auto host = find_variable("MASTER_ADDR")) return *host;
  if (launch.is_on_one_machine()) return "127.0.0.1";
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    const auto list = find_variable(name);
    if (launch.launcher == "slurm" && list) return first_host(*list);
  }
  throw Error(
      ErrorKind::kUsage,
      "{} ranks on several machines: the host of rank 0 is unknown; set MASTER_ADDR to it on all ranks "
      "(mpirun -x MASTER_ADDR=..., mpiexec -genv MASTER_ADDR ...)",
      launch.ranks);
}

}  // namespace

std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  const std::size_t close = list.find(']');
  if (bracket == std::string::npos || comma < bracket || close == std::string::npos)
    return list.substr(0, comma);
  const std::string number = list.substr(bracket + 1, list.find_first_of(",-]", bracket) - bracket - 1);
  const std::string tail = list.substr(close + 1);
  return list.substr(0, bracket) + number + tail.substr(0, tail.find(','));
}

std::optional<Launch> read_launch() {
  for (const LauncherVariables& names : kLaunchers) {
    if (!has_started(names)) continue;
    Launch launch;
    launch.launcher = names.launcher;
    launch.rank = number_in(names.rank, 0);
    launch.ranks = number_in(names.ranks, 1);
    launch.local_rank = number_in(names.local_rank, 0);
    launch.local_ranks = number_in(names.local_ranks, 1);
    if (const auto tasks = find_variable(names.local_ranks); launch.launcher == "slurm" && tasks)
      launch.local_ranks = tasks_on_node(*tasks, number_in("SLURM_NODEID", 0)).value_or(launch.local_ranks);
    check(launch, names);
    if (launch.ranks == 1) return std::nullopt;
    if (find_variable("TORCHELASTIC_RUN_ID")) launch.launcher = "torchrun";
    launch.socket = static_cast<int>(number_in(kSocketVariable, -1));
    if (launch.socket >= 0) launch.launcher = "gpubench";
    launch.job = launch.socket >= 0 ? find_variable(kJobVariable).value_or("") : find_job(launch);
    launch.host = host_of_rank_0(launch);
    const std::int64_t port = find_port(launch);
    require(port > 0 && port < 65536, "MASTER_PORT={}: give 1 to 65535", port);
    launch.port = static_cast<int>(port);
    return launch;
  }
  return std::nullopt;
}

}  // namespace gpubench
