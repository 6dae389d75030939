# Predicted over measured times, both axes logarithmic. predict.sh validate sets the variables of lines.gp, and points,
# one word per series: its style and mark, 0 for refused launches. A file's columns are measured, predicted, lowest,
# highest.
load here.'/style.gp'
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xlabel 'measured, microseconds a launch'
set ylabel 'predicted, microseconds a launch'
set samples 500
mark(s) = int(word(points, s))
set output out.'.svg'
plot x with lines ls 10 title 'as measured', \
     2 * x with lines ls 9 title 'twice, half', x / 2 with lines ls 9 notitle, \
     for [s = 1:count] files[s] using 1:2:3:4 with yerrorbars notitle lc rgb colour(mark(s) % 7 + 1) lw 1 pt 0, \
     for [s = 1:count] files[s] using 1:2 with points title names[s] noenhanced \
         lc rgb (mark(s) ? colour(mark(s) % 7 + 1) : '#707070') pt (mark(s) ? mark(s) + 4 : 2) ps 1.1
set output
