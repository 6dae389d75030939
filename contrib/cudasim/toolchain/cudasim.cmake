# A CMake toolchain file: CUDA programs built with it run on the simulator, whatever their project asks for.
#
#   cmake -D CMAKE_TOOLCHAIN_FILE=.../contrib/cudasim/toolchain/cudasim.cmake ...
#
# `run_scripts/sim.sh -- cmake ...` names it. CMake includes this file several times: as the toolchain, in its trial
# builds, and after it has loaded what it knows of CUDA's compiler, to override that.

set(CMAKE_CUDA_COMPILER ${CMAKE_CURRENT_LIST_DIR}/nvcc)
# The wrapper sets the architecture. Here is the same for what CMake itself compares.
if(DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS} CACHE STRING "PTX that the simulator runs" FORCE)
else()
  set(CMAKE_CUDA_ARCHITECTURES 90-virtual CACHE STRING "PTX that the simulator runs" FORCE)
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared CACHE STRING "the simulator replaces the shared runtime alone" FORCE)

# CMake links by the host's compiler, which the wrapper does not see: a target that wants the static runtime by its
# property CUDA_RUNTIME_LIBRARY gets the shared one here, ...
set(CMAKE_USER_MAKE_RULES_OVERRIDE_CUDA ${CMAKE_CURRENT_LIST_FILE})
if(DEFINED CMAKE_CUDA_RUNTIME_LIBRARY_LINK_OPTIONS_SHARED)
  set(CMAKE_CUDA_RUNTIME_LIBRARY_LINK_OPTIONS_STATIC ${CMAKE_CUDA_RUNTIME_LIBRARY_LINK_OPTIONS_SHARED})
endif()

# ... and one that links CUDA::cudart_static gets it by this answer to FindCUDAToolkit.
if(DEFINED ENV{SIM_LIBCUDART})
  set(CUDA_cudart_static_LIBRARY $ENV{SIM_LIBCUDART} CACHE FILEPATH "the shared runtime in its place" FORCE)
endif()
