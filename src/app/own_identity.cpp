#include "app/own_identity.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "gpubench/host.h"

namespace gpubench {

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
