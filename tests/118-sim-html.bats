#!/usr/bin/env bats
# sim.sh --html: the source beside what each line did, as a real Chromium shows it, on a phone too.

setup_file() {
    load helpers/common
    requires nvcc
    requires x86-64
    command -v chromium > /dev/null ||
        { echo "chromium is missing: run_scripts/lib/packages.sh browser" >&2; return 1; }
    make -s -j "$(nproc)" -C "$root" cudasim-library >&2
    cd "$BATS_FILE_TMPDIR"
    # Lines are found by their marks.
    {
        cat << 'END'
#include <cstdio>
/* <script>document.title = 'harm'</script> & "quotes" */
__global__ void wasteful(float *out, const float *in, int n)
{
    __shared__ float tile[32 * 33];
    int x = threadIdx.x;

    tile[x * 32 % 1024] = in[x * 33 % n]; /* SCATTERED */
    out[x] = tile[(x + 32) % 256 * 32 % 1024]; /* RACE */
    for (int i = 0; i < x % 8; i++) /* PARTED */
        out[x * 16 + i] += in[i * x % n];
}
END
        printf '/* bytes that are no text: \xff\x01 \xe2\x80\xae turned */\n'
        cat << 'END'
int main()
{
    float *in, *out;

    cudaMalloc(&in, 4096 * 4);
    cudaMalloc(&out, 8192 * 4);
    cudaMemset(in, 0, 4096 * 4);
    wasteful<<<64, 256>>>(out, in, 4096);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize();
}
END
    } > wasteful.cu
    "$root/run_scripts/sim.sh" --html page.html wasteful.cu 2> said
}

setup() {
    load helpers/common
    load helpers/chromium
    cd "$BATS_FILE_TMPDIR"
}

teardown() { chromium_stop; }

browser() { chromium_start "$BATS_TEST_TMPDIR/chromium" && chromium_script "$BATS_TEST_DIRNAME/helpers/audit.js"; }
js() { chromium_text "$1"; }

# row MARK: an expression for the row of the source line with that mark.
row() { echo "[...document.querySelectorAll('.code tbody tr')].find(r => r.textContent.includes('/* $1 */'))"; }
# shown MARK NAME: the text of a column of that line.
shown() { js "$(row "$1").querySelector('[data-label=$2]').textContent"; }

@test "html: each line has its counts, waste is marked, and faults are below their line" {
    browser
    chromium_open "file://$PWD/page.html"
    assert_equal "$(js document.title)" 'What the kernels did'
    assert_equal "$(js 'document.scripts.length + document.querySelectorAll("link, img, iframe").length + ""')" 0
    # The whole source is shown unchanged, except bytes that are not text.
    js '[...document.querySelector(".code").querySelectorAll(".s")].map(c => c.textContent).join("\n")' > source
    LC_ALL=C sed 's/\xff\x01 \xe2\x80\xae/\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd/' wasteful.cu |
        diff - source
    assert_equal "$(js 'document.querySelectorAll(".code tbody .s")[7].parentElement.querySelector("th").textContent')" 8
    # 64 blocks of 8 warps; neighbours read 33 words apart: a sector each.
    assert_equal "$(shown SCATTERED sectors)" '32.0 (4.0)'
    assert_equal "$(shown SCATTERED passes)" '32.0 (1.0)'
    assert_equal "$(js "$(row SCATTERED).querySelectorAll('.bad').length + ''")" 2
    run -0 js "$(row PARTED).querySelector('[data-label=divergent]').className"
    assert_output "n bad"
    assert_equal "$(shown SCATTERED lanes)" 32.0
    # The counts are those of the JSON.
    "$root/run_scripts/sim.sh" --json counts.json wasteful.cu 2> /dev/null
    line=$(grep -n SCATTERED wasteful.cu | cut -d : -f 1)
    assert_equal "$(shown SCATTERED executed | tr -d ,)" \
        "$(json ".kernels[0].lines[] | select(.line == $line).warp_instructions" counts.json)"
    # Faults, with links from the list of all.
    grep -q 'shared-race: wasteful' said
    run -0 js "$(row RACE).nextElementSibling.className + ': ' + $(row RACE).nextElementSibling.textContent"
    assert_output --regexp '^warning: 9warning: shared-race in wasteful, block \('
    run -0 js '[...document.querySelectorAll("li a")].map(a => document.querySelector(a.hash).textContent).join("\n")'
    assert_output --partial 'RACE'
    run -0 js '[...document.querySelectorAll("ol li")].map(l => l.textContent).join("\n")'
    assert_output --partial '[uncoalesced-loads, '
}

@test "html: readable at 390 pixels and on a wide screen, light and dark" {
    browser
    for width in 390 1400; do
        for scheme in light dark; do
            chromium_screen $width 800 $scheme
            chromium_open "file://$PWD/page.html"
            assert_equal "$width $scheme: $(js 'audit().join("; ")')" "$width $scheme: "
            # The source and its numbers are on the screen without scrolling to the side.
            assert_equal "$(js 'document.documentElement.scrollWidth <= innerWidth ? "fits" : "wider"')" fits
            assert_equal "$(js "[...$(row SCATTERED).cells].every(c => c.getBoundingClientRect().right <= innerWidth) + ''")" true

        done
    done
    # A table is still a table for a screen reader if its parts are laid out as blocks.
    assert_equal "$(js '[...document.querySelectorAll(".code, .code tr, .code td")].every(e => e.role) + ""')" true
}

@test "html: a missing source, a program without kernels, an output file that cannot be written" {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/wasteful.cu" gone.cu
    "$root/run_scripts/sim.sh" -o gone gone.cu
    rm gone.cu
    "$root/run_scripts/sim.sh" --html gone.html gone 2> /dev/null
    grep -q 'The source cannot be read' gone.html
    grep -q 'data-label="executed"' gone.html
    # Of a long file the page shows the lines that ran, and a few lines around them.
    { yes '/* filler */' | head -n 1000; cat "$BATS_FILE_TMPDIR/wasteful.cu"; } > long.cu
    "$root/run_scripts/sim.sh" --html long.html long.cu 2> /dev/null
    assert_equal "$(grep -c '/\* filler \*/' long.html)" 2
    grep -q 'class="gap"' long.html
    echo 'int main() { return cudaFree(0); }' > none.cu
    "$root/run_scripts/sim.sh" --html none.html none.cu
    grep -q 'No kernel was launched' none.html
    grep -q 'Nothing was found' none.html
    run -2 "$root/run_scripts/sim.sh" --html /nonexistent/page.html none.cu
    assert_output "sim.sh: --html: cannot write '/nonexistent/page.html'"
}
