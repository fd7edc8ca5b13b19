// WikiText-2 without its training file: a tenth of the text, a smaller vocabulary, the same network.

#include "data/decode/wikitext.h"
#include "gpubench/dataset.h"

namespace gpubench::wikitext2_valid_plugin {

DatasetEntry entry_wikitext2_valid() {
  return wikitext_entry("wikitext2-valid",
                        "the validation text of wikitext2 to train on, its test text to test",
                        /*is_whole=*/false);
}

}  // namespace gpubench::wikitext2_valid_plugin
