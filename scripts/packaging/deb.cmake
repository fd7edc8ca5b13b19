# CPack's settings of the Debian package: what scripts/package.sh staged, as it is. Version, architecture, maintainer, folders
# and needed packages are given on the command line.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpubench)
set(CPACK_PACKAGE_FILE_NAME gpubench)
set(CPACK_PACKAGE_VENDOR "the gpubench developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measure how fast a machine trains neural networks")
set(CPACK_PACKAGE_DESCRIPTION
  "gpubench trains real networks on a CPU or a GPU, times whole epochs after a
warm-up, measures energy, and writes JSON that it compares, plots and reports.

It runs on LibTorch, which 'gpubench setup' fetches for a user.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES OFF)
