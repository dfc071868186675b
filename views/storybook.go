package views

// StoriesPage lists every page in every state, for whoever works on them.
type StoriesPage struct {
	Page
	Groups []StoryGroup
}

// StoryGroup are the states of one page.
type StoryGroup struct {
	Name   string
	States []Link
}
