package web

import "github.com/countersign/countersign/review/people"

// depthRoutes are what reviewers work with beside the decisions: names, drafts,
// marks, threads across versions, and their inbox.
func (s *Server) depthRoutes() []route {
	reads := person(people.Viewer).or(people.ScopeRead, people.ScopeReview)
	own := person(people.Viewer).or(people.ScopeReview) // about the caller alone
	reviews := person(people.Reviewer).or(people.ScopeReview)
	maintains := person(people.Maintainer).or(people.ScopeReview)
	return []route{
		get("/api/v1/servers/:server/aliases", reads, s.listAliases),
		post("/api/v1/servers/:server/aliases", maintains, s.addAlias),
		post("/api/v1/servers/:server/aliases/end", maintains, s.endAlias),
		post("/api/v1/servers/:server/follow", own, s.follow),
		post("/api/v1/releases/:id/pairings", reviews, s.pair),
		post("/api/v1/releases/:id/pairings/end", reviews, s.unpair),
		get("/api/v1/releases/:id/changelog", reads, s.releaseChangelog),
		post("/api/v1/releases/:id/viewed", own, s.markViewed),
		get("/api/v1/releases/:id/drafts", reviews, s.listDrafts),
		post("/api/v1/releases/:id/drafts", reviews, s.saveDraft),
		post("/api/v1/releases/:id/drafts/publish", reviews, s.publishDrafts),
		post("/api/v1/releases/:id/suggestions/check", reviews, s.checkSuggestion),
		get("/api/v1/releases/:id/threads/:thread/edits", reads, s.threadEdits),
		post("/api/v1/releases/:id/threads/:thread/edit", reviews, s.editComment),
		get("/api/v1/threads", anywhere(people.Viewer).or(people.ScopeRead, people.ScopeReview), s.listDiscussion).asks(threadFilters...),
		get("/api/v1/inbox", anywhere(people.Viewer).or(people.ScopeReview), s.showInbox).asks("limit", "before"),
		post("/api/v1/inbox/read", anywhere(people.Viewer).or(people.ScopeReview), s.readInbox),
	}
}

// depthPages are the pages and forms of the same.
func depthPages(s *Server) []route {
	reads, reviews, maintains := person(people.Viewer), person(people.Reviewer), person(people.Maintainer)
	anybody := anywhere(people.Viewer)
	return []route{
		get("/inbox", anybody, s.inboxPage),
		post("/inbox/read", anybody, s.readInboxForm),
		get("/threads", anybody, s.discussionPage),
		post("/servers/:server/drafts", reviews, s.serverDraftForm),
		post("/servers/:server/drafts/remove", reviews, s.dropServerDraftForm),
		get("/servers/:server/aliases", reads, s.aliasesPage),
		post("/servers/:server/aliases", maintains, s.addAliasForm),
		post("/servers/:server/aliases/end", maintains, s.endAliasForm),
		post("/servers/:server/follow", reads, s.followForm),
		get("/releases/:id/changelog", reads, s.changelogPage),
		get("/releases/:id/desk", reads, s.deskPage),
		post("/releases/:id/viewed", reads, s.viewedForm),
		post("/releases/:id/drafts", reviews, s.draftForm),
		post("/releases/:id/drafts/publish", reviews, s.publishForm),
		post("/releases/:id/drafts/remove", reviews, s.removeDraftForm),
		post("/releases/:id/pairings", reviews, s.pairForm),
		post("/releases/:id/pairings/end", reviews, s.unpairForm),
	}
}
