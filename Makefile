# The toolkit's commands. `make help` lists them; the rules behind them are in contrib/mk/.
#
# Knobs, on the command line or in the environment:
#   PROBLEM=NAME        which problem (default: editdistance)
#   SUBMISSION=PATH     a .cu, .c or .cc file, or a folder of them, with .cl files for OpenCL (default: device_user.cu;
#                       without a GPU and nvcc the problem's baseline in C). CUDA runs on the GPU, or on the simulator
#                       where there is none
#   ARGS='...'          further options for main_host, see build/main_host --help
#   CASE=NAME           which input make predict takes (default: the first sample)
#   JSON=FILE           where `make judge` writes the result
#   BUILD=FOLDER        a folder in this one for all that is built (default: build)
#   DEVICE=cpu|gpu|all, SIZES="N..."   what make bench times (default: all); TABLES=1: the tables of the problem's
#                       source too
#   DATA=FOLDER         what make plot draws (default: docs/results)
#   TEST_JOBS=N         how many files of tests make test runs at a time (default: the processors, 4 at most)
#   LEVELS='2 3 4'      the levels of x86-64 that the simulator is built for (default: this machine's, and those that
#                       the build folder has already)
#   SANITIZE=address,undefined   the host with sanitizers (use another BUILD)
#   DEV=1               warnings are errors
#   V=1                 show every command

BUILD ?= build
PROBLEM_GIVEN := $(PROBLEM)
PROBLEM ?= editdistance
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DEFAULT_GOAL := all
SHELL := /bin/bash

# Exported for the scripts, which call make and the programs back.
export BUILD PROBLEM

# The scripts look for it in the toolkit's folder.
ifneq ($(filter-out 1,$(words $(BUILD)))$(filter /% %/ .. ../% %/..,$(BUILD))$(findstring /../,$(BUILD)),)
$(error BUILD: '$(BUILD)' must be a folder in this one: a relative path without blanks, '..' or '/' at its end)
endif

# make splits names into words.
ifneq ($(words $(CURDIR)),1)
$(error the toolkit's folder '$(CURDIR)' has a blank in its path: move it to a path without blanks)
endif

include $(sort $(wildcard contrib/mk/*.mk)) $(wildcard problems/*/problem.mk)

# A misspelled knob would be ignored, and the wrong problem would run.
ifeq ($(MAKELEVEL),0)
open := (
close := )
text := $(foreach makefile,$(MAKEFILE_LIST),$(file < $(makefile)))
is_read = $(or $(filter CUDASIM_%,$(1)),$(findstring $(open)$(1)$(close),$(text)),$(findstring $(open)$(1):,$(text)),\
	$(findstring $(space)$(1)=,$(text)))
given := $(foreach name,$(.VARIABLES),$(if $(findstring command,$(origin $(name))),$(name)))
$(foreach name,$(given),$(if $(call is_read,$(name)),,$(warning no makefile reads $(name): see the knobs at the top)))
endif

.PHONY: help all run judge submission test test-long test-gpu bench bench-gpu check-problem new-problem answers frozen
.PHONY: freeze lint clics plot pictures sanitize profile predict bench-cudasim cudasim fuzz packages clean attack soak
.PHONY: seal key grade demo serve scoreboard gradescope package import-package check-package mutate devices

##@ Participants

run: packages ## build and run your submission on the problem's samples
	@$(MAKE) $(JOBS) ready
	@$(run_notice)
	@$(BUILD)/main_host $(PROBLEM) --submission $(SUBMISSION_SO) --source $(SUBMISSION) $(ARGS)

judge: ## judge SUBMISSION=... on all cases of PROBLEM=..., result in JSON=...
	@run_scripts/judge.sh $(SUBMISSION) $(if $(PROBLEM_GIVEN),$(PROBLEM)) $(if $(JSON),--json "$(JSON)") $(ARGS)

submission: $(SUBMISSION_SO) ## build SUBMISSION=... for PROBLEM=... only
	@:

sanitize: packages ## find memory errors and races of SUBMISSION=..., on a sample or CASE=...: on a GPU or the simulator
	@run_scripts/lib/packages.sh report
	@run_scripts/sanitize.sh $(SUBMISSION) $(PROBLEM) $(if $(CASE),--case "$(CASE)") $(ARGS)

profile: packages ## show where SUBMISSION=... spends its time, on a sample or CASE=...: by ncu or the simulator
	@run_scripts/lib/packages.sh report
	@run_scripts/profile.sh $(SUBMISSION) $(PROBLEM) $(if $(CASE),--case "$(CASE)") $(ARGS)

predict: packages ## predict how long the kernels of SUBMISSION=... take on an H100: CASE=..., ARGS="--tune"
	@run_scripts/lib/packages.sh cudasim predict
	@run_scripts/predict.sh submission $(SUBMISSION) $(PROBLEM) $(if $(CASE),--case "$(CASE)") $(ARGS)

devices: ## list the devices that submissions can run on here, with properties: GPUs, CPU, simulator, OpenCL
	@run_scripts/devices.sh

cudasim: cudasim-packages ## build the CUDA runtime that runs kernels on the CPU: LEVELS='2 3 4' for every x86-64
	@$(MAKE) cudasim-library

##@ Setters of problems

new-problem: ## start a problem NAME=... from a skeleton that passes
	@run_scripts/new_problem.sh "$(NAME)"

answers: packages ## write the answers (.ans) of all cases of PROBLEM=..., by its reference
	@run_scripts/check_problem.sh --answers $(PROBLEM)

check-problem: packages ## check that PROBLEM=... is sound: generator, references, jury submissions
	@run_scripts/check_problem.sh $(PROBLEM)

mutate: packages ## mutate the jury submissions of PROBLEM=..., and show the mutants that no case catches
	@run_scripts/lib/packages.sh mutate report
	@run_scripts/mutate.sh $(PROBLEM) $(ARGS)

freeze: ## record the digests of the trusted files, after an intended change
	@run_scripts/lib/frozen.sh update

frozen: ## check that the trusted files match their recorded digests
	@run_scripts/lib/frozen.sh check

bench: test-packages ## time PROBLEM=... over all sizes, or SIZES="...", on DEVICE=cpu, gpu or all: a table and JSON
	@run_scripts/bench.sh $(PROBLEM) $(or $(DEVICE),all) $(SIZES)

plot: ## draw the results of make bench in DATA=... (docs/results) as SVG and PNG
	@run_scripts/lib/packages.sh plot
	@run_scripts/plot.sh $(DATA)

pictures: ## draw the pictures of the documents from docs/pictures/*.dot
	@run_scripts/lib/packages.sh diagrams
	@run_scripts/pictures.sh

package: packages ## write PROBLEM=... as a Kattis package to build/packages: ARGS="--limit 100000"
	@run_scripts/package.sh export $(PROBLEM) $(ARGS)

import-package: packages ## make the problem NAME=... from the Kattis package PACKAGE=...
	@run_scripts/package.sh import "$(PACKAGE)" "$(NAME)"

check-package: packages ## check the Kattis package PACKAGE=... by the format's rules: ARGS=--submissions
	@run_scripts/package.sh check "$(PACKAGE)" $(ARGS)

##@ Organisers of contests and courses

demo: ## grade the sample contest of three teams and show its standings and scoreboard; needs no GPU
	@run_scripts/demo.sh

seal: packages ## draw a contest's secret seed into SEAL=FOLDER (seal), and publish its hash
	@$(MAKE) -s $(BUILD)/seal
	@$(BUILD)/seal make "$(or $(SEAL),seal)" $(if $(NAME),--name "$(NAME)")

key: packages ## draw the key that signs result records into KEY=FOLDER (key)
	@$(MAKE) -s $(BUILD)/seal
	@$(BUILD)/seal key "$(or $(KEY),key)"

grade: ## grade the contest in the folder CONTEST=..., or continue a stopped grading
	@run_scripts/grade.sh "$(CONTEST)" $(ARGS)

serve: ## serve the contest CONTEST=... over HTTP, or the sample contest with a token: ARGS="--port 8080"
	@run_scripts/serve.sh $(if $(CONTEST),"$(CONTEST)") $(ARGS)

scoreboard: ## write the scoreboard of the contest in CONTEST=... as pages: ARGS="--final --out DIR"
	@run_scripts/scoreboard.sh "$(CONTEST)" $(ARGS)

clics: ## write the graded contest CONTEST=... as the files of a CLICS Contest API to OUT=...: ARGS="--public"
	@run_scripts/clics.sh "$(CONTEST)" --out "$(or $(OUT),$(BUILD)/clics-api)" $(ARGS)

gradescope: packages ## write the Gradescope autograder of PROBLEM=... to build/: ARGS="--points 10"
	@run_scripts/gradescope.sh $(PROBLEM) $(ARGS)

##@ Developers of the toolkit

all: $(PROGRAMS) default-submission ## build the host, the runners, getrndstr and the default submission

help: ## list the commands
	@sed -nE 's/^##@ (.*)/\n\1/p; s/^([a-z-]+):.*## (.*)/  \1\t\2/p' Makefile | expand -t 19 | tail -n +2

test: test-packages ## run every test that needs no GPU, except those of test-long
	@tests/scripts/test.sh

test-long: test-packages ## run the tests that take minutes each
	@tests/scripts/test.sh --long

test-gpu: all ## run the tests that need an NVIDIA GPU
	@tests/scripts/test.sh --gpu

attack: packages ## judge the attack corpus: no attack may be accepted or leave anything behind
	@tests/scripts/attack.sh

soak: packages ## judge 1,000 submissions, a third of them hostile, and look for leftovers: ARGS="--count 100"
	@tests/scripts/soak.sh $(ARGS)

fuzz: ## fuzz the readers of PTX, fatbins, requests and archives for FUZZ_SECONDS=... each (60)
	@run_scripts/lib/packages.sh build cudasim grade clics serve fuzz
	@$(MAKE) fuzz-ptx
	@$(MAKE) fuzz-fatbin
	@$(MAKE) fuzz-serve
	@$(MAKE) fuzz-unpack

lint: ## run shellcheck on scripts; find long lines, functions and files, and unclear English
	@shellcheck -x -P SCRIPTDIR -e SC2015 .ci/run contrib/autograders/gradescope/* contrib/cudasim/toolchain/nvcc \
		$(shell find run_scripts contrib problems tests -name '*.sh' ! -path '*/fixtures/*')
	@shellcheck -e SC2034,SC2154 tests/helpers/*.bash
	@tests/scripts/sizes.sh
	@tests/scripts/prose.sh

bench-gpu: all ## measure the baseline on this machine's GPU, run1 to run9
	@tests/bench/bench_gpu.sh

bench-cudasim: cudasim-packages ## measure the simulator: warp instructions per second, time of the baseline
	@tests/bench/bench_cudasim.sh $(REPEATS)

packages: ## install the packages that building needs, or list the missing ones
	@run_scripts/lib/packages.sh build $(if $(SIMULATED),cudasim) $(if $(call submission_opencl,$(SUBMISSION)),opencl)

.PHONY: test-packages cudasim-packages
test-packages:
	@run_scripts/lib/packages.sh build cudasim opencl grade formats clics serve batch clock web schema slurm predict plot \
		diagrams mutate test browser
cudasim-packages:
	@run_scripts/lib/packages.sh build cudasim

clean: ## remove everything that was built
	rm -rf $(BUILD) getrndstr ldistance
