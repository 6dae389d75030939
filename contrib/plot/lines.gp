# Series over a size, both axes logarithmic: time, throughput or speed-up.
#
# plot.sh sets these variables with -e: here (this folder), folder (of the data), out (the picture without its ending),
# heading, note, xname, yname, yformat, places (for xtics), least and most (of x), count (of series), and styles, dashes
# and points, one word per series. The folder holds the file names, one line per series, and 1.tsv, 2.tsv... Their
# columns are x, y, lowest, highest.
load here.'/style.gp'
set logscale xy
set format y yformat
eval "set xtics (".places.")"
set xrange [least:most]
set xlabel xname noenhanced
set ylabel yname noenhanced
set output out.'.svg'
plot for [s = 1:count] files[s] using 1:2:3:4 with yerrorbars notitle \
         lc rgb colour(int(word(styles, s))) lw 1 pt 0, \
     for [s = 1:count] files[s] using 1:2 with linespoints title names[s] noenhanced \
         ls int(word(styles, s)) dt int(word(dashes, s)) pt int(word(points, s))
set output
