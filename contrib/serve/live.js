/* What every page of the server has beside its words: it keeps [data-live] as the server has it, and takes dropped files. */
(function () {
    "use strict";
    var waiting = false;

    function replace(text) {
        var page = new DOMParser().parseFromString(text, "text/html");

        document.querySelectorAll("[data-live]").forEach(function (here) {
            var there = page.getElementById(here.id);

            if (there && there.innerHTML !== here.innerHTML)
                here.replaceChildren.apply(here, Array.from(there.childNodes));
        });
    }

    function load() {
        waiting = false;
        fetch(location.href, { credentials: "same-origin", cache: "no-store" }).then(function (reply) {
            return reply.ok ? reply.text().then(replace) : undefined;
        }).catch(function () { });
    }

    if (window.EventSource && document.querySelector("[data-live]"))
        new EventSource("/events").addEventListener("change", function () {
            /* Not all readers at one moment. */
            if (!waiting)
                setTimeout(load, Math.random() * 800);
            waiting = true;
        });

    document.querySelectorAll(".drop").forEach(function (field) {
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
