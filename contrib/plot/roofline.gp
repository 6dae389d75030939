# A roofline (Williams, Waterman and Patterson, CACM 2009): what a kernel does a second, over what it does for each byte
# that it must move. Given by plot.sh as for lines.gp, and bandwidth (bytes a second) and peak (operations a second). A
# file's first columns: operations for each byte, operations a second.
load here.'/style.gp'
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xlabel 'operations for each byte that must be moved'
set ylabel 'operations a second'
set xrange [0.1:(most > 1000 ? most : 1000) * 2]
set samples 500
roof(x) = x * bandwidth < peak ? x * bandwidth : peak
set output out.'.svg'
plot roof(x) with lines ls 10 title sprintf('%.2f TB/s, %.1f T/s', bandwidth / 1e12, peak / 1e12), \
     for [s = 1:count] files[s] using 1:2 with points title names[s] noenhanced \
         ls int(word(styles, s)) pt int(word(points, s)) ps 1.2
set output
