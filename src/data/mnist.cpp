// MNIST (LeCun, Cortes, Burges 1998), from torchvision's mirror: the original place is often down.

#include "data/decode/idx.h"
#include "gpubench/dataset.h"

namespace gpubench::mnist_plugin {

/// Checksums: published files from torchvision and MMClassification, unpacked ones from guildsman and secml.
DatasetEntry entry_mnist() {
  return idx_entry({"mnist",
                    "60,000 + 10,000 grey images of handwritten digits, 28x28, 10 classes",
                    "https://ossci-datasets.s3.amazonaws.com/mnist",
                    {"MNIST/raw", "MNIST", "mnist/raw", "mnist-dataset"},
                    {{
                        {{9'912'422}, "f68b3c2dcbeaaa9fbdd348bbdeb94873", "6bbc9ace898e44ae57da46a324031adb"},
                        {{28'881}, "d53e105ee54ea40749a09fcbcd1e9432", "a25bea736e30d166cdddb491f175f624"},
                        {{1'648'877}, "9fb629c4189551a2d022fa330f9573f3", "2646ac647ad5339dbf082846283269ea"},
                        {{4'542}, "ec29112dd5afa0611ce80d1b7f02629c", "27ae3e4e09519cfbb04c329615203637"},
                    }}});
}

}  // namespace gpubench::mnist_plugin
