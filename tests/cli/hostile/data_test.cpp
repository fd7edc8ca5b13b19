// Malformed data files and power logs, and malicious servers.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "sample.h"
#include "support/catch.h"
#include "support/fake_http_server.h"
#include "words.h"

namespace gpubench::test::data_test {

namespace {

/// Verifies a copy of the fixtures after the shell command `damage`.
Attack verified(const std::string& what, int code, const std::string& words, const std::string& damage) {
  return {what, code, words, "ulimit -v 4000000; gpubench data verify fashion-mnist --data-dir data",
          "mkdir data; cp -R $GPUBENCH_DATA_DIR/fashion-mnist data; cd data/fashion-mnist; " + damage};
}

}  // namespace

TEST_CASE("damaged IDX files are errors of one line", "[data]") {
  withstand(
      "data files",
      {
          verified("an empty file", 3, "train-images-idx3-ubyte.gz", ": > train-images-idx3-ubyte.gz"),
          verified("a decompression bomb of 1 GB", 3, "train-images-idx3-ubyte.gz",
                   "head -c 1000000000 /dev/zero | gzip -1 > train-images-idx3-ubyte.gz"),
          verified("a sparse terabyte", 3, "train-images-idx3-ubyte.gz", "sparse train-images-idx3-ubyte.gz"),
          verified("a folder", 3, "train-images-idx3-ubyte.gz",
                   "rm train-images-idx3-ubyte.gz; mkdir train-images-idx3-ubyte.gz"),
          verified("a pipe", 3, "train-images-idx3-ubyte.gz",
                   "rm train-images-idx3-ubyte.gz; mkfifo train-images-idx3-ubyte.gz"),
          verified(
              "a link to itself", 3, "train-images-idx3-ubyte.gz",
              "rm train-images-idx3-ubyte.gz; ln -s train-images-idx3-ubyte.gz train-images-idx3-ubyte.gz"),
          verified("a link to /dev/zero", 3, "train-images-idx3-ubyte.gz",
                   "ln -sf /dev/zero train-images-idx3-ubyte.gz"),
          verified("a file instead of the dataset's folder", 3, "fashion-mnist",
                   "cd ..; rm -r fashion-mnist; echo > fashion-mnist"),
      });
}

TEST_CASE("a malicious folder of images is an error", "[data]") {
  const std::string head = "mkdir -p data/images/train/a data/images/test/a; ";
  const auto row = [&](const std::string& what, const std::string& words, const std::string& damage) {
    return Attack{what, 3, words, "ulimit -v 4000000; gpubench data verify images --data-dir data",
                  head + damage};
  };
  withstand(
      "data files",
      {
          row("a sparse terabyte as an image", "images", "sparse data/images/train/a/x.jpg"),
          row("a folder that contains itself", "images", "ln -s .. data/images/train/a/up"),
          row("a picture that claims 2^31 columns", "images",
              R"(printf '\211PNG\r\n\032\n\000\000\000\015IHDR\177\377\377\377\177\377\377\377\010\002\000\000\000\000\000\000\000' > data/images/train/a/x.png)"),
          row("a class of escapes", "images",
              R"~(mkdir "data/images/train/$(printf '\033[31m')"; echo text > "data/images/train/$(printf '\033[31m')/x.png")~"),
      });
}

TEST_CASE("damaged token files are errors of one line", "[data]") {
  const auto row = [](const std::string& what, const std::string& damage) {
    return Attack{what, 3, "data/tokens/train.bin",
                  "ulimit -v 4000000; gpubench data verify tokens --data-dir data",
                  "mkdir -p data/tokens; cd data/tokens; " + damage};
  };
  withstand(
      "data files",
      {
          row("an empty file of tokens", ": > train.bin"),
          row("a sparse terabyte of tokens", "sparse train.bin"),
          row("a folder as tokens", "mkdir train.bin"),
          row("a pipe as tokens", "mkfifo train.bin"),
          row("tokens that link to themselves", "ln -s train.bin train.bin"),
          row("tokens that link to /dev/zero", "ln -s /dev/zero train.bin"),
          row("a header that promises 2^32 tokens",
              R"(printf '\210\330\064\001\001\0\0\0\377\377\377\377' > train.bin; head -c 9999 /dev/zero >> train.bin)"),
          {"a name of escapes", 3, "train",
           "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --model gpt2 --dataset tokens:data -q -o r",
           R"~(mkdir data; echo > "data/train$(printf '\033[31m').bin")~"},
          {"tokens in a folder with a newline", 3, "has no file",
           "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --model gpt2 --dataset 'tokens:a\nb' -q -o r"},
      });
}

TEST_CASE("malformed power logs are errors of one line", "[data]") {
  const std::string run = fixture("eventful.json");
  const auto row = [&](const std::string& what, const std::string& text) {
    return Attack{what,
                  3,
                  "log",
                  "ulimit -v 4000000; gpubench file import-power run.json log",
                  "",
                  "",
                  {{"run.json", run}, {"log", text}}};
  };
  const auto place = [&](const std::string& what, const std::string& prepare) {
    return Attack{what,
                  3,
                  "log",
                  "ulimit -v 4000000; gpubench file import-power run.json log",
                  prepare,
                  "",
                  {{"run.json", run}}};
  };
  const std::string head = "timestamp, index, name, power.draw [W]\n";
  withstand("power logs",
            {
                row("an empty log", ""),
                row("a million NULs", std::string(1000000, '\0')),
                row("escapes", "\x1b[2J\x1b]0;t\x07\n"),
                row("a line of 10 MB", std::string(10000000, 'x')),
                row("a million lines", times(1000000, "x\n")),
                row("a name of escapes", head + "2024/02/03 04:05:06.000, 0, \x1b[31m\xe2\x80\xae, 1 W\n"),
                row("lists a million deep", times(1000000, "[")),
                row("a property list",
                    "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a \"aaaa\"><!ENTITY b "
                    "\"&a;&a;&a;\">]><plist>&b;</plist>"),
                place("a pipe as a log", "mkfifo log"),
                place("a folder as a log", "mkdir log"),
                place("a sparse terabyte as a log", "sparse log"),
                {"a sparse terabyte as a meter", 3, "big",
                 "ulimit -v 6000000; train -o run.json --meter replay:big", "sparse big"},
                {"replay without a file name", 2, "replay", "train -o run.json --meter replay:"},
            });
}

TEST_CASE("unexpected answers of servers are errors", "[data]") {
  FakeHttpServer server;
  const auto fetch = [&](const std::string& what, const std::string& words, const HttpFaults& faults) {
    server.misbehave(faults);
    withstand("network",
              {{what, 3, words,
                "GPUBENCH_BASE_URL=" + server.url() + " gpubench data fetch fashion-mnist -q --data-dir data",
                "mkdir data",
                "data data/fashion-mnist data/fashion-mnist/.lock "
                "data/fashion-mnist/train-images-idx3-ubyte.gz.part"}});
  };
  for (const char* name : {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                           "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"})
    server.serve(name, std::string(100000, 'x'));
  HttpFaults faults;
  fetch("a file with wrong content", "train-images-idx3-ubyte.gz", faults);
  for (const int status : {404, 503, 999}) {
    faults = {};
    faults.status = status;
    fetch(fmt::format("status {}", status), "train-images-idx3-ubyte.gz", faults);
  }
  for (const std::string& target :
       {std::string("file:///etc/passwd"), std::string("\x1b[31m"),
        std::string("http://user:secret@127.0.0.1:1/x"), std::string(5000, 'x')}) {
    faults = {};
    faults.redirect_to = target;
    fetch("M17: a redirect to " + shown(target), "train-images-idx3-ubyte.gz", faults);
  }
  faults = {};
  faults.is_endless = true;
  fetch("M17: an endless answer", "larger than the expected", faults);
  faults.status = 404;
  fetch("M17: an endless error page", "the server answered 404", faults);
  faults = {};
  faults.is_endless = true;
  faults.redirect_to = server.url() + "/x";
  fetch("M17: an endless redirect to itself", "larger than the expected", faults);
  // M17: unit tests cover slow servers.
}

TEST_CASE("invalid download addresses are errors", "[data]") {
  std::vector<Attack> attacks;
  for (const std::string& url :
       {std::string("gopher://127.0.0.1"), std::string("http://127.0.0.1:1/\x1b[31m"),
        std::string("http://") + std::string(5000, 'x'), std::string("http://127.0.0.1:1\r\nX: y")}) {
    attacks.push_back(
        {"address " + shown(url), 3, "",
         fmt::format("GPUBENCH_BASE_URL={} gpubench data fetch fashion-mnist -q --data-dir data",
                     quoted(url)),
         "mkdir data", "data data/fashion-mnist data/fashion-mnist/.lock"});
  }
  attacks.push_back(
      {"H5: a password in a download address", 3, "***@",
       R"(GPUBENCH_BASE_URL=http://alice:secret@127.0.0.1:1 gpubench data fetch mnist -q --data-dir data 2> err; s=$?; cat err >&2; grep -c 'secret\|alice' err >/dev/null && s=99; exit $s)",
       "mkdir data", "err data data/mnist data/mnist/.lock"});
  attacks.push_back(
      {"H5: a password in the download address of a run", 0, "synthetic",
       R"(GPUBENCH_BASE_URL=http://alice:secret@127.0.0.1:1 GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --model mlp --max-samples 4 --device cpu --data-dir data -o run.json; s=$?; grep -l secret run* && s=99; exit $s)",
       "mkdir data", "run.json data data/fashion-mnist data/fashion-mnist/.lock"});
  attacks.push_back({"M16: existing files of the user", 3, "not replaced; move it away",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir data; cp -R $GPUBENCH_DATA_DIR/fashion-mnist data"});
  attacks.push_back({"a data folder that links to itself", 3, "loop",
                     "gpubench data fetch fashion-mnist -q --data-dir loop", "ln -s loop loop"});
  attacks.push_back({"a file instead of the data folder", 3, "file",
                     "gpubench data fetch fashion-mnist -q --data-dir file", "echo > file"});
  attacks.push_back({"Low: a lock that is a pipe", 3, ".lock is not a regular file",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir -p data/fashion-mnist; mkfifo data/fashion-mnist/.lock",
                     "data/fashion-mnist/.lock"});
  attacks.push_back({"Low: temporary files that link to another file", 3, "train-images",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir -p data/fashion-mnist; echo precious > victim; for n in train "
                     "train-images-idx3-ubyte.gz; do ln -s ../../victim data/fashion-mnist/$n.part; done",
                     "data/fashion-mnist/.lock"});
  attacks.push_back({"Low: temporary files that are pipes", 3, "train-images",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir -p data/fashion-mnist; mkfifo data/fashion-mnist/train-images-idx3-ubyte.gz.part",
                     "data/fashion-mnist/.lock"});
  withstand("network", attacks);
}

}  // namespace gpubench::test::data_test
