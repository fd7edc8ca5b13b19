// A library needs a source; the precompiled header of this one serves all targets that use LibTorch.
