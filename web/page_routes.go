package web

// pageRoutes are the pages of the dashboard.
func pageRoutes(s *Server) []route { return nil }
