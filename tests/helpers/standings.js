/*
 * standings.js - what a server's page of standings shows, for tests: chromium_script brings it there.
 */
function head(column) { return document.querySelector("th[data-sort=" + column + "]"); }
function shownRows() { return rows("#standings").filter(row => row.checkVisibility()); }
function cellOf(row, column) { return row.cells[head(column).cellIndex]; }
function column(name) { return shownRows().map(row => cellOf(row, name).textContent); }
function shown() { return column("team").join(); }
function status() { return document.querySelector("[role=status]").textContent; }

/* By which column the table says it is sorted, and how. */
function sorted() {
    const heads = [...document.querySelectorAll("[aria-sort]")];
    return heads.map(th => th.dataset.sort + " " + th.getAttribute("aria-sort")).join();
}

/* Whether the numbers of a column rise, 1, or fall, -1, and the rows without one come after them. */
function ordered(name, way) {
    const keys = shownRows().map(row => cellOf(row, name).dataset.key), first = keys.indexOf(undefined);
    const numbers = (first < 0 ? keys : keys.slice(0, first)).map(Number);
    return numbers.length > 20 && numbers.every((key, i) => i == 0 || (key - numbers[i - 1]) * way >= 0) &&
        (first < 0 || keys.slice(first).every(key => key === undefined));
}

/* As a reader's choice or typing does. */
function put(selector, value) {
    const field = document.querySelector(selector);
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
}

/* Controls without a name, or smaller than WCAG 2.2's 2.5.8 wants them. */
function small() {
    return [...document.querySelectorAll("button, input, select")].filter(e => {
        const box = e.getBoundingClientRect();
        const named = e.labels && e.labels.length || auditTools.text(e) || e.getAttribute("aria-label");
        return e.checkVisibility() && (box.width < 24 || box.height < 24 || !named);
    }).map(e => e.outerHTML);
}
