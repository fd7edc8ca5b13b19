#include <dlfcn.h>

#include "device/host/host.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::host_blas_test {
namespace {

/// The library of tests/support/fake_openblas.cpp, loaded with RTLD_LOCAL like LibTorch.
class FakeOpenBlas {
 public:
  FakeOpenBlas() : handle_(dlopen(fake_openblas().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(handle_ != nullptr);
  }
  ~FakeOpenBlas() { dlclose(handle_); }

  void set_parallel(int kind) const { function<void(int)>("fake_openblas_set_parallel")(kind); }
  int threads() const { return function<int()>("fake_openblas_threads")(); }

 private:
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

  void* handle_;
};

}  // namespace

TEST_CASE("an OpenBLAS with its own threads is limited to one thread, with a note") {
  const FakeOpenBlas blas;
  CHECK(blas.threads() == 8);
  const std::string note = limit_openblas_threads();
  CHECK(blas.threads() == 1);
  CHECK_THAT(note, contains_text("libopenblas.so.0 has its own threads"));
  CHECK(limit_openblas_threads() == note);
}

TEST_CASE("an OpenBLAS on OpenMP or without threads is not changed") {
  const FakeOpenBlas blas;
  for (const int kind : {0, 2}) {
    blas.set_parallel(kind);
    CHECK(limit_openblas_threads().empty());
    CHECK(blas.threads() == 8);
  }
}

TEST_CASE("without OpenBLAS the note is empty") { CHECK(limit_openblas_threads().empty()); }

}  // namespace gpubench::test::host_blas_test
