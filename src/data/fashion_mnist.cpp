// Fashion-MNIST (Xiao, Rasul, Vollgraf 2017).

#include "data/decode/idx.h"
#include "gpubench/dataset.h"

namespace gpubench::fashion_mnist_plugin {

DatasetEntry entry_fashion_mnist() {
  return idx_entry(
      {"fashion-mnist",
       "60,000 + 10,000 grey images of clothes, 28x28, 10 classes",
       "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
       {"FashionMNIST/raw", "FashionMNIST", "fashion-mnist/raw", "fashion_mnist", "fashionmnist"},
       {{
           {{26'421'880}, "8d4fb7e6c68d591d4c3dfef9ec88bf0d", "f4a8712d7a061bf5bd6d2ca38dc4d50a"},
           {{29'515}, "25c81989df183df01b3e8a0aad5dffbe", "9018921c3c673c538a1fc5bad174d6f9"},
           {{4'422'102}, "bef4ecab320f06d8554ea6380940ec79", "8181f5470baa50b63fa0f6fddb340f0a"},
           {{5'148}, "bb300cfdad3c16e7a12a480ee83cd310", "15d484375f8d13e6eb1aabb0c3f46965"},
       }}});
}

}  // namespace gpubench::fashion_mnist_plugin
