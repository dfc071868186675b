package reviewtest

var pushCases, approvalCases, releaseCases, threadCases, peopleCases, listCases map[string]func(*world)
