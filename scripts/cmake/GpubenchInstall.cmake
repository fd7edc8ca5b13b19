# gpubench_install()
#
# Defines the installation: the program, its engine at a relative path, and their documentation.
# LibTorch is the component torch, which is installed by default with GPUBENCH_BUNDLE_TORCH only.

include_guard(GLOBAL)
include(GNUInstallDirs)

option(GPUBENCH_BUNDLE_TORCH "Install the required files of LibTorch with the program" OFF)

# Installs the files of LibTorch that the engine loads, in their relative positions, with their
# licences. Leaves out the libraries of the system.
function(_gpubench_install_torch destination)
  set(exclude EXCLUDE_FROM_ALL)
  if(GPUBENCH_BUNDLE_TORCH)
    set(exclude "")
  endif()
  install(CODE "
    set(torch \"${GPUBENCH_TORCH}\")
    set(flavor \"${GPUBENCH_TORCH_FLAVOR}\")
    set(bundle \"\${CMAKE_INSTALL_PREFIX}/${destination}\")
    include(\"${PROJECT_SOURCE_DIR}/scripts/cmake/InstallTorch.cmake\")"
    COMPONENT torch ${exclude})
endfunction()

function(_gpubench_install_documentation)
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY results/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/gpubench)
  install(DIRECTORY src/suites DESTINATION ${CMAKE_INSTALL_DATADIR}/gpubench FILES_MATCHING PATTERN *.json)
  set(completions ${PROJECT_SOURCE_DIR}/scripts/completions)
  install(FILES ${completions}/gpubench.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gpubench)
  install(FILES ${completions}/_gpubench DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completions}/gpubench.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endfunction()

function(gpubench_install)
  install(TARGETS gpubench RUNTIME)
  _gpubench_install_documentation()
  if(GPUBENCH_WITHOUT_TORCH)
    return()
  endif()
  install(TARGETS gpubench_engine LIBRARY DESTINATION lib/gpubench COMPONENT engine)
  _gpubench_install_torch(lib/gpubench)
endfunction()
