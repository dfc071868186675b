package web

import (
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

// linkRoute is where single-use links lead.
const linkRoute = "/links/:token"

// pageRoutes are the pages of the dashboard, and the forms on them.
func pageRoutes(s *Server) []route {
	reads, reviews, maintains := person(people.Viewer), person(people.Reviewer), person(people.Maintainer)
	admins := anywhere(people.Admin)
	routes := []route{
		get("/sign-in", anybody, s.signInPage),
		post("/sign-in", anybody, s.signInForm),
		get("/sign-in/code", anybody, s.codePage),
		post("/sign-in/code", anybody, s.codeForm),
		get("/sign-in/oidc", anybody, s.providerPage),
		get(ProviderBack, anybody, s.providerBackPage),
		post("/sign-out", anybody, s.signOutForm),
		get(linkRoute, anybody, s.linkPage),
		post(linkRoute, anybody, s.linkForm),

		get("/", anywhere(people.Viewer), s.homePage),
		get("/search", anywhere(people.Viewer), s.searchPage),
		get("/deliveries", anywhere(people.Viewer), s.deliveriesPage),
		get("/audit", anywhere(people.Maintainer), s.auditPage),
		get("/audit/export", anywhere(people.Maintainer), s.exportAudit).asks(append(auditFilters, "format")...),

		get("/people", anywhere(people.Maintainer), s.peoplePage),
		post("/people", maintains, s.addPersonForm),
		post("/people/:id/role", maintains, s.setRoleForm).proven(),
		post("/proposals", anywhere(people.Maintainer), s.proposalForm).proven(),
		post("/people/:id/invite", maintains, s.inviteForm),
		post("/people/:id/uninvite", maintains, s.uninviteForm),
		get("/people/:id/answers", admins, s.forAdmins(s.revokePage)),
		post("/people/:id/answers", admins, s.forAdmins(s.revokeForm)).proven(),
		get("/purge", admins, s.forAdmins(s.purgePage)),
		post("/purge", admins, s.forAdmins(s.purgeForm)).proven(),
		post("/people/:id/override", admins, s.forAdmins(s.overrideGrantForm)).proven(),
		post("/people/:id/disable", admins, s.forAdmins(s.disableForm)),
		post("/people/:id/reset", admins, s.forAdmins(s.resetForm)).proven(),
		post("/people/:id/sessions/end", admins, s.forAdmins(s.endSessionsForm)),
		post("/people/:id/second-factor/remove", admins, s.forAdmins(s.removeFactorForm)).proven(),
		get("/tokens", anywhere(people.Viewer), s.tokensPage),
		post("/tokens", maintains, s.addTokenForm).proven(),
		post("/tokens/:id/revoke", maintains, s.revokeTokenForm),

		get("/servers", anywhere(people.Viewer), s.serversPage),
		get(togetherRoute, anywhere(people.Viewer), s.togetherPage),
		get("/servers/new", admins, s.forAdmins(s.newServerPage)),
		post("/servers", admins, s.forAdmins(s.addServerForm)),
		get("/servers/:server", reads, s.serverPage),
		get("/servers/:server/connect", reads, s.connectPage),
		get("/servers/:server/connect/state", reads, s.connectState),
		get("/servers/:server/events", reads, s.serverEvents),
		get("/servers/:server/import/state", reads, s.importState),
		get("/servers/:server/deliveries", reads, s.deliveriesPage),
		get("/servers/:server/listings/:id", reads, s.listingPage),
		get("/servers/:server/listings/:id/hosts", reads, s.hostsPage),
		get("/servers/:server/listings/:id/hosts/beside", reads, s.besidePage),
		get("/servers/:server/listings/:id/text", reads, s.textPage),
		get("/servers/:server/listings/:id/cost", reads, s.costPage),
		post("/servers/:server/listings/:id/captures", reviews, s.captureForm).limited(s.uploadBody()),
		get("/servers/:server/listings/:id/captures/:capture", reads, s.captureFixture),
		post("/servers/:server/limits", maintains, s.limitsForm),
		get("/servers/:server/compare", reads, s.comparePage),
		get("/servers/:server/tool", reads, s.lineagePage),
		get("/servers/:server/push", reviews, s.uploadPage),
		post("/servers/:server/push", reviews, s.uploadForm).limited(s.uploadBody()),
		post("/servers/:server/secret", maintains, s.rotateSecretForm).proven(),
		get("/servers/:server/endpoints", reads, s.endpointsPage),
		post("/servers/:server/endpoints", maintains, s.addEndpointForm).proven(),
		get("/servers/:server/endpoints/:id", reads, s.endpointPage),
		post("/servers/:server/endpoints/:id", maintains, s.changeEndpointForm).proven(),
		post("/servers/:server/endpoints/:id/remove", maintains, s.removeEndpointForm).proven(),
		post("/servers/:server/endpoints/:id/read", reads, s.readEndpointForm),
		post("/servers/:server/endpoints/:id/drifts/:drift/known", maintains, s.knowDriftForm),
		post("/servers/:server/endpoints/:id/drifts/:drift/unknown", maintains, s.forgetKnownForm),
		post("/servers/:server/endpoints/:id/drifts/:drift/review", maintains, s.reviewDriftForm),
		get("/servers/:server/policy", reads, s.policyPage),
		get("/servers/:server/policy/yaml", reads, s.policyYAML),
		get("/servers/:server/teams", reads, s.teamsPage),
		post("/servers/:server/policy", maintains, s.policyForm).proven(),
		post("/servers/:server/policy/try", reads, s.tryPolicyForm),
		post("/servers/:server/policy/decide", maintains, s.decidePolicyForm).proven(),
	}
	return slices.Concat(routes, accountPages(s), releaseRoutes(s), findingPages(s))
}

// accountPages are about whoever opens them.
func accountPages(s *Server) []route {
	own := anywhere(people.Viewer)
	return []route{
		get("/account", own, s.accountPage),
		post("/account/sessions/end-others", own, s.endOtherSessionsForm),
		post("/account/sessions/:id/end", own, s.endSessionForm),
		get("/account/prove", own, s.proveWithProviderPage),
		post("/account/identity/link", own, s.linkIdentityForm).proven(),
		post("/account/identity/unlink", own, s.unlinkIdentityForm).proven(),
		post("/account/second-factor", own, s.beginFactorForm).proven(),
		post("/account/second-factor/confirm", own, s.confirmFactorForm),
		post("/account/second-factor/codes", own, s.newCodesForm).proven(),
		post("/account/second-factor/remove", own, s.removeOwnFactorForm).proven(),
	}
}

// forAdmins says in words who a page is for. The service would refuse as well, but
// as if there were nothing, since it protects servers that way.
func (s *Server) forAdmins(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !isAdmin(s.actor(c)) {
			return review.Errorf(review.Forbidden, "Only an administrator can do this.")
		}
		return next(c)
	}
}

// releaseRoutes are the review of a release.
func releaseRoutes(s *Server) []route {
	reads, reviews, maintains := person(people.Viewer), person(people.Reviewer), person(people.Maintainer)
	return []route{
		get("/releases/:id", reads, s.releasePage),
		get("/releases/:id/events", reads, s.releaseEvents),
		get("/releases/:id/news", reads, s.releaseNews),
		post("/releases/:id/verdicts", reviews, s.verdictForm),
		post("/releases/:id/threads", reviews, s.openThreadForm),
		post("/releases/:id/suggestions/check", reviews, s.checkSuggestionForm),
		post("/releases/:id/threads/:thread/comments", reviews, s.commentOnThreadForm),
		post("/releases/:id/threads/:thread/resolve", reviews, s.resolveThreadForm),
		post("/releases/:id/threads/:thread/reopen", reviews, s.reopenThreadForm),
		post("/releases/:id/threads/:thread/edit", reviews, s.editCommentForm),
		get("/releases/:id/threads/:thread/edits", reads, s.editsPage),
		post("/releases/:id/baseline", maintains, s.baselineForm),
		post("/releases/:id/predecessor", maintains, s.predecessorForm),
		post("/releases/:id/release", maintains, s.releaseForm).proven(),
		post("/releases/:id/withdraw", maintains, s.withdrawForm),
		post("/releases/:id/override", person(people.Admin), s.overrideForm).proven(),
		post("/releases/:id/override/end", maintains, s.endOverrideForm),
		post("/releases/:id/alarms/clear", maintains, s.clearAlarmsForm),
	}
}
