// WikiText-2 (Merity et al. 2016), word level.

#include "data/decode/wikitext.h"
#include "gpubench/dataset.h"

namespace gpubench::wikitext2_plugin {

DatasetEntry entry_wikitext2() {
  return wikitext_entry("wikitext2", "2.1 million words of Wikipedia, a vocabulary of 33,278",
                        /*is_whole=*/true);
}

}  // namespace gpubench::wikitext2_plugin
