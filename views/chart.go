package views

// Charts are numbers of a server over its versions, oldest first: one row of bars
// for each kind of number, and the same as a table.
type Charts struct {
	Rows  []ChartRow
	Note  string // how a number came about, where its label does not say
	Table ChartTable
}

// ChartRow is one kind of number. Every row has its own scale, which its label says.
type ChartRow struct {
	Label string // "Tools"
	Tone  Tone
	Says  string // for who can't see the bars: "Tools: from 3 to 8 over 12 versions, 8 now"
	Now   string // of the newest version
	Bars  []Bar
}

// Bar is a version in a row, in the units of a box of ChartWidth by ChartHeight.
type Bar struct {
	X, Y, Width, Height string
}

// The size of a row's box.
const (
	ChartWidth  = 240
	ChartHeight = 32
)

// ChartTable is the numbers in words, newest version first.
type ChartTable struct {
	Heads []string
	Lines []ChartLine
}

// ChartLine is one version.
type ChartLine struct {
	Version NameLink
	Numbers []string
}
