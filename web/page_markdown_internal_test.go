package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// checkSafe fails when HTML holds anything that runs, loads or looks like a part
// of our pages.
func checkSafe(t *testing.T, html string) {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader("<body>" + html + "</body>"))
	if err != nil {
		t.Fatal(err)
	}
	if bad := doc.Find("script, img, style, iframe, object, embed, form, button, svg, link, meta, base, [style], [class], [id]"); bad.Length() > 0 {
		t.Errorf("%s survives in %q", goquery.NodeName(bad.First()), html)
	}
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		for _, a := range s.Nodes[0].Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s survives in %q", a.Key, html)
			}
			if a.Key == "href" && !slices.ContainsFunc([]string{"https://", "http://", "mailto:"}, func(p string) bool { return strings.HasPrefix(a.Val, p) }) {
				if strings.Contains(a.Val, ":") {
					t.Errorf("href %q survives in %q", a.Val, html)
				}
			}
		}
	})
}
