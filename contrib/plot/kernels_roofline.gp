# The instruction roofline of a submission's kernels, as predict.sh submission --roofline draws it: warp instructions a
# second over instructions a byte that L2 and memory move. Set: here, folder, out, heading, note, count, issue
# (instructions a second), l2 and memory (bytes a second). FOLDER/names has a name a line, FOLDER/N.tsv a point: the
# intensity, the rate.
load here.'/style.gp'
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xlabel 'warp instructions for each byte beyond L1'
set ylabel 'warp instructions a second'
set samples 500
set xrange [low / 10.0:high * 10.0]
set yrange [bottom / 5.0:issue * 4]
roof(x, bandwidth) = x * bandwidth < issue ? x * bandwidth : issue
set output out
plot roof(x, l2) with lines ls 10 title 'issue, L2', roof(x, memory) with lines ls 9 lw 2 title 'memory', \
     for [s = 1:count] files[s] using 1:2 with points title names[s] noenhanced \
         lc rgb colour((s - 1) % 7 + 1) pt s % 15 + 4 ps 1.1
set output
