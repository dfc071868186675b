package migrations

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestAllAreNumbered(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no migrations are embedded")
	}
	for i, m := range all {
		if m.Version != i+1 || m.SQL == "" || len(m.Checksum) != 64 {
			t.Errorf("migration %d is %d %s, %d bytes, checksum %q", i+1, m.Version, m.Name, len(m.SQL), m.Checksum)
		}
	}
}

func TestLoad(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  string // part of the error, "" for none
	}{
		{"in order", []string{"0001_a.sql", "0002_b.sql"}, ""},
		{"none", nil, ""},
		{"gap", []string{"0001_a.sql", "0003_c.sql"}, "0003_c.sql: its name should begin with 0002_"},
		{"twice", []string{"0001_a.sql", "0001_b.sql"}, "0001_b.sql: its name should begin with 0002_"},
		{"no number", []string{"a.sql"}, "a.sql: its name should begin with 0001_"},
		{"short name", []string{"1.sql"}, "1.sql: its name should begin with 0001_"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := fstest.MapFS{"readme.md": {Data: []byte("not a migration")}}
			for _, f := range tt.files {
				dir[f] = &fstest.MapFile{Data: []byte("SELECT 1;")}
			}
			all, err := Load(dir)
			if tt.want == "" {
				if err != nil || len(all) != len(tt.files) {
					t.Fatalf("Load gave %d migrations, error %v", len(all), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestChecksumIgnoresLineEnds(t *testing.T) {
	unix := newMigration(1, "0001_a.sql", []byte("SELECT 1;\nSELECT 2;\n"))
	dos := newMigration(1, "0001_a.sql", []byte("SELECT 1;\r\nSELECT 2;\r\n"))
	if unix != dos {
		t.Errorf("line ends change the migration: %+v and %+v", unix, dos)
	}
	if other := newMigration(1, "0001_a.sql", []byte("SELECT 2;\n")); other.Checksum == unix.Checksum {
		t.Error("different SQL has the same checksum")
	}
}
