package web

// Patterns returns the patterns of all routes, as http.ServeMux has them ("GET /entries/{id}"), for tests that try every one.
func Patterns() []string {
	var list []string
	for _, r := range (&server{}).routes() {
		list = append(list, r.pattern)
	}
	return list
}
