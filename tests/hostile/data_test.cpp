// Data files, logs of power and servers that send what nobody asked for.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "sample.h"
#include "support/catch.h"
#include "support/fake_http_server.h"
#include "words.h"

using namespace gpubench::test;

namespace {

/// A folder of data of the row's own, which is the fixtures' but for what `damage` does to it.
Attack verified(const std::string& what, int code, const std::string& words, const std::string& damage,
                const std::string& set = "fashion-mnist") {
  return {what, code, words, "ulimit -v 4000000; gpubench data verify " + set + " --data-dir data",
          "mkdir data; cp -R $GPUBENCH_DATA_DIR/fashion-mnist $GPUBENCH_DATA_DIR/cifar-10-batches-bin data; "
          "cd data/fashion-mnist; " +
              damage};
}

/// Four big-endian bytes.
std::string big_endian(unsigned value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += fmt::format("\\{:03o}", (value >> shift) & 0xff);
  return bytes;
}

std::string images_head(unsigned magic, unsigned count, unsigned rows, unsigned columns) {
  return big_endian(magic) + big_endian(count) + big_endian(rows) + big_endian(columns);
}

Attack headed(const std::string& what, const std::string& head) {
  return verified(what, 3, "train-images-idx3-ubyte.gz",
                  fmt::format("printf '{}' | gzip > train-images-idx3-ubyte.gz", head));
}

}  // namespace

TEST_CASE("damaged files of IDX are refused in one line", "[data]") {
  withstand(
      "data files",
      {
          verified("an empty file", 3, "train-images-idx3-ubyte.gz", ": > train-images-idx3-ubyte.gz"),
          verified("no gzip", 3, "train-images-idx3-ubyte.gz", "echo text > train-images-idx3-ubyte.gz"),
          verified("half a gzip", 3, "train-images-idx3-ubyte.gz",
                   "head -c 2000 train-images-idx3-ubyte.gz > x; mv x train-images-idx3-ubyte.gz"),
          verified("words behind the gzip", 3, "train-images-idx3-ubyte.gz",
                   "echo more >> train-images-idx3-ubyte.gz"),
          verified("a gzip within a gzip", 3, "train-images-idx3-ubyte.gz",
                   "gzip < train-images-idx3-ubyte.gz > x; mv x train-images-idx3-ubyte.gz"),
          verified("a bomb of 1 GB", 3, "train-images-idx3-ubyte.gz",
                   "head -c 1000000000 /dev/zero | gzip -1 > train-images-idx3-ubyte.gz"),
          verified("a sparse terabyte", 3, "train-images-idx3-ubyte.gz", "sparse train-images-idx3-ubyte.gz"),
          verified("a folder", 3, "train-images-idx3-ubyte.gz",
                   "rm train-images-idx3-ubyte.gz; mkdir train-images-idx3-ubyte.gz"),
          verified("a pipe", 3, "train-images-idx3-ubyte.gz",
                   "rm train-images-idx3-ubyte.gz; mkfifo train-images-idx3-ubyte.gz"),
          verified(
              "a link in a circle", 3, "train-images-idx3-ubyte.gz",
              "rm train-images-idx3-ubyte.gz; ln -s train-images-idx3-ubyte.gz train-images-idx3-ubyte.gz"),
          verified("a link to nothing", 3, "train-images-idx3-ubyte.gz",
                   "ln -sf nothing train-images-idx3-ubyte.gz"),
          verified("a link to the machine's zeros", 3, "train-images-idx3-ubyte.gz",
                   "ln -sf /dev/zero train-images-idx3-ubyte.gz"),
          verified("labels in the place of images", 3, "train-images-idx3-ubyte.gz",
                   "cp train-labels-idx1-ubyte.gz train-images-idx3-ubyte.gz"),
          verified("images in the place of labels", 3, "train-labels-idx1-ubyte.gz",
                   "cp train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz"),
          verified("labels beyond the classes", 3, "train-labels-idx1-ubyte.gz",
                   "{ printf '\\000\\000\\010\\001\\000\\000\\000\\100'; head -c 64 /dev/zero | tr '\\000' "
                   "'\\377'; } | gzip > train-labels-idx1-ubyte.gz"),
          verified("fewer labels than images", 3, "train-labels-idx1-ubyte.gz",
                   "{ printf '\\000\\000\\010\\001\\000\\000\\000\\012'; head -c 10 /dev/zero; } | gzip > "
                   "train-labels-idx1-ubyte.gz"),
          verified("a file that is gone", 3, "train-labels-idx1-ubyte.gz", "rm train-labels-idx1-ubyte.gz"),
          headed("a magic number of nothing", images_head(0, 64, 28, 28)),
          headed("2^32 - 1 images", images_head(0x803, 0xffffffff, 28, 28)),
          headed("images of 2^32 - 1 rows", images_head(0x803, 64, 0xffffffff, 28)),
          headed("images whose size wraps around", images_head(0x803, 0x10000, 0x10000, 0x10000)),
          headed("no image", images_head(0x803, 0, 28, 28)),
          headed("images of no size", images_head(0x803, 64, 0, 0)),
          headed("a head alone", images_head(0x803, 64, 28, 28)),
          headed("half a head", big_endian(0x803)),
          headed("images of another shape", images_head(0x803, 64, 29, 28)),
          verified("a folder of data that is a file", 3, "fashion-mnist",
                   "cd ..; rm -r fashion-mnist; echo > fashion-mnist"),
          verified("a folder of data that is a link in a circle", 3, "fashion-mnist",
                   "cd ..; rm -r fashion-mnist; ln -s fashion-mnist fashion-mnist"),
          verified("an empty batch of CIFAR", 3, "data_batch_1.bin",
                   "cd ../cifar-10-batches-bin; : > data_batch_1.bin", "cifar10"),
          verified("half a sample of CIFAR", 3, "data_batch_1.bin",
                   "cd ../cifar-10-batches-bin; head -c 1000 data_batch_1.bin > x; mv x data_batch_1.bin",
                   "cifar10"),
          verified("a label of CIFAR beyond ten", 3, "data_batch_1.bin",
                   "cd ../cifar-10-batches-bin; { printf '\\013'; tail -c +2 data_batch_1.bin; } > x; mv x "
                   "data_batch_1.bin",
                   "cifar10"),
          verified("a pipe as CIFAR", 3, "data_batch_1.bin",
                   "cd ../cifar-10-batches-bin; rm data_batch_1.bin; mkfifo data_batch_1.bin", "cifar10"),
          verified("a sparse terabyte of CIFAR", 3, "data_batch_1.bin",
                   "cd ../cifar-10-batches-bin; sparse data_batch_1.bin", "cifar10"),
          verified("CIFAR as text", 3, "data_batch_1.bin",
                   "cd ../cifar-10-batches-bin; yes text | head -c 3073 > data_batch_1.bin", "cifar10"),
      });
}

TEST_CASE("a folder of images that was made by somebody else", "[data]") {
  const std::string head = "mkdir -p data/images/train/a data/images/test/a; ";
  const auto row = [&](const std::string& what, const std::string& words, const std::string& damage) {
    return Attack{what, 3, words, "ulimit -v 4000000; gpubench data verify images --data-dir data",
                  head + damage};
  };
  withstand(
      "data files",
      {
          row("no image at all", "images", ":"),
          row("a text as an image", "images",
              "echo text > data/images/train/a/x.png; cp data/images/train/a/x.png data/images/test/a/x.jpg"),
          row("an empty image", "images", ": > data/images/train/a/x.png"),
          row("a pipe as an image", "images", "mkfifo data/images/train/a/x.png"),
          row("a sparse terabyte as an image", "images", "sparse data/images/train/a/x.jpg"),
          row("a link in a circle as an image", "images", "ln -s x.png data/images/train/a/x.png"),
          row("a folder that has itself", "images", "ln -s .. data/images/train/a/up"),
          row("a picture that claims 2^31 columns", "images",
              R"(printf '\211PNG\r\n\032\n\000\000\000\015IHDR\177\377\377\377\177\377\377\377\010\002\000\000\000\000\000\000\000' > data/images/train/a/x.png)"),
          row("a picture cut within its head", "images",
              R"(printf '\377\330\377\340\000\020JFIF' > data/images/train/a/x.jpg)"),
          row("a class of escapes", "images",
              R"~(mkdir "data/images/train/$(printf '\033[31m')"; echo text > "data/images/train/$(printf '\033[31m')/x.png")~"),
          row("M10: a forged cache without images", "images",
              "head -c 100 /dev/zero > data/images/images-64x64.cache"),
          row("M10: a forged cache of text", "images",
              "echo text > data/images/train/a/x.png; yes | head -c 10000 > data/images/images-64x64.cache"),
          row("M10: a cache that is a pipe", "images", "mkfifo data/images/images-64x64.cache"),
          row("M10: a cache of a sparse terabyte", "images", "sparse data/images/images-64x64.cache"),
      });
}

TEST_CASE("logs of power that no meter wrote are refused in one line", "[data]") {
  const std::string run = fixture("eventful.json");
  const auto row = [&](const std::string& what, const std::string& text) {
    return Attack{what,
                  3,
                  "log",
                  "ulimit -v 4000000; gpubench energy import run.json log",
                  "",
                  "",
                  {{"run.json", run}, {"log", text}}};
  };
  const std::string head = "timestamp, index, name, power.draw [W]\n";
  withstand(
      "logs of power",
      {
          row("an empty log", ""),
          row("a NUL", std::string(1, '\0')),
          row("a million NULs", std::string(1000000, '\0')),
          row("a text", "milk\nbutter\n"),
          row("escapes", "\x1b[2J\x1b]0;t\x07\n"),
          row("bytes that are no UTF-8", "\xff\xfe\xff\xfe"),
          row("a line of 10 MB", std::string(10000000, 'x')),
          row("a million lines", times(1000000, "x\n")),
          row("commas alone", times(100000, ",,,\n")),
          row("a head alone", head),
          row("a head a thousand times", times(1000, head)),
          row("values that are no numbers", head + "2024/02/03 04:05:06.000, 0, GPU, frob\n"),
          row("an infinite power", head + "2024/02/03 04:05:06.000, 0, GPU, inf\n"),
          row("no number as power", head + "2024/02/03 04:05:06.000, 0, GPU, nan W\n"),
          row("a power of 1e400", head + "2024/02/03 04:05:06.000, 0, GPU, 1e400 W\n"),
          row("a stamp of the year 99999", head + "99999/99/99 99:99:99.999, 0, GPU, 1 W\n"),
          row("a stamp of minus signs", head + "-1/-1/-1 -1:-1:-1, 0, GPU, 1 W\n"),
          row("a name of escapes", head + "2024/02/03 04:05:06.000, 0, \x1b[31m\xe2\x80\xae, 1 W\n"),
          row("stamps that go back",
              head + "2024/02/03 04:05:06.000, 0, GPU, 1 W\n2024/02/03 04:05:05.000, 0, GPU, 1 W\n"),
          row("JSON", "{\"power\": 7}"),
          row("a result", run),
          row("a page", "<html></html>"),
          row("a picture", "\x89PNG\r\n\x1a\n"),
          row("lists a million deep", times(1000000, "[")),
          row("powermetrics and nothing more",
              "*** Sampled system activity (Sat Feb  3 04:05:06 2024 +0000) (1000.00ms elapsed) ***\n"),
          row("powermetrics of no numbers",
              "*** Sampled system activity (Sat Feb  3 04:05:06 2024 +0000) (nan ms elapsed) ***\nCPU Power: "
              "frob mW\n"),
          row("a property list",
              "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a \"aaaa\"><!ENTITY b "
              "\"&a;&a;&a;\">]><plist>&b;</plist>"),
          {"a pipe as a log",
           3,
           "pipe",
           "gpubench energy import run.json pipe",
           "mkfifo pipe",
           "",
           {{"run.json", run}}},
          {"a folder as a log",
           3,
           "folder",
           "gpubench energy import run.json folder",
           "mkdir folder",
           "",
           {{"run.json", run}}},
          {"a link in a circle as a log",
           3,
           "loop",
           "gpubench energy import run.json loop",
           "ln -s loop loop",
           "",
           {{"run.json", run}}},
          {"a sparse terabyte as a log",
           3,
           "big",
           "ulimit -v 4000000; gpubench energy import run.json big",
           "sparse big",
           "",
           {{"run.json", run}}},
          {"a name of 300 letters as a log",
           3,
           "xxx",
           "gpubench energy import run.json $(many 300 x)",
           "",
           "",
           {{"run.json", run}}},
          {"a log for a meter that is not there", 3, "nothing", "train -o run.json --meter replay:nothing"},
          {"a pipe as a meter", 3, "pipe", "train -o run.json --meter replay:pipe", "mkfifo pipe"},
          {"a text as a meter", 3, "text", "train -o run.json --meter replay:text", "echo milk > text"},
          {"a sparse terabyte as a meter", 3, "big",
           "ulimit -v 6000000; train -o run.json --meter replay:big", "sparse big"},
          {"no name of a meter's log", 2, "replay", "train -o run.json --meter replay:"},
      });
}

TEST_CASE("servers that send what nobody asked for", "[data]") {
  FakeHttpServer server;
  const auto fetch = [&](const std::string& what, const std::string& words, const HttpFaults& faults) {
    server.misbehave(faults);
    withstand("network", {{what, 3, words,
                           "gpubench data fetch fashion-mnist -q --data-dir data --base-url " + server.url(),
                           "mkdir data",
                           "data data/fashion-mnist data/fashion-mnist/.lock "
                           "data/fashion-mnist/train-images-idx3-ubyte.gz.part"}});
  };
  for (const char* name : {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                           "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"})
    server.serve(name, std::string(100000, 'x'));
  HttpFaults faults;
  fetch("a file of other bytes", "train-images-idx3-ubyte.gz", faults);
  for (const int status : {100, 204, 301, 304, 400, 401, 403, 404, 416, 429, 500, 503, 599, 999}) {
    faults = {};
    faults.status = status;
    fetch(fmt::format("status {}", status), "train-images-idx3-ubyte.gz", faults);
  }
  for (const std::string& target :
       {server.url() + "/x", std::string("file:///etc/passwd"), std::string("gopher://127.0.0.1/x"),
        std::string("ftp://127.0.0.1/x"), std::string("dict://127.0.0.1:1/x"),
        std::string("http://127.0.0.1:1/x"), std::string("\x1b[31m"),
        std::string("http://user:secret@127.0.0.1:1/x"), std::string(5000, 'x')}) {
    faults = {};
    faults.redirect_to = target;
    fetch("M17: a redirect to " + shown(target), "train-images-idx3-ubyte.gz", faults);
  }
  faults = {};
  faults.drop_after = 100;
  fetch("a connection that breaks", "train-images-idx3-ubyte.gz", faults);
  faults = {};
  faults.extra_bytes = 60000000;
  fetch("M17: far more bytes than the file has", "train-images-idx3-ubyte.gz", faults);
  faults.ignores_range = true;
  fetch("M17: far more bytes, and no ranges", "train-images-idx3-ubyte.gz", faults);
  faults = {};
  faults.is_endless = true;
  fetch("M17: an answer without end", "it is larger than", faults);
  faults.status = 404;
  fetch("M17: a refusal without end", "the server answered 404", faults);
  faults = {};
  faults.is_endless = true;
  faults.redirect_to = server.url() + "/x";
  fetch("M17: a redirect to itself whose words have no end", "it is larger than", faults);
  // M17: one that sends 2 kB a second is given up after four times the patience, which unit tests look at.
}

TEST_CASE("addresses of downloads that are none", "[data]") {
  std::vector<Attack> attacks;
  for (const std::string& url :
       {std::string(""), std::string("x"), std::string("http://"), std::string("file:///etc"),
        std::string("gopher://127.0.0.1"), std::string("http://127.0.0.1:99999"), std::string("http://[::1"),
        std::string("http://127.0.0.1:1/\x1b[31m"), std::string("http://\xff"),
        std::string("http://") + std::string(5000, 'x'), std::string("http://127.0.0.1:1\r\nX: y")}) {
    attacks.push_back(
        {"an address " + shown(url), url.empty() ? 2 : 3, "",
         fmt::format("gpubench data fetch fashion-mnist -q --data-dir data --base-url {}", quoted(url)),
         "mkdir data", "data data/fashion-mnist data/fashion-mnist/.lock"});
  }
  attacks.push_back(
      {"H5: a password in the address of a download", 3, "***@",
       R"(gpubench data fetch mnist -q --data-dir data --base-url http://alice:secret@127.0.0.1:1 2> err; s=$?; cat err >&2; grep -c 'secret\|alice' err >/dev/null && s=99; exit $s)",
       "mkdir data", "err data data/mnist data/mnist/.lock"});
  attacks.push_back(
      {"H5: a password in a run's address", 0, "synthetic",
       R"(GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --model mlp --limit 4 --device cpu --data-dir data --base-url http://alice:secret@127.0.0.1:1 -o run.json --share; s=$?; grep -l secret run* && s=99; exit $s)",
       "mkdir data", "run.json run.journal.jsonl data data/fashion-mnist data/fashion-mnist/.lock"});
  attacks.push_back({"M16: files of one's own are not replaced", 3, "is left as it is; move it away",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir data; cp -R $GPUBENCH_DATA_DIR/fashion-mnist data"});
  attacks.push_back({"a folder of data in a circle", 3, "loop",
                     "gpubench data fetch fashion-mnist -q --data-dir loop", "ln -s loop loop"});
  attacks.push_back({"a folder of data that is a file", 3, "file",
                     "gpubench data fetch fashion-mnist -q --data-dir file", "echo > file"});
  attacks.push_back({"Low: a lock that is a pipe", 3, ".lock is no regular file",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir -p data/fashion-mnist; mkfifo data/fashion-mnist/.lock",
                     "data/fashion-mnist/.lock"});
  attacks.push_back({"Low: drafts that are links to another file", 3, "train-images",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir -p data/fashion-mnist; echo precious > victim; for n in train "
                     "train-images-idx3-ubyte.gz; do ln -s ../../victim data/fashion-mnist/$n.part; done",
                     "data/fashion-mnist/.lock"});
  attacks.push_back({"Low: drafts that are pipes", 3, "train-images",
                     "gpubench data fetch fashion-mnist -q --data-dir data",
                     "mkdir -p data/fashion-mnist; mkfifo data/fashion-mnist/train-images-idx3-ubyte.gz.part",
                     "data/fashion-mnist/.lock"});
  withstand("network", attacks);
}
