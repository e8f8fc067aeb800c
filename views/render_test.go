package views_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"recoup/views/layout"
	"recoup/views/ledger"
	"recoup/views/text"
	"recoup/views/ui"
)

// all returns every page and fragment, rich and empty, in both languages.
func all(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, lang := range []text.Lang{text.English, text.Japanese} {
		for _, p := range rich(lang) {
			out["rich "+string(lang)+" "+p.name] = render(t, p)
		}
		for _, p := range bare(lang) {
			out["bare "+string(lang)+" "+p.name] = render(t, p)
		}
	}
	return out
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func elements(doc *html.Node) []*html.Node {
	var out []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func TestPagesKeepTheContentSecurityPolicy(t *testing.T) {
	for name, page := range all(t) {
		for _, n := range elements(parse(t, page)) {
			if n.Data == "style" {
				t.Errorf("%s: style element", name)
			}
			if n.Data == "script" && (attr(n, "src") == "" || content(n) != "") {
				t.Errorf("%s: inline script", name)
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") {
					t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
				}
				if strings.HasPrefix(strings.TrimSpace(a.Val), "javascript:") {
					t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
				}
			}
		}
	}
}

func TestPagesHaveOneHeadingOneMainAndUniqueIDs(t *testing.T) {
	for name, page := range all(t) {
		count, ids := map[string]int{}, map[string]int{}
		for _, n := range elements(parse(t, page)) {
			if n.Namespace == "" { // a title within a drawing is no title of the page
				count[n.Data]++
			}
			if id := attr(n, "id"); id != "" {
				ids[id]++
			}
		}
		if strings.HasSuffix(name, "-list") {
			if count["h1"] != 0 || ids[ui.ListID] != 1 || strings.Contains(page, "<!doctype") {
				t.Errorf("%s: a fragment is the element %q and nothing around it", name, ui.ListID)
			}
			continue
		}
		if count["h1"] != 1 || count["main"] != 1 || count["title"] != 1 {
			t.Errorf("%s: %d h1, %d main, %d title", name, count["h1"], count["main"], count["title"])
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: id %q stands %d times", name, id, n)
			}
		}
	}
}

func TestFormsThatChangeSomethingCarryAnOperationID(t *testing.T) {
	// A person's own settings and session are not operations: repeating one changes nothing more.
	own := []string{"/sign-in", "/sign-in/link", "/sign-out", "/preferences",
		// What one has read, and what one follows.
		"/inbox/read", "/inbox/1/read", "/rollouts/ro_2026_discount10/follow",
		// Checks are made each minute anyway: asking for them changes nothing.
		"/rollouts/ro_2026_discount10/check",
		// So are comparisons each quarter of an hour.
		"/rollouts/x/compare"}
	acting := 0
	for name, page := range all(t) {
		for _, n := range elements(parse(t, page)) {
			if n.Data != "form" || attr(n, "method") != "post" || slices.Contains(own, attr(n, "action")) {
				continue
			}
			acting++
			ids, cancel := 0, 0
			for _, d := range elements(n) {
				if d.Data == "input" && attr(d, "name") == "operation_id" && attr(d, "type") == "hidden" {
					ids++
				}
				if hasAttr(d, "data-cancel") && hasAttr(d, "autofocus") {
					cancel++
				}
			}
			// What can be undone, or changed again on the spot, acts without a dialog and has nothing to cancel. What is
			// filled in begins at its top.
			want := 1
			if hasAttr(n, "data-direct") || hasAttr(n, "data-entry") {
				want = 0
			}
			if ids != 1 || cancel != want {
				t.Errorf("%s: form %s has %d operation ids and %d focused Cancel", name, attr(n, "action"), ids, cancel)
			}
		}
	}
	if acting < 20 {
		t.Errorf("only %d forms seen", acting)
	}
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func TestEveryWordIsInTheCatalogue(t *testing.T) {
	for name, page := range all(t) {
		if at := strings.Index(page, "⟦"); at >= 0 {
			t.Errorf("%s: %s", name, page[at:min(len(page), at+60)])
		}
		if regexp.MustCompile(`\{\d\}`).MatchString(stripBody(page)) {
			t.Errorf("%s: a placeholder was not filled", name)
		}
	}
}

// stripBody removes the phrases that are handed to the script with their placeholders.
func stripBody(page string) string {
	return regexp.MustCompile(`<body[^>]*>`).ReplaceAllString(page, "")
}

func TestAmountsAreExactAndNegativeByTrueMinus(t *testing.T) {
	hyphen := regexp.MustCompile(`^-[0-9]`)
	for name, page := range all(t) {
		for _, n := range elements(parse(t, page)) {
			class := strings.Fields(attr(n, "class"))
			if !slices.Contains(class, "amount") && !slices.Contains(class, "figure") {
				continue
			}
			amount := content(n)
			if hyphen.MatchString(amount) {
				t.Errorf("%s: %q has a hyphen for a minus", name, amount)
			}
			if text.Negative(amount) != slices.Contains(class, "neg") {
				t.Errorf("%s: %q and class %v disagree", name, amount, class)
			}
		}
	}
	pages := all(t)
	for _, lang := range []string{"en", "ja"} {
		for _, name := range []string{"job", "dead", "operation", "statement"} {
			if !strings.Contains(pages["rich "+lang+" "+name], bigInteger) {
				t.Errorf("%s %s: %s is not intact", lang, name, bigInteger)
			}
		}
		if !strings.Contains(pages["rich "+lang+" ledger"], "\u22129,007,199,254,740,993") {
			t.Errorf("%s: the large amount is not intact", lang)
		}
	}
}

func TestTheThreeKindsOfNothingDiffer(t *testing.T) {
	pages := all(t)
	for page, kind := range map[string]string{"bare en ledger": "none", "rich en ledger-no-match": "no-match", "rich en ledger-unreadable": "unreadable"} {
		body := pages[page]
		for _, k := range []string{"none", "no-match", "unreadable"} {
			if got := strings.Contains(body, `data-kind="`+k+`"`); got != (k == kind) {
				t.Errorf("%s: kind %s shown: %v", page, k, got)
			}
		}
	}
	if !strings.Contains(pages["rich en ledger-no-match"], "Clear filters") || !strings.Contains(pages["rich en ledger-unreadable"], "req-0198c3f27d3e") {
		t.Error("no match must offer to clear the filters; unreadable must name the request")
	}
}

func TestEachEntryLinksToAccountJobOperationAndRuleVersion(t *testing.T) {
	l := locale(text.English)
	m := ledger.Model{Rows: []ledger.Entry{(sample{l}).entries()[0]}}
	page := render(t, page{name: "ledger", view: ledger.List(l, m)})
	for _, url := range []string{"/accounts/acct_7Q2M", "/accounts/acct_7Q2M/jobs/vu-20481", "/operations?scope=account:acct_7Q2M&amp;id=sig-20481-2", "/ledger?rule_version=video_upscale@v2"} {
		if !strings.Contains(page, `href="`+url+`"`) {
			t.Errorf("no link to %s", url)
		}
	}
}

func TestPagerAndChipsAreLinksOfTheirOwn(t *testing.T) {
	l := locale(text.English)
	list := ui.List{ClearURL: "/x", Chips: []ui.Chip{{Label: "Type", Value: "Refund", RemoveURL: "/x?period=today"}, {Label: "Period", Value: "Today", RemoveURL: "/x?type=refund"}}, Pager: ui.Pager{OlderURL: "/x?type=refund&cursor=abc"}}
	chips := render(t, page{name: "chips", view: ui.Chips(l, list)})
	for _, want := range []string{`href="/x?period=today"`, `href="/x?type=refund"`, `href="/x"`, "Remove filter: Type Refund"} {
		if !strings.Contains(chips, want) {
			t.Errorf("chips lack %s", want)
		}
	}
	foot := render(t, page{name: "foot", view: ui.Foot(l, "", list.Pager)})
	if !strings.Contains(foot, `href="/x?type=refund&amp;cursor=abc"`) || strings.Count(foot, "<a ") != 1 || !strings.Contains(foot, `aria-disabled="true">Newer`) {
		t.Errorf("pager: %s", foot)
	}
}

func TestUntrustedTextIsEscapedAndUntrustedLinksAreRefused(t *testing.T) {
	l := locale(text.English)
	m := ledger.Model{Rows: []ledger.Entry{{What: `<img src=x onerror=alert(1)>`, Job: ui.ID{Value: `"><script>`, URL: "javascript:alert(1)"}}}}
	page := render(t, page{name: "ledger", view: ledger.Page(layout.Frame{L: l, Person: "<b>"}, m)})
	if strings.Contains(page, "<img") || strings.Contains(page, "<script>") || strings.Contains(page, "<b></span>") || strings.Contains(page, `href="javascript`) {
		t.Error("something came through unescaped")
	}
}

func TestSignedOutPagesShowNoRail(t *testing.T) {
	for name, page := range all(t) {
		signedOut := strings.Contains(name, "sign-in") || strings.Contains(name, "signed-out")
		if strings.HasSuffix(name, "-list") {
			continue
		}
		if strings.Contains(page, `class="rail"`) == signedOut {
			t.Errorf("%s: rail shown: %v", name, !signedOut)
		}
	}
}

func TestEveryFieldHasALabel(t *testing.T) {
	for name, page := range all(t) {
		labels, wrapped := map[string]bool{}, map[*html.Node]bool{}
		nodes := elements(parse(t, page))
		for _, n := range nodes {
			if n.Data == "label" {
				labels[attr(n, "for")] = true
				for _, d := range elements(n) {
					wrapped[d] = true
				}
			}
		}
		for _, n := range nodes {
			if n.Data != "input" && n.Data != "select" && n.Data != "textarea" || attr(n, "type") == "hidden" {
				continue
			}
			if !wrapped[n] && !labels[attr(n, "id")] && attr(n, "aria-label") == "" {
				t.Errorf("%s: field %q has no label", name, attr(n, "name"))
			}
		}
	}
}
