# The style of all pictures; the other scripts load it. The colours are those of Okabe and Ito: colour-blind readers can
# distinguish them. Each series has its own mark, for print in grey.
set encoding utf8
colours = '#000000 #E69F00 #56B4E9 #0072B2 #D55E00 #009E73 #CC79A7'
colour(s) = word(colours, s)
# CPU simple, CPU blocked, GPU simple, GPU blocked, GPU expert, another library, others
do for [s = 1:7] { set style line s lc rgb colour(s) lw 2 ps 0.9 }
set style line 9 lc rgb '#d0d0d0' lw 1
set style line 10 lc rgb '#707070' lw 1.5
set grid xtics ytics ls 9
set border 3 lc rgb '#404040'
set tics nomirror textcolor rgb '#202020'
set key outside right top Left reverse samplen 2.5 spacing 1.25 textcolor rgb '#202020'
set title heading.(strlen(note) ? "\n".note : '') noenhanced textcolor rgb '#000000'
array names[count]
array files[count]
do for [s = 1:count] {
    names[s] = system(sprintf('sed -n %dp "%s/names"', s, folder))
    files[s] = sprintf('%s/%d.tsv', folder, s)
}
set terminal svg size 900,520 font 'DejaVu Sans,13' background rgb 'white'
