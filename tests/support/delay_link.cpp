// A switch with a cable to each of several network namespaces, for tests of what happens between machines.
// Linux may lack netem, so frames are carried by this program, between taps that it makes.
//
//   delay_link NAMESPACE,ADDRESS/BITS,MBIT,MS...
//
// Every namespace (of `ip netns`) gets an interface "cable0" with that IPv4 address. Its cable carries MBIT
// Mbit/s in each direction, and MS milliseconds pass from one end to the other: from machine to machine it is
// two cables. Says "up" on stdout when all is ready. A line "cut NAMESPACE" or "mend NAMESPACE" on stdin is
// answered with the same line; the interface stays up, as it does where the break is behind the next switch.
// So is "part NAMESPACE NAMESPACE", after which these two no longer reach each other, and "join", which mends
// that. Ends when stdin closes; the taps end with the process, whatever ends it.

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace gpubench::test {
namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

constexpr const char* kInterface = "cable0";
constexpr std::size_t kLongestFrame = 2048;  // More than an Ethernet frame with its tags.
constexpr std::size_t kMostWaitingBytes = std::size_t{16} << 20;  // For one cable; more is lost.

/// For so long nothing is looked at after each look: whoever frames are for is then woken once for several of
/// them, where waking for each took most of a core. That much later than it should a frame may come.
constexpr std::chrono::microseconds kPause{200};

/// What every frame takes on a cable beside itself: preamble, checksum and the gap to the next (IEEE 802.3).
constexpr std::size_t kFrameOverhead = 8 + 4 + 12;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }
[[noreturn]] void fail_by_system(const std::string& what) { fail(what + ": " + std::strerror(errno)); }

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

// --- What is asked for.

struct Wish {
  std::string machine;
  std::string address;
  int bits = 0;
  double megabits = 0;
  double milliseconds = 0;
};

double number_in(const std::string& text, int least, int most, const std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_whole = !text.empty() && *end == '\0';
  if (is_whole && number >= least && number <= most) return number;
  fail(word + ": '" + text + "' is no number from " + std::to_string(least) + " to " + std::to_string(most));
}

Wish wish_from(const std::string& word) {
  std::vector<std::string> parts{""};
  for (const char c : word) {
    if (c == ',' || (c == '/' && parts.size() == 2)) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() != 5) fail(word + ": give NAMESPACE,ADDRESS/BITS,MBIT,MS");
  return {parts[0], parts[1], static_cast<int>(number_in(parts[2], 1, 31, word)),
          number_in(parts[3], 1, 100000, word), number_in(parts[4], 0, 10000, word)};
}

// --- Taps.

using Mac = std::array<unsigned char, 6>;

struct Tap {
  int frames = -1;
  Mac mac{};
};

/// Of ioctl(): each call changes one thing of the interface.
void change(int socket, unsigned long what, ifreq& request, const std::string& thing) {
  std::strcpy(request.ifr_name, kInterface);
  if (ioctl(socket, what, &request) != 0) fail_by_system(thing);
}

void set_address(int socket, unsigned long what, std::uint32_t address, const std::string& thing) {
  sockaddr_in internet{};
  internet.sin_family = AF_INET;
  internet.sin_addr.s_addr = address;
  ifreq request{};
  std::memcpy(&request.ifr_addr, &internet, sizeof internet);
  change(socket, what, request, thing);
}

/// What a program reads that asks how fast the link is; a tap claims 10 Mbit/s.
void set_speed(int socket, double megabits, const std::string& thing) {
  ethtool_cmd link{};
  link.cmd = ETHTOOL_GSET;
  ifreq request{};
  request.ifr_data = reinterpret_cast<char*>(&link);
  change(socket, SIOCETHTOOL, request, thing);
  link.cmd = ETHTOOL_SSET;
  ethtool_cmd_speed_set(&link, static_cast<std::uint32_t>(megabits));
  change(socket, SIOCETHTOOL, request, thing);
}

void set_up(const Wish& wish, Tap& tap) {
  const std::string thing = wish.machine + ": " + kInterface;
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  if (socket < 0) fail_by_system(thing);
  in_addr address{};
  if (inet_pton(AF_INET, wish.address.c_str(), &address) != 1) fail(wish.address + ": is no IPv4 address");
  set_address(socket, SIOCSIFADDR, address.s_addr, thing);
  set_address(socket, SIOCSIFNETMASK, htonl(~std::uint32_t{0} << (32 - wish.bits)), thing);
  set_speed(socket, wish.megabits, thing);
  ifreq request{};
  request.ifr_qlen = 10'000;  // What has left a machine is never lost before it is here.
  change(socket, SIOCSIFTXQLEN, request, thing);
  request = {};
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  change(socket, SIOCSIFFLAGS, request, thing);
  request = {};
  change(socket, SIOCGIFHWADDR, request, thing);
  std::memcpy(tap.mac.data(), request.ifr_hwaddr.sa_data, tap.mac.size());
  close(socket);
}

/// A tap belongs to the namespace in which it is opened. This process returns: who lists the processes of a
/// machine is not to find it there.
Tap open_tap(const Wish& wish) {
  const std::string path = "/var/run/netns/" + wish.machine;
  const int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  const int place = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (own < 0 || place < 0 || setns(place, CLONE_NEWNET) != 0) fail_by_system(path);
  Tap tap;
  tap.frames = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tap.frames < 0) fail_by_system("/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  change(tap.frames, TUNSETIFF, request, wish.machine + ": " + kInterface);
  set_up(wish, tap);
  if (setns(own, CLONE_NEWNET) != 0) fail_by_system("/proc/self/ns/net");
  close(place);
  close(own);
  return tap;
}

// --- Cables.

/// Called with the moment at which something is due.
using Event = std::function<void(Time)>;

/// What is to happen, in its order. Events get the moment at which they are due, not that at which this
/// process gets to them: how late it is does not add up.
class Agenda {
 public:
  void add(Time due, Event event) { events_.push({due, ++count_, std::move(event)}); }

  /// Does all that is due by now.
  void catch_up() {
    while (!events_.empty() && events_.top().due <= Clock::now()) {
      const Entry first = events_.top();
      events_.pop();
      first.event(first.due);
    }
  }

  /// Until the next event; an hour where there is none.
  Clock::duration left() const {
    if (events_.empty()) return std::chrono::hours(1);
    return std::max(events_.top().due - Clock::now(), Clock::duration(0));
  }

 private:
  struct Entry {
    Time due;
    std::uint64_t number;  // What is due at the same time stays in its order.
    Event event;

    friend bool operator<(const Entry& one, const Entry& other) {
      return std::tie(other.due, other.number) < std::tie(one.due, one.number);  // The first one is on top.
    }
  };

  std::priority_queue<Entry> events_;
  std::uint64_t count_ = 0;
};

/// One direction of a cable. Frames that wait for it take turns by the machine at the other end of their way,
/// as the connections of a machine do in its own kernel: there an answer to one does not wait behind all that
/// another is to get.
class Line {
 public:
  Line(const Wish& wish, Agenda& agenda, std::size_t machines)
      : seconds_per_byte_(8e-6 / wish.megabits),
        delay_(time_of(wish.milliseconds / 1e3)),
        agenda_(agenda),
        waiting_(machines) {}

  /// `come` is called when the frame has come out whole.
  void add(std::size_t other, std::size_t bytes, Time now, Event come) {
    if (bytes_ + bytes > kMostWaitingBytes) return;
    bytes_ += bytes;
    waiting_[other].push_back({bytes, std::move(come)});
    if (!is_busy_) begin(now);
  }

 private:
  struct Frame {
    std::size_t bytes;
    Event come;
  };

  static Clock::duration time_of(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  void begin(Time now) {
    is_busy_ = bytes_ > 0;
    if (!is_busy_) return;
    do {
      turn_ = (turn_ + 1) % waiting_.size();
    } while (waiting_[turn_].empty());
    const Frame frame = std::move(waiting_[turn_].front());
    waiting_[turn_].pop_front();
    bytes_ -= frame.bytes;
    const Time end = now + time_of(static_cast<double>(frame.bytes + kFrameOverhead) * seconds_per_byte_);
    agenda_.add(end + delay_, frame.come);
    agenda_.add(end, [this](Time time) { begin(time); });
  }

  double seconds_per_byte_;
  Clock::duration delay_;
  Agenda& agenda_;
  std::vector<std::deque<Frame>> waiting_;
  std::size_t bytes_ = 0;  // Of all that wait.
  std::size_t turn_ = 0;
  bool is_busy_ = false;
};

struct Port {
  Port(const Wish& wish, Agenda& agenda, std::size_t machines)
      : machine(wish.machine), tap(open_tap(wish)), in(wish, agenda, machines), out(wish, agenda, machines) {}

  std::string machine;
  Tap tap;
  Line in;   // From the machine
  Line out;  // and to it.
  bool is_cut = false;
};

class Switch {
 public:
  explicit Switch(const std::vector<Wish>& wishes) {
    for (const Wish& wish : wishes) ports_.emplace_back(wish, agenda_, wishes.size());
  }

  /// Until stdin closes.
  void run() {
    while (!is_over_) {
      wait();
      if (has_words_) take_words();
      for (std::size_t port = 0; port < ports_.size(); ++port) take_frames(port);
      agenda_.catch_up();
      std::this_thread::sleep_for(kPause);
    }
  }

 private:
  void wait() {
    std::vector<pollfd> all{{STDIN_FILENO, POLLIN, 0}};
    for (const Port& port : ports_) all.push_back({port.tap.frames, POLLIN, 0});
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(agenda_.left()).count();
    const timespec time{left / 1'000'000'000, left % 1'000'000'000};
    ppoll(all.data(), all.size(), &time, nullptr);
    has_words_ = all.front().revents != 0;
  }

  void take_words() {
    std::array<char, 256> text{};
    const ssize_t count = read(STDIN_FILENO, text.data(), text.size());
    is_over_ = count <= 0;
    if (is_over_) return;
    words_.append(text.data(), static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = words_.find('\n')) != std::string::npos; words_.erase(0, end + 1))
      obey(words_.substr(0, end));
  }

  void obey(const std::string& line) {
    std::istringstream in(line);
    std::string verb;
    std::string one;
    std::string other;
    in >> verb >> one >> other;
    if (verb == "part") {
      parted_ = {port_of(one), port_of(other)};
    } else if (verb == "join") {
      parted_.clear();
    } else if (verb == "cut" || verb == "mend") {
      ports_[port_of(one)].is_cut = verb == "cut";
    } else {
      fail("'" + line + "': give cut, mend, part or join");
    }
    say(line);
  }

  std::size_t port_of(const std::string& machine) const {
    const auto port = std::ranges::find(ports_, machine, &Port::machine);
    if (port == ports_.end()) fail("'" + machine + "': is none of the namespaces");
    return static_cast<std::size_t>(port - ports_.begin());
  }

  void take_frames(std::size_t number) {
    Port& port = ports_[number];
    std::array<char, kLongestFrame> room{};
    for (ssize_t size = 0; (size = read(port.tap.frames, room.data(), room.size())) > 0;) {
      const std::string frame(room.data(), static_cast<std::size_t>(size));
      if (port.is_cut) continue;
      port.in.add(target_of(frame).value_or(number), frame.size(), Clock::now(),
                  [this, number, frame](Time now) { forward(number, frame, now); });
    }
  }

  /// The port of the machine that a frame is for; nothing where it is for none of them alone.
  std::optional<std::size_t> target_of(const std::string& frame) const {
    const auto port = std::ranges::find_if(ports_, [&](const Port& one) {
      return std::memcmp(one.tap.mac.data(), frame.data(), one.tap.mac.size()) == 0;
    });
    if (port == ports_.end()) return std::nullopt;
    return static_cast<std::size_t>(port - ports_.begin());
  }

  /// A frame is at the switch.
  void forward(std::size_t source, const std::string& frame, Time now) {
    const auto target = target_of(frame);
    for (std::size_t number = 0; number < ports_.size(); ++number) {
      if (number == source || (target && number != *target)) continue;
      if (parted_.contains(number) && parted_.contains(source)) continue;
      Port& port = ports_[number];
      port.out.add(source, frame.size(), now, [&port, frame](Time) {
        // What an interface does not take is lost.
        if (!port.is_cut) (void)!write(port.tap.frames, frame.data(), frame.size());
      });
    }
  }

  Agenda agenda_;
  std::deque<Port> ports_;        // Which stay where they are.
  std::set<std::size_t> parted_;  // Ports that do not reach each other.
  std::string words_;
  bool has_words_ = false;
  bool is_over_ = false;
};

/// A cable waits for no program: at once where a frame is due, before whatever else the cores have to do.
void be_prompt() {
  prctl(PR_SET_TIMERSLACK, 1000);
  sched_param first{};
  first.sched_priority = 1;
  sched_setscheduler(0, SCHED_RR, &first);
}

void serve(const std::vector<std::string>& words) {
  if (words.size() < 2) fail("give two namespaces at least, each as NAMESPACE,ADDRESS/BITS,MBIT,MS");
  std::vector<Wish> wishes;
  for (const std::string& word : words) wishes.push_back(wish_from(word));
  Switch all(wishes);
  be_prompt();
  say("up");
  all.run();
}

}  // namespace
}  // namespace gpubench::test

int main(int argc, char** argv) {
  try {
    gpubench::test::serve({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "delay_link: %s\n", error.what());
    return 2;
  }
}
