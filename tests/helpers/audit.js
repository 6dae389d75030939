/*
 * audit.js - what can be measured of a page's accessibility, in the page, by Chromium: chromium_script brings it there.
 *
 * audit() gives a line for each thing that is wrong, "rule: what"; none is good. The rules' numbers are WCAG 2.2's.
 */
var auditTools = {
    /* "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)" as four numbers, colours 0 to 255. */
    parse(text) {
        const numbers = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
        return [numbers[0], numbers[1], numbers[2], numbers.length > 3 ? numbers[3] : 1];
    },
    over(top, below) {
        return [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
    },
    /* What is painted behind an element: the backgrounds of it and all around it, on the page's canvas. */
    background(element) {
        const layers = [];
        for (let e = element; e; e = e.parentElement)
            layers.push(this.parse(getComputedStyle(e).backgroundColor));
        const dark = matchMedia("(prefers-color-scheme: dark)").matches;
        const canvas = dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
        return layers.reverse().reduce((below, layer) => this.over(layer, below), canvas);
    },
    luminance(colour) {
        const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = colour.slice(0, 3).map(c => linear(c / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    },
    contrast(one, other) {
        const [a, b] = [this.luminance(one), this.luminance(other)].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
    },
    /* Of a colour in front of an element's background; what is half transparent lets it through. */
    contrastOn(element, colour) {
        let alpha = 1;
        for (let e = element; e; e = e.parentElement)
            alpha *= Number(getComputedStyle(e).opacity);
        const below = this.background(element), front = this.parse(colour);
        front[3] *= alpha;
        return this.contrast(this.over(front, below), below);
    },
    shown(element) {
        return element.checkVisibility({ visibilityProperty: true }) && !element.closest(".hide, .skip:not(:focus)");
    },
    what(element) {
        const text = (element.textContent || "").trim().slice(0, 30);
        return element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") + " '" + text + "'";
    },
    text(element) {
        const copy = element.cloneNode(true);
        copy.querySelectorAll("[aria-hidden=true]").forEach(e => e.remove());
        return copy.textContent.trim();
    },
};

function audit() {
    const t = auditTools, found = [], all = s => [...document.querySelectorAll(s)];
    const wrong = (rule, element) => found.push(rule + ": " + (typeof element == "string" ? element : t.what(element)));
    const one = (rule, selector) => {
        if (all(selector).length != 1) wrong(rule, all(selector).length + " of " + selector);
    };

    /* 3.1.1, 2.4.2, 1.3.1: language, title, landmarks, headings */
    if (!/^(en|ja)$/.test(document.documentElement.lang)) wrong("lang", document.documentElement.lang);
    if (document.title.trim().length < 3) wrong("title", document.title);
    ["main", "body > header", "nav[aria-label]", "body > footer", "h1"].forEach(s => one("landmark", s));
    all("body > *").forEach(e => { if (!e.matches("header, main, footer, a.skip")) wrong("landmark", e); });
    let level = 1;
    all("main h1, main h2, main h3, main h4").forEach(e => {
        const next = Number(e.tagName[1]);
        if (next > level + 1) wrong("heading", e);
        level = next;
    });
    /* 2.4.1: the way past the navigation is the first thing that has focus */
    const focusable = all("a[href], button, input, select, textarea, summary, [tabindex]").filter(e => e.tabIndex >= 0);
    const way = focusable[0] && focusable[0].getAttribute("href") || "";
    const target = way.startsWith("#") && document.getElementById(way.slice(1));
    if (!target || !target.matches("main")) wrong("skip", focusable[0] || "nothing");
    all("[tabindex]").forEach(e => { if (e.tabIndex > 0) wrong("tabindex", e); });
    /* 4.1.1, 4.1.2: identifiers, names */
    const ids = all("[id]").map(e => e.id);
    ids.filter((id, i) => ids.indexOf(id) != i).forEach(id => wrong("id", id));
    all("[aria-labelledby]").forEach(e => {
        e.getAttribute("aria-labelledby").split(/\s+/).forEach(id => {
            const label = document.getElementById(id);
            if (!label || !t.text(label)) wrong("label", e);
        });
    });
    all("a[href], summary, button").forEach(e => {
        if (!t.text(e) && !e.getAttribute("aria-label")) wrong("name", e);
    });
    all("svg").forEach(e => {
        const named = e.getAttribute("aria-labelledby") || e.getAttribute("aria-label");
        if (e.getAttribute("role") != "img" || !named) wrong("svg", e);
    });
    all("img").forEach(e => { if (!e.hasAttribute("alt")) wrong("alt", e); });
    /* 1.3.1: tables */
    all("table").forEach(table => {
        if (!table.caption || !t.text(table.caption)) wrong("caption", table);
        table.querySelectorAll("th").forEach(e => { if (!/^(col|row)$/.test(e.scope)) wrong("scope", e); });
        if (!table.querySelector("thead th[scope=col]")) wrong("scope", table);
        table.querySelectorAll("tbody tr").forEach(e => { if (!e.querySelector("th[scope=row]")) wrong("scope", e); });
        const widths = new Set([...table.rows].map(row => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0)));
        if (widths.size != 1) wrong("columns", table);
    });
    /* 2.1.1: what scrolls can be scrolled by keys, and says what it is */
    all("body *").forEach(e => {
        const style = getComputedStyle(e);
        if (/auto|scroll/.test(style.overflowX) && !(e.tabIndex == 0 && e.getAttribute("role") == "region" &&
            e.hasAttribute("aria-labelledby"))) wrong("scrolls", e);
    });
    /* 1.4.10: nothing but those is wider than the screen */
    const width = document.scrollingElement.scrollWidth;
    if (width > innerWidth) wrong("overflow", width + " px");
    /* 1.4.3: text */
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = new Set();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const e = node.parentElement;
        if (!node.data.trim() || seen.has(e) || !t.shown(e)) continue;
        seen.add(e);
        const style = getComputedStyle(e), size = parseFloat(style.fontSize), svg = e.closest("svg");
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const contrast = t.contrastOn(svg || e, svg ? style.fill : style.color);
        if (contrast < (large ? 3 : 4.5)) found.push("contrast: " + contrast.toFixed(2) + " " + t.what(e));
        if (size < 11.5) wrong("size", e);
    }
    /* 1.4.11: marks in pictures */
    all("svg rect:not(.band), svg line.median, svg line.base, svg line.floor, svg circle.beside").forEach(e => {
        const style = getComputedStyle(e), colour = e.matches(".stack") ? style.fill : style.stroke;
        if (t.contrastOn(e.closest("svg"), colour) < 3) wrong("mark", e.getAttribute("class"));
    });
    /* 2.5.8: what is touched is large enough; links within a text or a column of numbers are as high as their line */
    all("nav a, a.language, td.c a, summary").forEach(e => {
        const box = e.getBoundingClientRect();
        if (box.height < 24 || box.width < 24) wrong("target", e);
    });
    /* Nothing that acts: the policy would refuse it, and it is not to be there in the first place. */
    all("script, iframe, object, embed, form, base, link, img, video, audio").forEach(e => wrong("active", e));
    all("*").forEach(e => {
        [...e.attributes].forEach(a => {
            if (/^on|^style$|^src$/i.test(a.name) || /^\s*(javascript|data|https?|\/\/):?/i.test(a.value))
                wrong("active", e);
        });
    });
    return [...new Set(found)];
}

/* What has the focus, and how that is to be seen: 2.4.7, 2.4.11, 2.4.13. */
function focused() {
    const t = auditTools, e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
    const ring = style.outlineStyle != "none" && parseFloat(style.outlineWidth) >= 2 &&
        t.contrastOn(e.parentElement || e, style.outlineColor) >= 3;
    const inside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    return { tag: e.tagName, text: t.text(e).slice(0, 40), href: e.getAttribute("href"), seen: ring && inside,
        index: [...document.querySelectorAll("*")].indexOf(e) };
}

/* Numbers for a picture: whether it has anything on it, and the colour of its corner. */
function picture(base64) {
    return new Promise((done, fail) => {
        const image = new Image();
        image.onerror = fail;
        image.onload = () => {
            const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const pixels = context.getImageData(0, 0, image.width, image.height).data, colours = new Set();
            for (let i = 0; i < pixels.length; i += 4 * 7)
                colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
            done({ width: image.width, height: image.height, colours: colours.size, corner: [...pixels.slice(0, 3)] });
        };
        image.src = "data:image/png;base64," + base64;
    });
}

/* For tests of contents: the rows of the table whose caption has that id, and the text of an element. */
function rows(caption) { return [...document.querySelector(caption).closest("table").tBodies[0].rows]; }
function text(selector) { return document.querySelector(selector).textContent; }
