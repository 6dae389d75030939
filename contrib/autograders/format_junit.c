/*
 * format_junit.c - JUnit XML as Jenkins, GitLab and GitHub's actions read it: one testsuite per judging, one testcase
 * per case.
 *
 * There is no standard but what its readers take; junit.xsd beside this file describes what is written here. A failed
 * case is a <failure>, one that the toolkit could not judge an <error>.
 */
#include "contrib/autograders/format.h"

#include <libxml/xmlwriter.h>
#include <string.h>

static bool attribute(xmlTextWriterPtr xml, const char *name, const char *value)
{
    return xmlTextWriterWriteAttribute(xml, BAD_CAST name, BAD_CAST value) >= 0;
}

static bool attribute_count(xmlTextWriterPtr xml, const char *name, size_t value)
{
    return xmlTextWriterWriteFormatAttribute(xml, BAD_CAST name, "%zu", value) >= 0;
}

/* Milliseconds, as the Maven plugin writes them that the format comes from: Jenkins takes no more digits. */
static bool attribute_seconds(xmlTextWriterPtr xml, double seconds)
{
    return xmlTextWriterWriteFormatAttribute(xml, BAD_CAST "time", "%.3f", seconds) >= 0;
}

static bool begin(xmlTextWriterPtr xml, const char *name) { return xmlTextWriterStartElement(xml, BAD_CAST name) >= 0; }
static bool end(xmlTextWriterPtr xml) { return xmlTextWriterEndElement(xml) >= 0; }

static bool property(xmlTextWriterPtr xml, const char *name, const char *value)
{
    return value[0] == '\0' ||
           (begin(xml, "property") && attribute(xml, "name", name) && attribute(xml, "value", value) && end(xml));
}

static bool is_error(enum verdict verdict) { return verdict == VERDICT_JE || verdict == VERDICT_NO; }

/* One testcase; the judging itself is one, named "judging", where no case was run. */
static bool testcase(xmlTextWriterPtr xml, const char *suite, const struct graded_case *c)
{
    const char *words = verdict_words(c->verdict);

    if (!begin(xml, "testcase") || !attribute(xml, "classname", suite) || !attribute(xml, "name", c->name) ||
        !attribute_seconds(xml, c->seconds))
        return false;
    if (c->verdict != VERDICT_AC &&
        !(begin(xml, is_error(c->verdict) ? "error" : "failure") && attribute(xml, "type", verdict_id(c->verdict)) &&
          attribute(xml, "message", c->message[0] ? c->message : words) &&
          xmlTextWriterWriteFormatString(xml, "%s%s%s", words, c->message[0] ? ": " : "", c->message) >= 0 && end(xml)))
        return false;
    return end(xml);
}

static bool testsuite(xmlTextWriterPtr xml, const struct graded *graded, const struct format_options *options)
{
    const struct graded_case judging = { .name = "judging", .verdict = graded->verdict, .message = graded->message };
    const size_t count = graded->case_count ? graded->case_count : 1;
    size_t failures = 0, errors = 0;
    char number[32];
    bool ok;

    for (size_t i = 0; i < count; i++) {
        const struct graded_case *c = graded->case_count ? &graded->cases[i] : &judging;

        errors += is_error(c->verdict);
        failures += c->verdict != VERDICT_AC && !is_error(c->verdict);
    }
    snprintf(number, sizeof number, "%zu", graded->left_out);
    ok = begin(xml, "testsuite") && attribute(xml, "name", graded->problem) && attribute_count(xml, "tests", count) &&
         attribute_count(xml, "failures", failures) && attribute_count(xml, "errors", errors) &&
         attribute_count(xml, "skipped", 0) && attribute_seconds(xml, graded_seconds(graded));
    if (ok && strlen(graded->date) == 20) /* ISO 8601 without the zone, as its readers want it */
        ok = xmlTextWriterWriteFormatAttribute(xml, BAD_CAST "timestamp", "%.19s", graded->date) >= 0;
    ok = ok && begin(xml, "properties") && property(xml, "verdict", verdict_id(graded->verdict)) &&
         property(xml, "title", options->title) && property(xml, "submission", graded->source) &&
         property(xml, "league", graded->league) && property(xml, "device", graded->device) &&
         property(xml, "simulated", graded->simulated ? "true" : "") &&
         property(xml, "review", graded->review ? "true" : "") &&
         property(xml, "left_out", graded->left_out ? number : "") &&
         property(xml, "toolkit", graded->version) && end(xml);
    for (size_t i = 0; ok && i < count; i++)
        ok = testcase(xml, graded->problem, graded->case_count ? &graded->cases[i] : &judging);
    return ok && end(xml);
}

bool format_junit(FILE *file, const struct graded *results, size_t count, const struct format_options *options,
                  struct error *error)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    xmlTextWriterPtr xml = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
    bool ok = xml && xmlTextWriterSetIndent(xml, 1) >= 0 && xmlTextWriterStartDocument(xml, NULL, "UTF-8", NULL) >= 0 &&
              begin(xml, "testsuites");

    for (size_t i = 0; ok && i < count; i++)
        ok = testsuite(xml, &results[i], options);
    ok = ok && xmlTextWriterEndDocument(xml) >= 0;
    if (xml)
        xmlFreeTextWriter(xml); /* flushes */
    if (!ok)
        error_toolkit(error, "cannot make the XML: out of memory, or a text that is none");
    else if (fputs((const char *)xmlBufferContent(buffer), file) < 0)
        ok = error_system(error, "cannot write the XML");
    if (buffer)
        xmlBufferFree(buffer);
    return ok;
}
