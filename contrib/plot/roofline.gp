# A roofline (Williams, Waterman and Patterson, CACM 2009): a kernel's operations per second, over its operations per
# byte that it must move. One panel per problem. plot.sh sets the variables of lines.gp, and bandwidth (bytes per
# second), peak (operations per second), panels (one word per problem), for each panel the least and largest x (lows,
# highs) and the least y (bottoms), and members: the numbers of the series in each panel, separated by '|'. A file's
# first columns: operations per byte, operations per second. A series is named "PROBLEM: NAME"; its panel shows the
# problem.
load here.'/style.gp'
columns = 3
rows = (words(panels) + columns - 1) / columns
set terminal svg size 420 * columns, 80 + 370 * rows font 'DejaVu Sans,13' background rgb 'white'
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xlabel 'operations for each byte'
set ylabel 'operations a second'
set lmargin 9
set rmargin 2
set tmargin 2.5
set bmargin 8.5
set key bmargin left horizontal maxcols 2 Left reverse samplen 1.2 spacing 1.1 width -2 font ",11"
set samples 500
roof(x) = x * bandwidth < peak ? x * bandwidth : peak
# The mark of series s among those of its panel.
place(own, s) = words(substr(' '.own.' ', 1, strstrt(' '.own.' ', ' '.s.' '))) + 1
mark(own, s) = int(word('6 4 8 10 12 2', (place(own, s) - 1) % 6 + 1))
series = members.'|'
set output out.'.svg'
set multiplot layout rows, columns \
    title sprintf("%s\n%s: memory %.2f TB/s, FP32 %.1f Top/s\n ", heading, note, bandwidth / 1e12, peak / 1e12) \
    noenhanced
do for [panel = 1:words(panels)] {
    own = series[1:strstrt(series, '|') - 1]
    series = series[strstrt(series, '|') + 1:*]
    set title word(panels, panel) noenhanced
    set xrange [word(lows, panel) / 6.0:word(highs, panel) * 6.0]
    set yrange [word(bottoms, panel) / 3.0:peak * 5]
    plot roof(x) with lines ls 10 notitle, \
         for [s in own] files[int(s)] using 1:2 with points \
             title substr(names[int(s)], strstrt(names[int(s)], ': ') + 2, 99) noenhanced \
             ls int(word(styles, int(s))) pt mark(own, s) ps 1.1
}
unset multiplot
set output
