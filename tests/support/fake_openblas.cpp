// Fake of OpenBLAS's thread functions.

namespace {

int parallel_kind = 1;
int thread_count = 8;

}  // namespace

extern "C" {

int openblas_get_parallel() { return parallel_kind; }
void openblas_set_num_threads(int count) { thread_count = count; }

void fake_openblas_set_parallel(int kind) { parallel_kind = kind; }
int fake_openblas_threads() { return thread_count; }
}
