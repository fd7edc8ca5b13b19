# CPack settings of the Debian package, which contains the files that scripts/package.sh staged. The
# command line sets version, architecture, maintainer, folders and dependencies.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpubench)
set(CPACK_PACKAGE_FILE_NAME gpubench)
set(CPACK_PACKAGE_VENDOR "the gpubench developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measure neural-network training speed")
set(CPACK_PACKAGE_DESCRIPTION
  "gpubench trains real networks on a CPU or a GPU, times whole epochs after a
warm-up, measures energy, and compares, plots and reports its JSON results.

It needs LibTorch, which 'gpubench setup' fetches for each user.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES OFF)
