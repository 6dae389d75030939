/* What every page of the server has beside its words: it keeps [data-live] as the server has it, lets readers search, */
/* filter and sort the standings, and takes dropped files. */
(function () {
    "use strict";
    var waiting = false, served = {};

    function all(selector, within) { return Array.from((within || document).querySelectorAll(selector)); }

    /* ---- the standings: what a reader has chosen outlives the rows, which are replaced as verdicts come */
    var tools = document.querySelector(".tools"), order = { column: "place", up: true };
    var alphabet = new Intl.Collator(document.documentElement.lang, { numeric: true }); /* team 9 before team 10 */

    function standings() { return tools && document.querySelector("table.standings"); }

    function head(column) { return all("thead th", standings()).find(function (th) { return th.dataset.sort === column; }); }

    function cellText(row, column) {
        var th = head(column);

        return th ? row.cells[th.cellIndex].textContent.trim() : "";
    }

    /* Half and full width, small and capital letters are the same to who searches. */
    function plain(text) { return text.normalize("NFKC").toLowerCase().trim(); }

    function matches(row) {
        var wanted = plain(tools.querySelector("input").value);

        return all("select", tools).every(function (select) {
            return !select.value || cellText(row, select.dataset.column) === select.value;
        }) && plain(cellText(row, "team") + "\n" + cellText(row, "affiliation")).includes(wanted);
    }

    function filter() {
        var rows = Array.from(standings().tBodies[0].rows), status = tools.querySelector("[role=status]"), shown = 0;

        rows.forEach(function (row) {
            row.hidden = !matches(row);
            shown += row.hidden ? 0 : 1;
        });
        status.textContent = status.dataset.count.replace("%s", shown).replace("%s", rows.length);
    }

    /* What the teams say of themselves is what there is to choose. A choice that is gone is all. */
    function fill(select) {
        var names = standings().tBodies[0].rows, found = {};

        select.parentNode.hidden = !head(select.dataset.column);
        Array.from(names).forEach(function (row) { found["=" + cellText(row, select.dataset.column)] = true; });
        select.length = 1;
        Object.keys(found).map(function (key) { return key.slice(1); }).filter(Boolean)
            .sort(function (a, b) { return alphabet.compare(a, b); })
            .forEach(function (name) { select.add(new Option(name, name)); });
        select.value = select.dataset.wanted || "";
        if (select.selectedIndex < 0)
            select.selectedIndex = 0;
    }

    /* Of a row in the column of `th`: a text or a number, null for none. */
    function keyOf(row, th) {
        var cell = row.cells[th.cellIndex];

        if (th.dataset.kind === "text")
            return cell.textContent.trim() || null;
        return cell.dataset.key === undefined ? null : Number(cell.dataset.key);
    }

    /* Rows without a value are last either way; those that are alike stand as the server has them. */
    function sort() {
        var th, body = standings().tBodies[0], rows;

        if (!head(order.column)) /* as a fragment may say */
            order = { column: "place", up: true };
        th = head(order.column);
        rows = Array.from(body.rows).map(function (row) { return { row: row, key: keyOf(row, th) }; });

        rows.sort(function (a, b) {
            var by = (a.key === null) - (b.key === null);

            if (!by && a.key !== null) {
                by = th.dataset.kind === "text" ? alphabet.compare(a.key, b.key) : a.key - b.key;
                by = order.up ? by : -by;
            }
            return by || a.row.dataset.place - b.row.dataset.place;
        });
        body.append.apply(body, rows.map(function (item) { return item.row; }));
        all("th[data-sort]", standings()).forEach(mark);
    }

    function mark(th) {
        var here = th.dataset.sort === order.column;

        th.querySelector(".sign").textContent = here ? order.up ? "\u25b2" : "\u25bc" : "\u2195";
        if (here)
            th.setAttribute("aria-sort", order.up ? "ascending" : "descending");
        else
            th.removeAttribute("aria-sort");
    }

    function choose(th) {
        var first = th.dataset.kind !== "down";

        order = { column: th.dataset.sort, up: order.column === th.dataset.sort ? !order.up : first };
        sort();
        write();
    }

    /* A head has a button to sort by; one that leads to a problem has it beside the link. */
    function dressHead(th) {
        var button = document.createElement("button"), sign = document.createElement("span");
        var link = th.querySelector("a");

        button.type = "button";
        button.className = "sort";
        sign.className = "sign";
        sign.setAttribute("aria-hidden", "true");
        if (link)
            button.setAttribute("aria-label", tools.dataset.sortBy.replace("%s", link.firstChild.textContent));
        else
            button.append(th.textContent);
        button.append(sign);
        if (!link)
            th.textContent = "";
        th.append(button);
        th.classList.add("sorts");
        th.addEventListener("click", function (event) {
            if (!event.target.closest("a"))
                choose(th);
        });
    }

    /* What is chosen stands behind the # of the address, for who keeps it, sends it or goes back to it. */
    function read() {
        var wanted = new URLSearchParams(location.hash.slice(1));

        tools.querySelector("input").value = wanted.get("find") || "";
        order = { column: wanted.get("sort") || "place", up: wanted.get("way") !== "down" };
        all("select", tools).forEach(function (select) {
            select.dataset.wanted = wanted.get(select.dataset.column) || "";
        });
    }

    function write() {
        var chosen = new URLSearchParams(), find = tools.querySelector("input").value, text;

        if (find)
            chosen.set("find", find);
        all("select", tools).forEach(function (select) {
            if (select.dataset.wanted)
                chosen.set(select.dataset.column, select.dataset.wanted);
        });
        if (order.column !== "place" || !order.up)
            chosen.set("sort", order.column);
        if (!order.up)
            chosen.set("way", "down");
        text = chosen.toString();
        history.replaceState(null, "", location.pathname + location.search + (text && "#" + text));
        carry();
    }

    /* The same standings in the other language. */
    function carry() {
        all("a.language").forEach(function (link) {
            link.setAttribute("href", link.getAttribute("href").split("#")[0] + location.hash);
        });
    }

    function dress() {
        if (!tools)
            return;
        tools.hidden = !standings();
        if (tools.hidden)
            return;
        Array.from(standings().tBodies[0].rows).forEach(function (row, i) { row.dataset.place = i; });
        all("th[data-sort]", standings()).forEach(dressHead);
        all("select", tools).forEach(fill);
        sort();
        filter();
    }

    function changed(event) {
        if (event.target.dataset.column)
            event.target.dataset.wanted = event.target.value;
        filter();
        write();
    }

    if (tools) {
        tools.addEventListener("input", changed);
        tools.addEventListener("change", changed);
        read();
        carry();
        addEventListener("hashchange", function () {
            if (document.getElementById(location.hash.slice(1))) /* a link within the page */
                return;
            read();
            carry();
            if (!standings())
                return;
            all("select", tools).forEach(fill);
            sort();
            filter();
        });
    }

    /* ---- what is live: replaced where the server has it otherwise; focus and scrolling stay */
    function nameOf(element) {
        var th = element.closest("th[data-sort]");

        return [element.tagName, element.getAttribute("href") || element.className, th ? th.dataset.sort : ""].join(" ");
    }

    function place(here) {
        var focus = here.contains(document.activeElement) ? nameOf(document.activeElement) : null;
        var scrolls = all(".scroll", here).map(function (frame) { return [frame.scrollLeft, frame.scrollTop]; });
        var open = all("details", here).map(function (part) { return part.open; });

        return function () {
            var found = focus && all("a[href], button, summary, .scroll", here).find(function (element) {
                return nameOf(element) === focus;
            });

            all("details", here).forEach(function (part, i) { part.open = !!open[i]; });
            if (found)
                found.focus({ preventScroll: true });
            all(".scroll", here).forEach(function (frame, i) {
                if (scrolls[i])
                    frame.scrollTo(scrolls[i][0], scrolls[i][1]);
            });
        };
    }

    function replace(text) {
        var page = new DOMParser().parseFromString(text, "text/html");

        all("[data-live]").forEach(function (here) {
            var there = page.getElementById(here.id), restore;

            if (!there || there.innerHTML === served[here.id])
                return;
            served[here.id] = there.innerHTML;
            restore = place(here);
            here.replaceChildren.apply(here, Array.from(there.childNodes));
            if (here.id === "board")
                dress();
            restore();
        });
    }

    function load() {
        waiting = false;
        fetch(location.href, { credentials: "same-origin", cache: "no-store" }).then(function (reply) {
            return reply.ok ? reply.text().then(replace) : undefined;
        }).catch(function () { });
    }

    all("[data-live]").forEach(function (here) { served[here.id] = here.innerHTML; });
    dress();
    if (window.EventSource && document.querySelector("[data-live]"))
        new EventSource("/events").addEventListener("change", function () {
            /* Not all readers at one moment. */
            if (!waiting)
                setTimeout(load, Math.random() * 800);
            waiting = true;
        });

    all("[data-print]").forEach(function (button) {
        button.parentNode.hidden = false;
        button.addEventListener("click", function () { window.print(); });
    });

    /* ---- files that are dropped on a form */
    all(".drop").forEach(function (field) {
        var input = field.querySelector("input[type=file]");

        ["dragover", "dragleave", "drop"].forEach(function (name) {
            field.addEventListener(name, function (event) {
                event.preventDefault();
                field.classList.toggle("over", name === "dragover");
                if (name === "drop" && event.dataTransfer.files.length)
                    input.files = event.dataTransfer.files;
            });
        });
    });
}());
