# Compilers and flags. Probes are lazy: none runs unless a rule needs it.

CC := gcc
CXX := g++
# Looked for once: many variables depend on it.
ifeq ($(origin NVCC),undefined)
NVCC := $(or $(wildcard $(CUDA_HOME)/bin/nvcc),$(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc))
endif

HOST_CPPFLAGS := -D_GNU_SOURCE -I. -I$(BUILD) $(CPPFLAGS)
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith
HOST_CFLAGS := -std=c11 $(WARNINGS) $(CFLAGS) $(if $(DEV),-Werror)
SANITIZERS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
HOST_LIBS := -ljansson -lyaml -lsodium -lseccomp -ldl -lm

# The GPU's compute capability without its dot, or Hopper's where there is no GPU.
GPU := $(wildcard /dev/nvidiactl)
ifndef CUDA_ARCH
CUDA_ARCH := $(if $(GPU),$(shell cat $(BUILD)/cuda-arch 2>/dev/null || { mkdir -p $(BUILD) && \
	nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d . | tee $(BUILD)/cuda-arch; }))
ifeq ($(strip $(CUDA_ARCH)),)
CUDA_ARCH := 90
endif
endif
# The folder of the runtime library that belongs to nvcc.
CUDA_FOLDER := $(if $(NVCC),$(patsubst %/bin/nvcc,%/lib64,$(realpath $(NVCC))))
CUDA_INCLUDE := $(patsubst %/lib64,%/include,$(CUDA_FOLDER))

# What this machine lacks to build the simulator, in words; nothing if it can.
X86_64 := $(findstring x86_64,$(MAKE_HOST))
CUDASIM_LACKS := $(if $(X86_64),$(if $(wildcard $(CUDA_INCLUDE)/cuda_runtime_api.h),,the CUDA Toolkit, \
	whose cuda_runtime_api.h is not beside nvcc),an x86-64 processor; this machine is $(shell uname -m))

# One build serves every machine: native code for one GPU, and PTX, not compressed, for newer ones.
GENCODE := -gencode arch=compute_$(CUDA_ARCH),code=[sm_$(CUDA_ARCH),compute_$(CUDA_ARCH)]
NVCC_FLAGS ?= -std=c++17 -O3 -lineinfo -cudart shared --compress-mode=none -Xcompiler -fPIC,-Wall $(GENCODE)
# And with what one architecture alone has, as wgmma on sm_90a: the PTX stays plain, for the simulator and others.
GENCODE_OWN := -gencode arch=compute_$(CUDA_ARCH)a,code=sm_$(CUDA_ARCH)a \
	-gencode arch=compute_$(CUDA_ARCH),code=compute_$(CUDA_ARCH)
# CUB and Thrust name what they do to profilers by a library that they look for with dlsym(), which leagues refuse.
WITHOUT_NVTX := -DNVTX_DISABLE
SUBMISSION_CFLAGS := -std=gnu11 -O3 -march=native -fPIC -Wall -Wno-unknown-pragmas
SUBMISSION_CXXFLAGS := $(patsubst -std=%,-std=gnu++20,$(SUBMISSION_CFLAGS))

# For a make in a recipe: every processor, unless the caller said how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

ifeq ($(V),1)
say :=
Q :=
else
say = @$(if $(SILENT),,echo "  $(1)";)
SILENT := $(findstring s,$(filter-out --%,$(firstword $(MAKEFLAGS))))
Q := @
endif

# Not empty where the goals build something, rather than ask or remove.
BUILDS := $(filter-out help clean have-nvcc uses-opencl print-%,$(or $(MAKECMDGOALS),all))
# $(call stamp,FILE,TEXT): FILE holds TEXT, and is written only when that changes, by goals that build. Every call of
# make asks, so make itself looks, and no process does. No file is no text, but an empty text is a file.
stamp = $(if $(BUILDS),$(if $(or $(call differ,$(strip $(file <$(1))),$(strip $(2))),$(if $(wildcard $(1)),,yes)),\
	$(shell mkdir -p $(dir $(1)))$(file >$(1),$(strip $(2)))))
# Not empty where two texts differ: each would be found in the other.
differ = $(if $(and $(findstring x$(1)x,x$(2)x),$(findstring x$(2)x,x$(1)x)),,yes)

# A change of flags rebuilds what was built with the old ones; -Werror changes no output.
define flags_now
$(CC) $(CPPFLAGS) $(filter-out -Werror,$(HOST_CFLAGS)) $(SANITIZERS) $(HOST_LIBS) $(SUBMISSION_CFLAGS) \
	$(CXX) $(SUBMISSION_CXXFLAGS) \
	$(NVCC) $(NVCC_FLAGS) $(WITHOUT_NVTX)
endef
FLAGS_STAMP := $(BUILD)/flags
$(call stamp,$(FLAGS_STAMP),$(flags_now))
