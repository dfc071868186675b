package store

// Watch calls f with every statement from now on; it may be called by several
// goroutines at once.
func (s *Store) Watch(f func(query string)) { s.watch = f }
