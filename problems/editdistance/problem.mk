# What the bench of editdistance is linked with: edlib is C++.
BENCH_LIBS_editdistance := -ledlib -lstdc++
