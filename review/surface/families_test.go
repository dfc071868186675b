package surface_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review/surface"
)

// familyCase is a row of cases/families.jsonl; absent expectations are not asked.
type familyCase struct {
	ID     string   `json:"id"`
	Names  []string `json:"names"`
	Expect struct {
		Convention  surface.Convention  `json:"convention"`
		HousePrefix *string             `json:"house_prefix"`
		Families    map[string][]string `json:"families"`
		Objects     map[string][]string `json:"objects"`
		Outliers    []struct {
			Tool    string       `json:"tool"`
			Cost    surface.Cost `json:"cost"`
			Related string       `json:"related_family"`
		} `json:"outliers"`
	} `json:"expect"`
}

func TestFamiliesHandedCases(t *testing.T) {
	for _, row := range sharedLines[familyCase](t, "cases/families.jsonl") {
		t.Run(row.ID, func(t *testing.T) {
			f := surface.NewFamilies(row.Names)
			if f.Convention != row.Expect.Convention {
				t.Errorf("convention %s, want %s", f.Convention, row.Expect.Convention)
			}
			if diff := cmp.Diff(row.Expect.HousePrefix, f.HousePrefix); diff != "" {
				t.Errorf("house prefix (-want +got):\n%s", diff)
			}
			families := map[string][]string{}
			for _, g := range f.Families {
				families[g.Name] = g.Tools
			}
			if diff := cmp.Diff(row.Expect.Families, families); diff != "" {
				t.Errorf("families (-want +got):\n%s", diff)
			}
			if row.Expect.Objects != nil {
				objects := map[string][]string{}
				for _, o := range f.Objects {
					objects[o.Name] = o.Tools
				}
				if diff := cmp.Diff(row.Expect.Objects, objects); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
			}
			if len(f.Outliers) != len(row.Expect.Outliers) {
				t.Fatalf("outliers %v, want %v", f.Outliers, row.Expect.Outliers)
			}
			for i, want := range row.Expect.Outliers {
				got := f.Outliers[i]
				if got.Tool != want.Tool || got.Cost != want.Cost || got.RelatedFamily != want.Related {
					t.Errorf("outlier %+v, want %+v", got, want)
				}
			}
		})
	}
}

// sharedLines reads the rows of a handed JSON lines file.
func sharedLines[T any](t testing.TB, name string) []T {
	t.Helper()
	b, err := os.ReadFile(testkit.Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	var rows []T
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// brief writes families as "name: tool tool; name: …".
func brief(families []surface.Family) string {
	var parts []string
	for _, f := range families {
		parts = append(parts, f.Name+": "+strings.Join(f.Tools, " "))
	}
	return strings.Join(parts, "; ")
}

func TestFamilyNames(t *testing.T) {
	for _, tc := range []struct{ names, want string }{
		{"box_open boxes_list", "box: box_open boxes_list"},
		{"statuses_list status_get", "status: statuses_list status_get"},
		{"branch_get branches_list", "branch: branch_get branches_list"},
		{"category_get categories_list", "category: category_get categories_list"},
		{"database_get databases_list", "database: database_get databases_list"},
		{"Entity.Get entity.list", "entity: Entity.Get entity.list"},
		{"HTTPServer_start httpServerStop", "http_server: HTTPServer_start httpServerStop"},
		{"invoice-line-get invoice-line-void", "invoice_line: invoice-line-get invoice-line-void"},
		{"invoice", "invoice: invoice"},
		{"invoice invoice_get", "invoice: invoice invoice_get"},
		{"invoice_line_get", "invoice: invoice_line_get"},
		{"___", "___: ___"},
		{"get_user get_team", "get: get_user get_team"},
		{"ünïcode_get ünïcode_list", "ünïcode: ünïcode_get ünïcode_list"},
		{"docs/read docs:write", "doc: docs/read docs:write"},
		{"dns_get dns_set", "dns: dns_get dns_set"},
		{"people_list person_get", "person: people_list person_get"},
		{"vmStart VMs_list", "vm: vmStart VMs_list"},
		{"pageURLsGet page_url_set", "page_url: pageURLsGet page_url_set"},
	} {
		if got := brief(surface.NewFamilies(strings.Fields(tc.names)).Families); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.names, got, tc.want)
		}
	}
}

func TestHousePrefix(t *testing.T) {
	for _, tc := range []struct{ name, names, prefix, families string }{
		{"three tools are too few", "acme_a_x acme_a_y acme_b", "", "acme: acme_a_x acme_a_y acme_b"},
		{"four of five", "acme_page_x acme_page_y acme_tab acme other", "acme",
			"page: acme_page_x acme_page_y; tab: acme_tab; acme: acme; other: other"},
		{"a verb is none", "get_a get_b get_c get_d", "", "get: get_a get_b get_c get_d"},
		{"three of four", "acme_a acme_b acme_c other", "", "acme: acme_a acme_b acme_c; other: other"},
		{"singular and plural", "docs_page doc_tab docs_x docs_y", "docs", "page: docs_page; tab: doc_tab; x: docs_x; y: docs_y"},
	} {
		f := surface.NewFamilies(strings.Fields(tc.names))
		prefix := ""
		if f.HousePrefix != nil {
			prefix = *f.HousePrefix
		}
		if prefix != tc.prefix || brief(f.Families) != tc.families {
			t.Errorf("%s: prefix %q, families %s", tc.name, prefix, brief(f.Families))
		}
	}
}

func TestConvention(t *testing.T) {
	for _, tc := range []struct {
		names string
		want  surface.Convention
	}{
		{"", surface.Mixed},
		{"page_get page_list tab_set tab_x get_page", surface.NounFirst},
		{"page_get page_list tab_set get_page", surface.Mixed},
		{"get_page list_page set_page add_page page_x", surface.VerbFirst},
	} {
		if got := surface.NewFamilies(strings.Fields(tc.names)).Convention; got != tc.want {
			t.Errorf("%q: %s, want %s", tc.names, got, tc.want)
		}
	}
}

func TestOutliers(t *testing.T) {
	house := "page_a page_b page_c topic_thread_a topic_thread_b graph_x ticket_1 ticket_2 ticket_3 ticket_4 ticket_5 ticket_6 ticket_7 ticket_8 "
	for _, tc := range []struct {
		tool    string
		cost    surface.Cost
		related string
	}{
		{"write_page", surface.Expensive, "page"},
		{"write_pages", surface.Expensive, "page"},
		{"writePage", surface.Expensive, "page"},
		{"archive_topic_thread", surface.Expensive, "topic_thread"},
		{"archive_thread", surface.Expensive, "topic_thread"},
		{"write_to_page", surface.Expensive, "page"},
		{"export_all_graphs", surface.Expensive, "graph"},
		{"copy_and_archive", surface.Unsortable, ""},
		{"ping", surface.Unsortable, ""},
		{"notify_owner", surface.Free, ""},
		{"get_or_create_page", surface.Expensive, "page"},
	} {
		f := surface.NewFamilies(append(strings.Fields(house), tc.tool))
		want := []surface.Outlier{{Tool: tc.tool, Position: 15, RelatedFamily: tc.related, Cost: tc.cost}}
		if diff := cmp.Diff(want, f.Outliers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.tool, diff)
		}
		for _, g := range f.Families {
			if g.Tools[0] == tc.tool {
				t.Errorf("%s is an outlier and a family", tc.tool)
			}
		}
	}
	f := surface.NewFamilies(append(strings.Fields(house), "write_a", "write_b"))
	if len(f.Outliers) > 0 {
		t.Errorf("a verb with a family of two is no outlier: %v", f.Outliers)
	}
}

func TestObjects(t *testing.T) {
	for _, tc := range []struct {
		names string
		want  []string
	}{
		{"get_merge_request list_merge_requests merge_merge_request get_file push_files search bulk_update_users add_user get_or_create_user", []string{
			"merge_request[get_merge_request list_merge_requests merge_merge_request] [1 2 3]",
			"file[get_file push_files] [4 5]",
			"user[bulk_update_users add_user get_or_create_user] [7 8 9]",
		}},
		{"getShipById getShipsByPort deleteShipByID", []string{"ship[getShipById getShipsByPort deleteShipByID] [1 2 3]"}},
		{"list_cranes_in_yard move_crane_to_berth", []string{"crane[list_cranes_in_yard move_crane_to_berth] [1 2]"}},
		{"getCurrentPilot listPilots get_latest_tide get_tide read_multiple_logs list_recent", []string{
			"pilot[getCurrentPilot listPilots] [1 2]",
			"tide[get_latest_tide get_tide] [3 4]",
			"log[read_multiple_logs] [5]",
			"recent[list_recent] [6]",
		}},
	} {
		var got []string
		for _, o := range surface.NewFamilies(strings.Fields(tc.names)).Objects {
			got = append(got, fmt.Sprint(o.Name, o.Tools, o.Positions))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.names, diff)
		}
	}
}

func TestSubfamilies(t *testing.T) {
	names := []string{"shop", "shop_ping"}
	for i := range 6 {
		names = append(names, fmt.Sprintf("shop_order_line_%d", i), fmt.Sprintf("shop_stock_%d", i))
	}
	names = append(names, "other_a", "other_b", "other_c", "other_d", "other_e") // no house prefix
	f := surface.NewFamilies(names)
	if f.Families[0].Name != "shop" || len(f.Families[0].Tools) != 14 {
		t.Fatalf("families: %s", brief(f.Families))
	}
	want := "order_line: shop_order_line_0 shop_order_line_1 shop_order_line_2 shop_order_line_3 shop_order_line_4 shop_order_line_5; " +
		"stock: shop_stock_0 shop_stock_1 shop_stock_2 shop_stock_3 shop_stock_4 shop_stock_5"
	if got := brief(f.Families[0].Subfamilies); got != want {
		t.Errorf("subfamilies %s", got)
	}
	if len(f.Families[1].Subfamilies) != 0 {
		t.Error("a small family has subfamilies")
	}
}

func TestScattered(t *testing.T) {
	f := surface.NewFamilies([]string{"page_a", "tab_a", "page_b", "tab_b", "tab_c", "row_a", "row_b"})
	want := []surface.Scattered{{Family: "page", Positions: []int{1, 3}}, {Family: "tab", Positions: []int{2, 4, 5}}}
	if diff := cmp.Diff(want, f.Scattered); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFamiliesWithPatterns(t *testing.T) {
	names := []string{"page_a", "page_b", "page_c", "tab_a", "tab_b", "write_page", "x", "page_d", "page_e", "page_f"}
	f := surface.FamiliesWith(names, []surface.Pattern{
		{Family: "writing", Match: "write_*"},
		{Family: "writing", Match: "page_b"},
		{Family: "tabs of the team", Match: "t*_?"},
		{Family: "tabs of the team", Match: "t*b_*a*"},
	})
	want := "page: page_a page_c page_d page_e page_f; writing: page_b write_page; tabs of the team: tab_a; tab: tab_b; x: x"
	if got := brief(f.Families); got != want {
		t.Errorf("got %s", got)
	}
	if len(f.Outliers) > 0 {
		t.Errorf("a tool that a pattern placed is an outlier: %v", f.Outliers)
	}
}

func TestFamiliesPositionsOfNamelessTools(t *testing.T) {
	f := surface.NewFamilies([]string{"", "page_a", "", "page_b"})
	want := []surface.Family{{Name: "page", Tools: []string{"page_a", "page_b"}, Positions: []int{2, 4}, Subfamilies: []surface.Family{}}}
	if diff := cmp.Diff(want, f.Families); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every tool is in exactly one family or an outlier, for any names at all.
func FuzzFamilies(f *testing.F) {
	f.Add("page_a page_b write_page", "page_*")
	f.Add("getUser listUsers HTTPServer", "*")
	f.Add("a_a_a_a a__a -.-. \xff \xed\xa0\x80", "a*a*a")
	f.Fuzz(func(t *testing.T, text, pattern string) {
		names := strings.Split(text, " ")
		got := surface.FamiliesWith(names, []surface.Pattern{{Family: "p", Match: pattern}})
		seen := map[int]string{}
		note := func(position int, tool string) {
			if seen[position] != "" {
				t.Fatalf("tool %d is in two places", position)
			}
			if names[position-1] != tool {
				t.Fatalf("tool %d is %q, not %q", position, names[position-1], tool)
			}
			seen[position] = tool
		}
		for _, g := range got.Families {
			if len(g.Tools) == 0 || len(g.Tools) != len(g.Positions) || g.Name == "" {
				t.Fatalf("family %+v", g)
			}
			for i, p := range g.Positions {
				note(p, g.Tools[i])
			}
		}
		for _, o := range got.Outliers {
			note(o.Position, o.Tool)
		}
		for i, n := range names {
			if n != "" && seen[i+1] == "" {
				t.Fatalf("tool %d (%q) is nowhere in %+v", i+1, n, got)
			}
		}
	})
}

// The cost of grouping must stay linear in the number of names.
func BenchmarkFamilies(b *testing.B) {
	for _, n := range []int{1_000, 4_000} {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprintf("family%d_object_action%d", i%97, i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				surface.NewFamilies(names)
			}
		})
	}
}

func TestSingular(t *testing.T) {
	for _, pair := range strings.Fields(`tickets/ticket boxes/box branches/branch categories/category classes/class statuses/status
		status/status analyses/analysis analysis/analysis diagnoses/diagnosis address/address responses/response cases/case
		houses/house databases/database purchases/purchase sizes/size photos/photo heroes/hero wikis/wiki emojis/emoji apis/api
		menus/menu skus/sku redis/redis kubernetes/kubernetes series/series cookies/cookie aliases/alias ids/id ties/tie
		bus/bus buses/bus children/child settings/setting docs/doc news/news aws/aws dns/dns sms/sms bonuses/bonus`) {
		plural, want, _ := strings.Cut(pair, "/")
		f := surface.NewFamilies([]string{plural + "_x", "other_x"})
		if got := f.Families[0].Name; got != want {
			t.Errorf("%s: %s, want %s", plural, got, want)
		}
	}
}
