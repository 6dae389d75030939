# Builds one submission within the compilers' box, for grade_build.sh: the rules of contrib/mk/30-submission.mk alone.
# All of the toolkit's take make longer to read than a small submission takes to compile.
#
#   make -f contrib/grade/build.mk submission SUBMISSION=FILE-OR-FOLDER PROBLEM=NAME OUT=FOLDER FRESH=1 NVCC=... \
#       CUDA_ARCH=...
#
# writes OUT/device_user.so. Run outside of the box, `print-tools` and `uses-opencl` tell what is to be given to it.
BUILD ?= build
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
SHELL := /bin/sh
OUT := $(or $(OUT),$(BUILD)/grading)
override submission_folder = $(OUT)
override DEFAULT_SUBMISSION := $(or $(SUBMISSION),none)
# What tells whether something is to be built anew: here all is.
override stamp :=
override submission_stamp :=
include contrib/mk/10-tools.mk contrib/mk/30-submission.mk

submission: $(OUT)/device_user.so
$(FLAGS_STAMP): ;

# nvcc's path, or nothing; the GPU's compute capability; whether there is a GPU.
.PHONY: submission print-tools
print-tools:
	@echo '$(NVCC)'; echo '$(CUDA_ARCH)'
