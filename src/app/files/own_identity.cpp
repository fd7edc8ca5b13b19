#include "app/files/own_identity.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "device/host/host.h"
#include "gpubench/core/io/messages.h"
#include "gpubench_version.h"

namespace gpubench {

ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at) {
  const std::string commit = GPUBENCH_GIT_COMMIT;
  ToolRecord tool;
  tool.version = GPUBENCH_VERSION;
  tool.git_commit = commit.empty() ? Reading<std::string>(absent("built outside a git checkout")) : commit;
  std::transform(arguments.begin(), arguments.end(), std::back_inserter(tool.arguments), without_passwords);
  tool.started_at = started_at;
  return tool;
}

Identity own_identity() {
  Identity identity{host_name(), "", ""};
  if (const passwd* user = getpwuid(getuid())) {
    identity.user = user->pw_name;
    identity.home = user->pw_dir;
  }
  if (const char* home = std::getenv("HOME")) identity.home = home;
  return identity;
}

}  // namespace gpubench
